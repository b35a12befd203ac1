// What the workflow that follows deliveries and its activities say to each other, and what operators see of it. Times in
// ISO 8601, UTC.

/** Input of the workflow `deliveryWatch`: one an account. */
export interface DeliveryWatchInput {
  readonly account: string;
}

/** Answer of `nextDelivery`. Messages go by no name here: ids of a channel may hold the number that they were sent to. */
export interface DeliveryTurn {
  /** Milliseconds until a message is to be looked at; 0: now; null: none is followed. */
  readonly nextMs: number | null;
  /** How to look; null while none is due. */
  readonly look: {
    /** The run that counts the call. */
    readonly run: string;
    readonly tokenKey: string;
    readonly callsPerMinute: number;
  } | null;
}

export interface DeliveryLookInput extends DeliveryWatchInput {
  readonly run: string;
}

export interface DeliveryFilter {
  /** Messages that this event had sent. */
  readonly event?: string;
  readonly account?: string;
  /** Only those that are followed still (true), or no more (false). */
  readonly open?: boolean;
  readonly limit: number;
}

/** A message that Sluice sent. This passes through the engine, so it goes by no id that may hold the number. */
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
  /** When it is looked at next; null: no more. */
  readonly nextAt: string | null;
  readonly deadline: string;
  /** Why nobody looks any more, where that is not its status: `DEADLINE`, `NOT_FOUND`, or a code of the API. */
  readonly endCode: string | null;
}
