// What the ways in share: a delivery, the route that reads it, and the acceptance of what it read. HTTP and Kafka know
// these shapes and nothing of each other.
import type { RouteConfig } from '../contracts/config/config.ts';
import type { EventDraft } from '../contracts/wire/intake.ts';
import type { RowProblem } from '../contracts/wire/record.ts';

/** One thing that came in, as its transport hands it over. */
export interface Delivery {
  /** CloudEvents name their headers by it, and `kafka.format` of a route is for the one only. */
  readonly via: 'http' | 'kafka';
  /** By name in lower case; of a header that came several times the last. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it came, decompressed. */
  readonly body: Uint8Array;
  /** Present when the sender has signed it: headers then decide nothing that the signature does not cover. */
  readonly signature?: Signature;
  /** Names this delivery where nothing in it does; the same at each redelivery. HTTP has none. */
  readonly fallbackKey?: string;
  /** Values that expressions find under `$event`, beside those of CloudEvents and Debezium. */
  readonly about?: Readonly<Record<string, unknown>>;
}

/** What a valid signature says of a delivery. The body is covered by every one of them. */
export interface Signature {
  /** The id that is signed along with the body (`webhook-id`); null where the signature covers none. */
  readonly id: string | null;
  /** The route lets headers count that the signature does not cover. */
  readonly trustHeaders: boolean;
}

/**
 * A delivery that no repetition makes better: 400 or 422 over HTTP, a dead letter from Kafka. `message` names place and
 * way out, and holds no value.
 */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /**
   * `BAD_ENCODING`, `BAD_JSON`, `TOO_DEEP`, `BAD_EVENT` (CloudEvents, Debezium), `TOMBSTONE` (Kafka: no value), `NO_KEY`, `BAD_ORDER`,
   * `SCHEMA`, `MAPPING`
   */
  readonly code: string;
  /** 400: it can't be read; 422: it is read, and not what the route wants. */
  readonly status: 400 | 422;
  /** Fields with what is wrong with each; `value` is for dead letters and the ledger only. */
  readonly problems: readonly RowProblem[];
  constructor(code: string, status: 400 | 422, message: string, problems: readonly RowProblem[] = []) {
    super(message);
    this.code = code;
    this.status = status;
    this.problems = problems;
  }
}

/** What a route made of a delivery: an event, or nothing to do (a deletion, a change that it does not check). */
export interface ReadDelivery {
  readonly drafts: readonly EventDraft[];
  /** Why there is nothing to do, where there is not. */
  readonly skipped?: string;
}

export interface Route {
  readonly name: string;
  readonly config: RouteConfig;
  /** @throws RefusedError; of several events in one delivery none is taken then */
  read(delivery: Delivery): Promise<ReadDelivery>;
}

/** What came of an event that was accepted. */
export interface Accepted {
  readonly id: string;
  /** It had been accepted before: nothing more happens. */
  readonly duplicate: boolean;
}

/** It can't be taken now: 503 over HTTP, a pause of the partition. Nothing is lost, the sender comes again. */
export class NotAcceptedError extends Error {
  override readonly name = 'NotAcceptedError';
  /** `TEMPORAL`: Temporal; `LEDGER`: the database; `BUSY`: too much is open already; `CLOSING` */
  readonly why: 'TEMPORAL' | 'LEDGER' | 'BUSY' | 'CLOSING';
  /** When it is worth a try again. */
  readonly retryAfterMs: number;
  constructor(why: NotAcceptedError['why'], retryAfterMs: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
    this.retryAfterMs = retryAfterMs;
  }
}

/** How full an account is. */
export interface Load {
  readonly account: string;
  /** Accepted events that have not ended. */
  readonly open: number;
  /** Seconds since the first of them was accepted; null when there is none. */
  readonly oldestSeconds: number | null;
  /** Why nothing more is fetched for now, and perhaps nothing more taken; null while there is room. */
  readonly busy: string | null;
}

export interface Acceptance {
  /**
   * Returns when Temporal has accepted a workflow for each event, in the order given. Events of one subject are
   * accepted in this order.
   * @throws NotAcceptedError: none, some or all of them were accepted; a repetition is safe
   */
  accept(route: Route, drafts: readonly EventDraft[]): Promise<Accepted[]>;
  /** Asked before a partition is read on. @throws NotAcceptedError with `BUSY` while the account has no room, or its budget is far behind */
  requireCapacity(account: string): Promise<void>;
  loads(): Promise<Load[]>;
  /** Does Temporal answer, and the ledger? @throws NotAcceptedError */
  ready(): Promise<void>;
  /** Takes nothing more, and returns when all that is under way has an answer. */
  close(): Promise<void>;
}
