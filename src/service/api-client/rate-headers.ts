// Reads the rate limit headers (API text, Limits) strictly: an invalid value counts as absent.

/** The rate headers of an answer. `limit` and `remaining` are calls in the current window. */
export interface RateHeaders {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Returns the value of a header, or null if it is absent or sent more than once. */
export function header(headers: AnswerHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : null;
}

function count(headers: AnswerHeaders, name: string): number | null {
  const text = header(headers, name);
  return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : null;
}

/** X-RateLimit-Limit, -Remaining and -Reset (epoch seconds); null unless all three are readable. */
export function readRateHeaders(headers: AnswerHeaders): RateHeaders | null {
  const limit = count(headers, 'x-ratelimit-limit');
  const remaining = count(headers, 'x-ratelimit-remaining');
  const reset = count(headers, 'x-ratelimit-reset');
  if (limit === null || remaining === null || reset === null) return null;
  return { limit, remaining, resetAt: new Date(reset * 1000) };
}

// Date.parse alone would read "apples 5" as a date in 2001.
const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function httpDate(text: string | null): number | null {
  if (text === null || !HTTP_DATE.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

/** Returns the header Date, or null if it is absent or invalid. */
export function readDate(headers: AnswerHeaders): Date | null {
  const time = httpDate(header(headers, 'date'));
  return time === null ? null : new Date(time);
}

/**
 * Returns the milliseconds to wait: Retry-After in seconds or as a date, else the body's `retryAfter` in seconds. It
 * compares a date with the answer's own Date header, so a wrong local clock has no effect.
 */
export function readRetryAfter(headers: AnswerHeaders, bodyField: unknown, now: number): number | null {
  const text = header(headers, 'retry-after');
  if (text !== null && /^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = httpDate(text);
  if (date !== null) return Math.max(0, date - (httpDate(header(headers, 'date')) ?? now));
  const seconds =
    typeof bodyField === 'string' && /^\d{1,9}$/.test(bodyField) ? Number(bodyField) : bodyField;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) return null;
  return Math.ceil(seconds * 1000);
}
