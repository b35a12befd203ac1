// What the workflow that follows deliveries and its activities say to each other, and what operators see of it. Times in
// ISO 8601, UTC.

/** Input of the workflow `deliveryWatch`: one an account. */
export interface DeliveryWatchInput {
  readonly account: string;
}

/** Answer of `beginDelivery`: in whose name the batches call. */
export interface DeliveryStart {
  /** The run that counts the calls. */
  readonly run: string;
  readonly tokenKey: string;
  readonly callsPerMinute: number;
}

export interface DeliveryBatchInput extends DeliveryWatchInput {
  readonly run: string;
}

/** Answer of `deliveryBatch`. Messages go by no name here: ids of a channel may hold the number that they were sent to. */
export interface DeliveryBatchResult {
  /** Messages and conversations that were checked. */
  readonly checks: number;
  /** Milliseconds until a message is to be checked; 0: now; null: none is followed. */
  readonly nextMs: number | null;
  /** Why the account shows nothing, as operators read it; null while it does. */
  readonly refused: string | null;
}

export interface DeliveryFilter {
  /** Messages that this event had sent. */
  readonly event?: string;
  readonly account?: string;
  /** Only those that are followed still (true), or no more (false). */
  readonly open?: boolean;
  readonly limit: number;
}

/** A message that Sluice sent. This passes through Temporal, so it goes by no id that may hold the number. */
export interface DeliveryEntry {
  readonly event: string;
  readonly account: string;
  /** Short hash of its id. */
  readonly message: string;
  readonly conversation: number | null;
  /** API text, Message status. */
  readonly status: string;
  readonly ack: number | null;
  readonly sentAt: string;
  /** When its status was last seen. */
  readonly checkedAt: string | null;
  /** When it is checked next; null: no more. */
  readonly nextAt: string | null;
  readonly deadline: string;
  /** Why nobody checks any more, where that is not its status: `DEADLINE`, `NOT_FOUND`, or a code of the API. */
  readonly endCode: string | null;
}
