// What an answer of a receiver means for the event, and for the ones after it.
import { failed, SENT } from './sending.ts';
import { type Sent, SinkError } from './sink.ts';

/** A receiver that asks for more is asked again all the same. */
const MOST_RETRY_AFTER_MS = 3_600_000;

/** Refusals of the endpoint as such: any other event would meet them too, until somebody mends it. */
const REFUSALS: Readonly<Record<number, string>> = {
  401: 'the endpoint refuses the signature: check that it has the secret that signs',
  403: 'the endpoint refuses Sluice: check its secret, and what stands in front of it',
  404: 'the endpoint is not there: check `url`, and whether the receiver is deployed',
  405: 'the endpoint refuses POST: check `url`',
};

export interface ReceiverAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * @param place scheme, host and path of the receiver
 * @param now milliseconds
 */
export function sentByAnswer({ status, retryAfter }: ReceiverAnswer, place: string, now: number): Sent {
  if (status >= 200 && status < 300) return SENT;
  const sinkWide = isSinkWide(status);
  const asked = status === 429 || status === 503 ? retryAfterMs(retryAfter, now) : null;
  const message = `the event was not taken by ${place}: ${meaningOf(status)}`;
  const code = status === 410 ? 'GONE' : `HTTP_${status}`;
  return failed(
    new SinkError(code, message, {
      retryable: status !== 410 && status !== 413,
      sinkWide,
      ...(asked !== null && { retryAfterMs: asked }),
    }),
  );
}

function isSinkWide(status: number): boolean {
  return status < 400 || status >= 500 || status === 410 || status === 429 || status in REFUSALS;
}

function meaningOf(status: number): string {
  const refusal = REFUSALS[status];
  if (refusal !== undefined) return `${refusal} (${status})`;
  if (status < 400)
    return `it redirects (${status}), which is not followed: write the final address in \`url\``;
  if (status === 410)
    return 'it says that the endpoint is gone for good (410): correct `url`, or take the sink out';
  if (status === 413) return 'the event is larger than it takes (413)';
  if (status === 429) return 'it has had too many for now (429)';
  if (status < 500) return `it refuses this event (${status})`;
  return `it is in trouble (${status})`;
}

/** Milliseconds that `Retry-After` asks for, in seconds or as a date, an hour at most; null: it says nothing one can read. */
function retryAfterMs(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? '';
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MOST_RETRY_AFTER_MS);
}

/** Milliseconds; NaN for what is no HTTP date. Date.parse alone takes almost anything for one, "-5" among it. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2,8}, .+ GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
