// The outbox as operators see it, and the messages between its workflow and activities. Times are ISO 8601 in UTC.

/** Result of `outboxBatch`: one batch of a sink. */
export interface OutboxBatchResult {
  readonly sent: number;
  /** Milliseconds until an event is due; null if none waits. */
  readonly nextMs: number | null;
}

/** An operator's command on the events that the filter selects. */
export interface OutboxCommand {
  readonly filter: OutboxFilter;
  readonly by: string;
}

export interface OutboxFilter {
  readonly sinks?: readonly string[];
  readonly account?: string;
  readonly states: readonly ('waiting' | 'dead')[];
  readonly types?: readonly string[];
  readonly codes?: readonly string[];
  /** Selects exactly these ids (see `OutboxEntry.id`); the rest of the filter is ignored. */
  readonly ids?: readonly string[];
  readonly limit: number;
}

/** One event for one sink. Its content stays in the ledger, because it may be personal data. */
export interface OutboxEntry {
  /** `{sink}/{seq}` */
  readonly id: string;
  readonly sink: string;
  readonly account: string;
  readonly stream: string;
  readonly type: string;
  /** Id of the event. A short hash replaces the key of a message, because this passes through Temporal. */
  readonly eventId: string;
  readonly state: 'waiting' | 'dead';
  readonly attempts: number;
  readonly nextAt: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly createdAt: string;
  readonly triedAt: string | null;
}

export interface SinkStatus {
  readonly sink: string;
  readonly circuit: 'closed' | 'open';
  readonly openUntil: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly waiting: number;
  readonly dead: number;
  /** Seconds that the oldest event has waited; null if none waits. */
  readonly lagSeconds: number | null;
  readonly sent: number;
  readonly sentAt: string | null;
}
