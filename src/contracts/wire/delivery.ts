// Messages between the workflow that follows deliveries and its activities, and what operators see of them. Times are
// ISO 8601 in UTC.

/** Input of the workflow `deliveryWatch`; there is one per account. */
export interface DeliveryWatchInput {
  readonly account: string;
}

/** Result of `beginDelivery`. */
export interface DeliveryStart {
  /** Run that counts the calls. */
  readonly run: string;
  readonly tokenKey: string;
  readonly callsPerMinute: number;
}

export interface DeliveryBatchInput extends DeliveryWatchInput {
  readonly run: string;
}

/** Result of `deliveryBatch`. It identifies no message, because ids of a channel may contain a phone number. */
export interface DeliveryBatchResult {
  /** Number of messages and conversations checked. */
  readonly checks: number;
  /** Milliseconds until the next check; 0 if one is due, null if no message is followed. */
  readonly nextMs: number | null;
  /** Why the account refuses to show messages; null if it does not. */
  readonly refused: string | null;
}

export interface DeliveryFilter {
  /** Selects messages that this event sent. */
  readonly event?: string;
  readonly account?: string;
  /** Selects messages that are still followed (true), or no longer (false). */
  readonly open?: boolean;
  readonly limit: number;
}

/** A message that Sluice sent. It passes through Temporal, so it contains no id that may contain a phone number. */
export interface DeliveryEntry {
  readonly event: string;
  readonly account: string;
  /** Short hash of the message's id. */
  readonly message: string;
  readonly conversation: number | null;
  /** API text, Message status. */
  readonly status: string;
  readonly ack: number | null;
  readonly sentAt: string;
  /** When its status was last read. */
  readonly checkedAt: string | null;
  /** When it is checked next; null if it is no longer followed. */
  readonly nextAt: string | null;
  readonly deadline: string;
  /** Why checks ended, unless its status shows it: `DEADLINE`, `NOT_FOUND`, or a code of the API. */
  readonly endCode: string | null;
}
