// Messages between the poller's workflow and its activities. They contain no personal data: conversations are ids.
import type { ShapeDetails } from '../../sync/contract/run.ts';

export interface PollerName {
  readonly account: string;
  readonly poller: string;
}

/** Input of the workflow `conversationPolling`, also when it continues as new. */
export interface PollingInput extends PollerName {
  /** The adapted interval, in milliseconds. */
  readonly intervalMs?: number;
}

/** Result of `beginPoll`: the poller's state, and what its batches need for their calls. */
export interface PollerStart {
  /** Run that counts the calls. */
  readonly run: string;
  readonly tokenKey: string;
  readonly callsPerMinute: number;
  /** An operator has paused the poller. */
  readonly paused: boolean;
  /** What the account refused last, as operators see it; null if nothing. */
  readonly blocked: PollBlock | null;
}

/**
 * Purpose of a poller's calls: page 1, messages of conversations that changed since the poller began, an older page,
 * messages of older conversations.
 */
export type PollWork = 'list' | 'read' | 'history' | 'readOld';

/** Number of temporary failures in a row. */
export type PollFailures = Readonly<Record<PollWork, number>>;

/** Input of `pollBatch`: the result of the previous batch, and what to do. Times are in milliseconds. */
export interface PollBatchInput extends PollCall {
  /** Time until the next poll is due. */
  readonly pollInMs: number;
  readonly intervalMs: number;
  readonly failures: PollFailures;
  /** Also read old conversations. */
  readonly old: boolean;
  /** End after the first complete poll, and read nothing old. */
  readonly once: boolean;
}

/** Result of the calls for new messages, or for old conversations. */
export interface WorkEnd {
  /** Calls that the service answered. */
  readonly calls: number;
  readonly block: PollBlock | null;
}

/** Times are in milliseconds. */
export interface PollBatchResult {
  /** Polls whose findings have all been imported. */
  readonly polls: number;
  readonly pollInMs: number;
  /** Time until an old conversation may be read; null if none is left. */
  readonly oldInMs: number | null;
  /** The adapted interval. */
  readonly intervalMs: number;
  readonly failures: PollFailures;
  readonly news: WorkEnd;
  readonly old: WorkEnd;
}

export interface PollCall extends PollerName {
  readonly run: string;
}

/** Why a poller waits for an operator. */
export interface PollBlock {
  readonly code: string;
  readonly reason: string;
  /** Set if the service's response differs from the assumed shape. */
  readonly shape: ShapeDetails | null;
}

/** Result of `pollPage`: one page of conversations. */
export interface PageResult {
  /** The page reaches what was already known, so the poll is complete. */
  readonly done: boolean;
  /** Number of conversations on this page that have changed. */
  readonly changed: number;
  /** Number of conversations whose messages must be read, now or later. */
  readonly todo: number;
}

/** Result of `historyPage`. */
export interface HistoryResult {
  readonly done: boolean;
  readonly found: number;
}

/**
 * Query of `pollOutlook`. `old` selects conversations that were last updated before the poller's first start. They
 * are read in addition to the others.
 */
export interface OutlookInput extends PollerName {
  readonly limit: number;
  readonly old: boolean;
}

/** Result of `pollOutlook`. */
export interface PollOutlook {
  /** Ids of conversations whose messages can be read now, longest wait first. */
  readonly reads: readonly number[];
  /** Milliseconds until another one is due; null if none is. */
  readonly nextMs: number | null;
}

/** Result of `readMessages`: one page of one conversation. */
export interface ReadResult {
  /** False if an older page of this conversation remains to be read. */
  readonly done: boolean;
  /** Number of new messages. */
  readonly messages: number;
}
