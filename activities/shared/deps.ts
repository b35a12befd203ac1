// The dependencies of activities. The composition root passes them in.

import type { Sink } from '../../src/connectors/sinks/sink.ts';
import type { SourceConfig } from '../../src/connectors/sources/config.ts';
import type { Source } from '../../src/core/source.ts';
import type { Database } from '../../src/core/sql/database.ts';
import type { OptOutConfig } from '../../src/jobs/campaigns/config.ts';
import type { CampaignSpec } from '../../src/jobs/campaigns/contract/batches.ts';
import type { PollerConfig } from '../../src/jobs/conversations/config.ts';
import type { AnnounceRule } from '../../src/jobs/outbox/contract/announce.ts';
import type { RunSpec } from '../../src/jobs/sync/contract/run.ts';
import type { MappingConfig } from '../../src/mapping/config.ts';
import type { Mapping } from '../../src/mapping/index.ts';
import type { Outcomes } from '../../src/observe/outcomes.ts';
import { assumptionsFingerprint } from '../../src/service/api-client/assumptions.ts';
import type { MessagingClient } from '../../src/service/api-client/client.ts';
import type { Budget } from '../../src/service/budget/slots.ts';
import type { CallCounter } from './call-counter.ts';

/** One token of an account, with its own client. */
export interface TokenAccess {
  readonly client: MessagingClient;
  /** Hash of the token. It names the token's slots in the ledger. */
  readonly key: string;
  /** Position in the configuration's list, from 1. Logs and reports use it. */
  readonly position: number;
}

/** One account, as activities use it. */
export interface AccountAccess {
  readonly name: string;
  /** At least one, all different. A reload can replace them, so read them for each call. */
  readonly tokens: readonly TokenAccess[];
  /** Fairness key in Temporal: hash of the token, or of all tokens when there are several. */
  readonly tokenKey: string;
  /** If Sluice cannot read a write back within this many seconds, it treats the write as not done. */
  readonly settleSeconds: number;
  /** Sinks that receive events about the account. */
  readonly announce: readonly AnnounceRule[];
  /** Rules that decide who has opted out of campaigns. */
  readonly optOut: OptOutConfig;
}

/** Fingerprint of the assumptions about the account. When it changes, Sluice reads unreadable items again. */
export function assumedBy({ tokens }: Pick<AccountAccess, 'tokens'>): string {
  const [first] = tokens;
  return first === undefined ? '' : assumptionsFingerprint(first.client.assumptions, 'all');
}

/** The clock that campaigns use, in milliseconds since 1970. Tests that skip time pass their own. */
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
  /** Counts the calls of each run. */
  readonly calls: CallCounter;
  /** Counts finished work for metrics. @default nothing counts */
  readonly outcomes?: Outcomes;
  readonly log: ActivityLog;
  /**
   * Runs an activity with one configuration from its beginning to its end, whatever is reloaded meanwhile. Only its
   * calls use the newest tokens of their account.
   * @default the configuration never changes
   */
  readonly run?: <T>(work: () => Promise<T>) => Promise<T>;
  /** @throws Error naming the account when the configuration does not have it */
  account(name: string): AccountAccess;
  /** Rules for events about an account; none for an account that the configuration does not have. */
  announce(account: string): readonly AnnounceRule[];
  /** @throws Error naming the sync when the configuration does not have it */
  spec(account: string, sync: string): RunSpec;
  /** @throws Error naming the poller when the configuration does not have it for the account */
  poller(account: string, name: string): PollerConfig;
  /** @throws Error naming the campaign when the configuration does not have it for the account */
  campaign(account: string, name: string): CampaignSpec;
  readonly clock: Clock;
  openSource(config: SourceConfig): Source;
  /** Base folder for the paths of file sources. When set, large files are read and mapped in a separate thread. */
  readonly baseDir?: string;
  compileMapping(config: MappingConfig): Mapping;
  /** @throws Error naming the sink when the configuration does not have it */
  sink(name: string): Sink;
  /** All sinks of the configuration. */
  readonly sinkNames: readonly string[];
  /**
   * Milliseconds between the attempts for one event. After the last attempt the event is dead. Null: Sluice retries
   * without limit until the sink recovers.
   * @throws as `sink`
   */
  sinkRetry(name: string): readonly number[] | null;
}
