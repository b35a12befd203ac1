// The outbox as operators see it, and what its workflow and activities say to each other. Times in ISO 8601, UTC.

/** Answer of `outboxBatch`: one batch of a sink. */
export interface OutboxBatchResult {
  readonly sent: number;
  /** Milliseconds until something is due; null: nothing waits. */
  readonly nextMs: number | null;
}

/** What an operator means: those that the filter lets through. */
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
  /** Ids as `OutboxEntry.id`; these, whatever the rest says. */
  readonly ids?: readonly string[];
  readonly limit: number;
}

/** One event for one sink; what it says of people stays in the ledger. */
export interface OutboxEntry {
  /** `{sink}/{seq}` */
  readonly id: string;
  readonly sink: string;
  readonly account: string;
  readonly stream: string;
  readonly type: string;
  /** Id of the event; of a message, with a short hash in place of its key: this passes through Temporal. */
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
  /** Seconds that the oldest event has waited; null: none waits. */
  readonly lagSeconds: number | null;
  readonly sent: number;
  readonly sentAt: string | null;
}
