// The interface between transports and routes: a delivery, the route that reads it, and the acceptance of the result.
// HTTP and Kafka both use these types and do not know each other.

import type { RowProblem } from '../../../core/record.ts';
import type { RouteConfig } from '../config.ts';
import type { EventDraft } from '../contract/intake.ts';
import type { RefusalCode } from '../contract/refusals.ts';

/** One incoming item, as its transport hands it over. */
export interface Delivery {
  /** CloudEvents name their headers by transport, and a route's `kafka.format` applies to Kafka only. */
  readonly via: 'http' | 'kafka';
  /** Headers by lower-case name. For a repeated header, the last value. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it arrived, decompressed. */
  readonly body: Uint8Array;
  /** Present if the sender signed the delivery. Headers that the signature does not cover then decide nothing. */
  readonly signature?: Signature;
  /** Key of a delivery that contains none, the same for each redelivery. HTTP has none. */
  readonly fallbackKey?: string;
  /** Values that expressions find under `$event`, beside those of CloudEvents and Debezium. */
  readonly about?: Readonly<Record<string, unknown>>;
}

/** What a valid signature covers. Every signature covers the body. */
export interface Signature {
  /** The id that is signed together with the body (`webhook-id`). Null if the signature covers none. */
  readonly id: string | null;
  /** The route trusts headers that the signature does not cover. */
  readonly trustHeaders: boolean;
}

/**
 * A delivery that a retry cannot fix: 400 or 422 over HTTP, a dead letter from Kafka. `message` names the place and the
 * fix, and contains no value.
 */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: RefusalCode;
  /** 400: the delivery is unreadable. 422: it is readable but does not fit the route. */
  readonly status: 400 | 422;
  /** Fields and what is wrong with each. `value` is for dead letters and the ledger only. */
  readonly problems: readonly RowProblem[];
  constructor(code: RefusalCode, status: 400 | 422, message: string, problems: readonly RowProblem[] = []) {
    super(message);
    this.code = code;
    this.status = status;
    this.problems = problems;
  }
}

/** What a route read in a delivery: events, or nothing to do (a deletion, a change that the route ignores). */
export interface ReadDelivery {
  readonly drafts: readonly EventDraft[];
  /** Why there is nothing to do, if so. */
  readonly skipped?: string;
}

export interface Route {
  readonly name: string;
  readonly config: RouteConfig;
  /** @throws RefusedError; then no event of the delivery is accepted */
  read(delivery: Delivery): Promise<ReadDelivery>;
}

/** Outcome of an accepted event. */
export interface Accepted {
  readonly id: string;
  /** Sluice accepted it before and does nothing more. */
  readonly duplicate: boolean;
}

/**
 * Thrown while Sluice cannot accept an event: 503 over HTTP, a paused partition in Kafka. Nothing is lost, the sender
 * retries.
 */
export class NotAcceptedError extends Error {
  override readonly name = 'NotAcceptedError';
  /**
   * `TEMPORAL`: Temporal does not answer; `LEDGER`: the database does not; `BUSY`: too much is open; `CLOSING`:
   * shutting down
   */
  readonly why: 'TEMPORAL' | 'LEDGER' | 'BUSY' | 'CLOSING';
  /** When to retry. */
  readonly retryAfterMs: number;
  /** A start was in progress, and nobody knows yet whether Temporal has accepted it. */
  readonly mayTakeEffect: boolean;
  constructor(
    why: NotAcceptedError['why'],
    retryAfterMs: number,
    message: string,
    { mayTakeEffect = false, ...options }: ErrorOptions & { readonly mayTakeEffect?: boolean } = {},
  ) {
    super(message, options);
    this.why = why;
    this.retryAfterMs = retryAfterMs;
    this.mayTakeEffect = mayTakeEffect;
  }
}

/** Load of an account. */
export interface Load {
  readonly account: string;
  /** Accepted events that have not ended. */
  readonly open: number;
  /** Age of the oldest open event in seconds. Null if there is none. */
  readonly oldestSeconds: number | null;
  /** Why Sluice fetches no more for now, and may refuse more. Null while there is capacity. */
  readonly busy: string | null;
}

export interface Acceptance {
  /**
   * Returns after Temporal has accepted a workflow for each event, in the given order. Events of one subject are
   * accepted in this order.
   * @param how `waits`: the caller waits however long it takes. Otherwise, events that cannot be accepted within
   * `ANSWER_MS` of `arrivedAt` are refused with `BUSY`. Default: false, now.
   * @throws NotAcceptedError: none, some or all of them were accepted; a retry is safe
   */
  accept(
    route: Route,
    drafts: readonly EventDraft[],
    how?: { readonly waits?: boolean; readonly arrivedAt?: number },
  ): Promise<Accepted[]>;
  /**
   * Called before a partition is read further. @throws NotAcceptedError with `BUSY` while the account has no capacity,
   * or its budget is far behind
   */
  requireCapacity(account: string): Promise<void>;
  loads(): Promise<Load[]>;
  /** Checks that Temporal and the ledger answer. @throws NotAcceptedError */
  ready(): Promise<void>;
  /** Accepts nothing more, and returns when everything in progress has an answer. */
  close(): Promise<void>;
}
