// What the poller's workflow and its activities say to each other, and what operators see of it. Nothing personal:
// conversations are ids.
import type { ShapeDetails } from './run.ts';

export interface PollerName {
  readonly account: string;
  readonly poller: string;
}

/** Input of the workflow `conversationPolling`; what the next run of it takes over. */
export interface PollingInput extends PollerName {
  /** Milliseconds; the interval as it has adapted. */
  readonly intervalMs?: number;
}

/** Answer of `beginPoll`: how the poller stands, and in whose name its batches call. */
export interface PollerStart {
  /** The run that counts the calls. */
  readonly run: string;
  readonly tokenKey: string;
  readonly callsPerMinute: number;
  /** Somebody has paused it. */
  readonly paused: boolean;
  /** What the account refused last, as far as operators are shown; null: nothing. */
  readonly blocked: PollBlock | null;
}

/**
 * What calls of a poller are for: page 1, messages of what has changed since the poller began, an older page, messages of
 * what is older.
 */
export type PollWork = 'list' | 'read' | 'history' | 'readOld';

/** Calls in a row that failed for a reason that passes. */
export type PollFailures = Readonly<Record<PollWork, number>>;

/** Input of `pollBatch`: what the batch before it has returned, and what to do. Times in milliseconds. */
export interface PollBatchInput extends PollCall {
  /** Until the next poll is due. */
  readonly pollInMs: number;
  readonly intervalMs: number;
  readonly failures: PollFailures;
  /** Read old conversations, too. */
  readonly old: boolean;
  /** End after the first complete poll, and read nothing old. */
  readonly once: boolean;
}

/** What became of the calls for news, or of those for what is old. */
export interface WorkEnd {
  /** Calls that were answered. */
  readonly calls: number;
  readonly block: PollBlock | null;
}

/** Times in milliseconds. */
export interface PollBatchResult {
  /** Polls whose findings are all imported. */
  readonly polls: number;
  readonly pollInMs: number;
  /** Until something old may be read; null: nothing is left. */
  readonly oldInMs: number | null;
  /** The interval as it has adapted. */
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
  /** Set when the service shows something in another form than assumed. */
  readonly shape: ShapeDetails | null;
}

/** Answer of `pollPage`: one page of conversations. */
export interface PageResult {
  /** The page reaches down to what was known: the poll is complete. */
  readonly done: boolean;
  /** Conversations of this page that have changed. */
  readonly changed: number;
  /** Conversations whose messages are to be read, now or later. */
  readonly todo: number;
}

/** Answer of `historyPage`. */
export interface HistoryResult {
  readonly done: boolean;
  readonly found: number;
}

/**
 * Question of `pollOutlook`. `old`: of conversations that were last updated before the poller's first start; they are read
 * beside the others.
 */
export interface OutlookInput extends PollerName {
  readonly limit: number;
  readonly old: boolean;
}

/** Its answer. */
export interface PollOutlook {
  /** Ids of conversations whose messages are to be read now, the one that has waited longest first. */
  readonly reads: readonly number[];
  /** Milliseconds until another is due; null: none. */
  readonly nextMs: number | null;
}

/** Answer of `readMessages`: one page of one conversation. */
export interface ReadResult {
  /** False: an older page of this conversation is still to be read. */
  readonly done: boolean;
  /** Messages that were new. */
  readonly messages: number;
}

/** A stretch of time, or a conversation, of which something may be missing. */
export interface PollGap {
  readonly id: number;
  /** Null: the list of conversations. */
  readonly conversation: number | null;
  readonly code: string;
  readonly reason: string;
  /** Times in ISO 8601, UTC. */
  readonly after: string | null;
  readonly before: string | null;
  readonly seen: number;
  readonly at: string;
}

/** A poller as operators see it; times in ISO 8601, UTC. */
export interface PollerStatus extends PollerName {
  readonly state: 'polling' | 'paused' | 'blocked' | 'stopped';
  readonly blocked: PollBlock | null;
  readonly paused: { readonly by: string; readonly reason: string; readonly at: string } | null;
  /** Messages before this are not told; null: all are. */
  readonly since: string | null;
  readonly watermark: string | null;
  readonly history: boolean;
  /** Conversations known, and those whose messages are still to be read. */
  readonly conversations: number;
  readonly todo: number;
  /** Seconds that the oldest of those has waited; null: none waits. */
  readonly lagSeconds: number | null;
  readonly polls: number;
  readonly calls: number;
  readonly messages: number;
  readonly gaps: number;
  /** Conversations of which something could not be read. */
  readonly unread: number;
  readonly polledAt: string | null;
  readonly newsAt: string | null;
  readonly startedAt: string;
}
