// Messages between the workflow that follows deliveries and its activities. Times are ISO 8601 in UTC.

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
