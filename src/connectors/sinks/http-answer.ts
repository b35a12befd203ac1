// Maps a receiver's answer to the outcome of the event, and decides whether later events would meet the same answer.
import { failed, SENT } from './sending.ts';
import { type Sent, SinkError } from './sink.ts';

/** Upper limit of a receiver's Retry-After. Sluice retries after this time even if the receiver asks for more. */
const MOST_RETRY_AFTER_MS = 3_600_000;

/** Refusals by the endpoint as a whole. Every event gets the same answer until somebody fixes the cause. */
const REFUSALS: Readonly<Record<number, string>> = {
  401: 'the endpoint rejects the signature; check that both sides use the same secret',
  403: 'the endpoint rejects Sluice; check its secret and any proxy in front of it',
  404: 'the endpoint does not exist; check `url` and whether the receiver is deployed',
  405: 'the endpoint rejects POST; check `url`',
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
  const message = `${place} did not accept the event: ${meaningOf(status)}`;
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
    return `it redirects (${status}), and Sluice does not follow redirects; set \`url\` to the final address`;
  if (status === 410) return 'the endpoint is permanently gone (410); correct `url` or remove the sink';
  if (status === 413) return 'the event is larger than it accepts (413)';
  if (status === 429) return 'it received too many requests (429)';
  if (status < 500) return `it rejects this event (${status})`;
  return `it reports an error of its own (${status})`;
}

/**
 * Milliseconds that `Retry-After` asks for, at most one hour. The header holds seconds or a date. Null if it is missing
 * or unreadable.
 */
function retryAfterMs(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? '';
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MOST_RETRY_AFTER_MS);
}

/** Milliseconds, or NaN if the text is not an HTTP date. Date.parse alone accepts almost any text, "-5" included. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2,8}, .+ GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
