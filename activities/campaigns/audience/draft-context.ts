// What the count of a draft needs, and what it may spend.
import type { CampaignSpec } from '../../../src/jobs/campaigns/contract/batches.ts';
import type { CallDeps } from '../../shared/api-call.ts';
import type { Deps } from '../../shared/deps.ts';
import type { ReadPage } from './read-page.ts';
import type { RowsDeps } from './rows.ts';

export interface DraftLimits {
  /** Entries that are read at most, over all parts. */
  readonly entries: number;
  /** Calls of the API that are made at most. */
  readonly calls: number;
  /** Milliseconds for one part that makes no call. */
  readonly partMs: number;
  /** Milliseconds for everything. */
  readonly totalMs: number;
}

export const DRAFT_LIMITS: DraftLimits = { entries: 20_000, calls: 4, partMs: 4000, totalMs: 12_000 };

/** The calls of one count. */
export interface DraftCalls {
  /** Opens the account at the first call: it needs the tokens. */
  make<T>(work: (deps: CallDeps & Pick<Deps, 'account'>) => Promise<T>): Promise<T>;
  readonly left: number;
  readonly made: number;
}

export interface DraftContext {
  readonly deps: RowsDeps & Pick<Deps, 'clock'>;
  readonly spec: CampaignSpec;
  readonly calls: DraftCalls;
  /** Pages of the service that earlier counts read. */
  readonly pages: KeptPages;
  readonly limits: DraftLimits;
  /** Aborts when a newer count replaces this one, or when its time is over. */
  readonly signal: AbortSignal;
  /** Aborts only when a newer count replaces this one. */
  readonly replaced: AbortSignal;
}

/** Pages of the service by what they depend on, so that an edit elsewhere in the draft costs no call. */
export interface KeptPages {
  get(key: string): KeptPage | null;
  set(key: string, page: KeptPage): void;
}

export interface KeptPage {
  readonly page: ReadPage;
  /** ISO 8601. */
  readonly at: string;
}
