// From an answer to a result or an error: status first, then the body. One place for all endpoints.
import { ApiError, type ApiErrorKind, TransportError, UnexpectedShapeError } from './errors.ts';
import type { Answer } from './exchange.ts';
import { type RateHeaders, readRateHeaders, readRetryAfter } from './rate-headers.ts';
import { isObject, type JsonObject, ShapeMismatch } from './shapes.ts';

/** What identifies a call in errors and reports. */
export interface CallName {
  readonly method: string;
  /** Path template. */
  readonly path: string;
}

export interface ReadOptions {
  /** Never let through into an error, even when the service echoes it. */
  readonly token: string;
  /** Which 2xx are a success. */
  readonly statuses: 'any' | readonly number[];
  /** Epoch milliseconds, for Retry-After dates without a Date header. */
  readonly now: number;
}

export interface ReadAnswer<T> {
  readonly data: T;
  readonly requestId: string | null;
  readonly rate: RateHeaders | null;
}

/** Strict UTF-8, then JSON; undefined when the bytes are neither. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // Both throw on bad input only; their messages quote the body, so they go no further.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A word out of an answer, fit for logs: letters first (so no phone), short, and not the token. */
function word(value: unknown, token: string): string | null {
  if (typeof value !== 'string' || !/^[A-Za-z][\w:.-]{0,99}$/.test(value)) return null;
  return value.includes(token) ? null : value;
}

function requestIdOf(body: unknown, token: string): string | null {
  const value = isObject(body) ? body.requestId : undefined;
  if (typeof value !== 'string' || !/^[\w:.-]{1,200}$/.test(value)) return null;
  return value.includes(token) ? null : value;
}

function kindOf(status: number, code: string | null, body: unknown): ApiErrorKind {
  if (code !== null) return 'coded';
  if (status >= 500) return 'internal';
  return status === 403 && isObject(body) ? 'forbidden' : 'unrecognised';
}

function apiError(call: CallName, answer: Answer, options: ReadOptions): ApiError {
  const { token } = options;
  const body = parseJson(answer.body);
  const fields: JsonObject = isObject(body) ? body : {};
  const code = word(fields.code, token);
  return new ApiError(
    {
      ...call,
      status: answer.status,
      code,
      kind: kindOf(answer.status, code, body),
      requestId: requestIdOf(body, token),
      retryAfterMs: readRetryAfter(answer.headers, fields.retryAfter, options.now),
      requiredScope: word(fields.requiredScope, token),
      ticketId: Number.isSafeInteger(fields.ticketId) ? (fields.ticketId as number) : null,
      param: word(fields.param, token),
      rate: readRateHeaders(answer.headers),
    },
    typeof fields.error === 'string' ? fields.error.replaceAll(token, '[token]') : null,
  );
}

/**
 * Reads an answer. `read` gets the JSON object of a success; `allowEmpty` lets a success without a
 * body through as `{}`, for calls whose response the API text does not show.
 *
 * @throws ApiError, TransportError (`invalid_body`), UnexpectedShapeError
 */
export function readAnswer<T>(
  call: CallName,
  answer: Answer,
  read: (body: JsonObject) => T,
  options: ReadOptions & { readonly allowEmpty: boolean },
): ReadAnswer<T> {
  const { status } = answer;
  if (status >= 400) throw apiError(call, answer, options);
  const body = options.allowEmpty && answer.body.length === 0 ? {} : parseJson(answer.body);
  if (!isObject(body)) {
    throw new TransportError({ ...call, reason: 'invalid_body', sent: true, status, causeCode: null });
  }
  const requestId = requestIdOf(body, options.token);
  const wrong = (at: string, expected: string) =>
    new UnexpectedShapeError({ ...call, at, expected, status, requestId });
  if (options.statuses !== 'any' && !options.statuses.includes(status)) {
    throw wrong('status', `expected one of ${options.statuses.join(', ')}`);
  }
  try {
    return { data: read(body), requestId, rate: readRateHeaders(answer.headers) };
  } catch (error) {
    throw error instanceof ShapeMismatch ? wrong(error.at, error.expected) : error;
  }
}
