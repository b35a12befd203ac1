// Messages between the workflow of the outbox and its activities.

/** Result of `outboxBatch`: one batch of a sink. */
export interface OutboxBatchResult {
  readonly sent: number;
  /** Milliseconds until an event is due; null if none waits. */
  readonly nextMs: number | null;
}
