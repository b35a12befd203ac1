// What activities are given by the composition root: nothing here is reached for, all of it is passed in.
import { assumptionsFingerprint } from '../../src/api-client/assumptions.ts';
import type { MessagingClient } from '../../src/api-client/client.ts';
import type { Budget } from '../../src/budget/slots.ts';
import type {
  AnnounceRule,
  MappingConfig,
  OptOutConfig,
  PollerConfig,
  SourceConfig,
} from '../../src/contracts/config/config.ts';
import type { CampaignSpec } from '../../src/contracts/wire/campaign.ts';
import type { RunSpec } from '../../src/contracts/wire/run.ts';
import type { Source } from '../../src/contracts/wire/source.ts';
import type { Database } from '../../src/ledger/database.ts';
import type { Mapping } from '../../src/mapping/index.ts';
import type { Sink } from '../../src/sinks/sink.ts';
import type { CallCounter } from './call-counter.ts';

/** One token of an account, with a client of its own. */
export interface TokenAccess {
  readonly client: MessagingClient;
  /** Hash of the token: names its slots in the ledger. */
  readonly key: string;
  /** Place in the configuration's list, from 1: what people are told. */
  readonly position: number;
}

/** One account as activities use it. */
export interface AccountAccess {
  readonly name: string;
  /** At least one, all different. */
  readonly tokens: readonly TokenAccess[];
  /** Fairness key in Temporal: hash of the token, or of all of them when there are several. */
  readonly tokenKey: string;
  /** Seconds after which a write that can't be read back is taken not to have happened. */
  readonly settleSeconds: number;
  /** Which sinks are told of its conversations. */
  readonly announce: readonly AnnounceRule[];
  /** Who wants no campaign. */
  readonly optOut: OptOutConfig;
}

/** Fingerprint of what Sluice assumes of the account: under another one, what could not be read is read again. */
export function assumedBy({ tokens }: Pick<AccountAccess, 'tokens'>): string {
  const [first] = tokens;
  return first === undefined ? '' : assumptionsFingerprint(first.client.assumptions, 'all');
}

/** What time it is for campaigns, in milliseconds since 1970. Tests that skip time bring their own. */
export interface Clock {
  now(): Promise<number>;
}

export interface ActivityLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Deps {
  readonly db: Database;
  readonly budget: Budget;
  /** Calls of each run. */
  readonly calls: CallCounter;
  readonly log: ActivityLog;
  /** @throws Error naming the account when the configuration has none of that name */
  account(name: string): AccountAccess;
  /** @throws Error naming the sync when the configuration has none of that name */
  spec(account: string, sync: string): RunSpec;
  /** @throws Error naming the poller when the account has none of that name in the configuration */
  poller(account: string, name: string): PollerConfig;
  /** @throws Error naming the campaign when the account has none of that name in the configuration */
  campaign(account: string, name: string): CampaignSpec;
  readonly clock: Clock;
  openSource(config: SourceConfig): Source;
  /** Folder that the paths of file sources begin at; set: large files are read and mapped in a thread of their own. */
  readonly baseDir?: string;
  compileMapping(config: MappingConfig): Mapping;
  /** @throws Error naming the sink when the configuration has none of that name */
  sink(name: string): Sink;
  /** All sinks of the configuration. */
  readonly sinkNames: readonly string[];
  /**
   * Milliseconds between the attempts for one event, after the last of which it is given up; null: it is tried for as long
   * as the sink takes to come back.
   * @throws as `sink`
   */
  sinkRetry(name: string): readonly number[] | null;
}
