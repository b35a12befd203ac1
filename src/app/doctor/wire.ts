// The doctor's connection to an instance: the API client over a dispatcher that allows GET only and counts every
// call. It keeps what the client does not show of the last answer: its body and its Date.
import { type Dispatcher, Pool } from 'undici';
import { type AssumptionOverrides, type CallInfo, MessagingClient } from '../../service/api-client/index.ts';
import { parseAnswer } from '../../service/api-client/readers.ts';
import type { ReadCall } from './findings.ts';

/** Of one answer. */
export interface Seen {
  readonly status: number;
  /** The Date header; null when it is missing or unreadable. */
  readonly date: number | null;
  /** Milliseconds of this machine's clock when the request left and when the answer began. */
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Target of a redirect; null when the answer is not a redirect. */
  readonly location: string | null;
  /** Parsed JSON; undefined when the body is not JSON, or was longer than the cap. */
  readonly json: unknown;
}

export interface Wire {
  /** A client with a token, or with null: without an Authorization header. */
  client(token: string | null, baseUrl?: string): MessagingClient;
  /** The answer to the last call; null when it got none. */
  last(): Seen | null;
  readonly calls: readonly ReadCall[];
  close(): Promise<void>;
}

export interface WireOptions {
  readonly baseUrl: string;
  readonly assumptions: AssumptionOverrides;
  /** Milliseconds for one call. */
  readonly deadlineMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Thrown before anything other than a read is sent. */
class NotReadOnlyError extends Error {
  override readonly name = 'NotReadOnlyError';
}

/** @throws InvalidArgumentError for a base URL that the client refuses */
export function openWire(options: WireOptions): Wire {
  const { baseUrl, assumptions, deadlineMs, now } = options;
  const calls: ReadCall[] = [];
  let last: Seen | null = null;
  const pool = new Pool(new URL(baseUrl).origin, {
    pipelining: 1,
    allowH2: false,
    connect: { timeout: Math.min(deadlineMs, 5_000) },
  });
  const keep = (seen: Seen) => {
    last = seen;
  };
  const onResponse =
    (anonymous: boolean) =>
    ({ method, path, status, code, durationMs }: CallInfo) => {
      calls.push({ method, path, status, code, ms: Math.round(durationMs), anonymous });
    };
  return {
    client: (token, at = baseUrl) =>
      new MessagingClient({
        baseUrl: at,
        // Never sent: the dispatcher removes the header.
        token: token ?? 'none',
        assumptions,
        deadlineMs,
        dispatcher: pool.compose(
          readOnly(token === null, keep, now, () => {
            last = null;
          }),
        ),
        userAgent: 'sluice-doctor',
        onResponse: onResponse(token === null),
      }),
    last: () => last,
    calls,
    close: () => pool.destroy(),
  };
}

function readOnly(
  anonymous: boolean,
  keep: (seen: Seen) => void,
  now: () => number,
  begin: () => void,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (options.method !== 'GET') throw new NotReadOnlyError(`${options.method} is not a read`);
    begin();
    const { authorization, ...others } = options.headers as Record<string, string>;
    const headers = {
      ...others,
      // The body is checked as it arrives.
      'accept-encoding': 'identity',
      ...(anonymous || authorization === undefined ? {} : { authorization }),
    };
    return dispatch({ ...options, headers }, new Recorder(handler, keep, now));
  };
}

class Recorder implements Dispatcher.DispatchHandler {
  readonly #inner: Dispatcher.DispatchHandler;
  readonly #keep: (seen: Seen) => void;
  readonly #now: () => number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #sentAt: number;
  #head: Omit<Seen, 'json' | 'sentAt'> | null = null;

  constructor(inner: Dispatcher.DispatchHandler, keep: (seen: Seen) => void, now: () => number) {
    this.#inner = inner;
    this.#keep = keep;
    this.#now = now;
    this.#sentAt = now();
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#sentAt = this.#now();
    this.#inner.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusMessage?: string,
  ): void {
    if (status >= 200) {
      const date = typeof headers.date === 'string' ? Date.parse(headers.date) : Number.NaN;
      const location = typeof headers.location === 'string' ? headers.location : null;
      this.#head = { status, date: Number.isNaN(date) ? null : date, location, answeredAt: this.#now() };
      this.#report(undefined);
    }
    this.#inner.onResponseStart?.(controller, status, headers, statusMessage);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= MAX_BODY_BYTES) this.#chunks.push(chunk);
    this.#inner.onResponseData?.(controller, chunk);
  }

  onResponseEnd(
    controller: Dispatcher.DispatchController,
    trailers: Record<string, string | string[] | undefined>,
  ): void {
    this.#report(this.#size <= MAX_BODY_BYTES ? parseAnswer(Buffer.concat(this.#chunks)) : undefined);
    this.#inner.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#inner.onResponseError?.(controller, error);
  }

  #report(json: unknown): void {
    if (this.#head !== null) this.#keep({ ...this.#head, sentAt: this.#sentAt, json });
  }
}
