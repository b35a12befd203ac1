// Turns an answer into a result or an error: the status first, then the body. All endpoints use it.
import type { AssumptionKey } from './assumption-table.ts';
import { isKnownCode } from './error-codes.ts';
import { ApiError, type ApiErrorKind, TransportError, UnexpectedShapeError } from './errors.ts';
import type { Answer } from './exchange.ts';
import { pathText, valueAt } from './field-spec.ts';
import { isObject, type JsonObject, namesIn } from './json-object.ts';
import { type RateHeaders, readRateHeaders, readRetryAfter } from './rate-headers.ts';
import { parseAnswer } from './readers.ts';
import { ShapeMismatch } from './shapes.ts';

/** What identifies a call in errors and reports. */
export interface CallName {
  readonly method: string;
  /** Path template. */
  readonly path: string;
}

export interface ReadOptions {
  /** Never appears in an error, even if the service echoes it. */
  readonly token: string;
  /** The 2xx statuses that count as success. */
  readonly statuses: 'any' | readonly number[];
  /** Epoch milliseconds, for Retry-After dates without a Date header. */
  readonly now: number;
  /** Field that contains the whole answer. Null: the root (assumption answer.envelope). */
  readonly envelope: readonly string[] | null;
  /** Inputs of the call whose names are assumptions. An error lists those that may have caused it. */
  readonly inputs: readonly AssumptionKey[];
  /**
   * The call is a write: any success means that it took effect, even if the answer contains a word instead of the
   * record.
   */
  readonly isWrite: boolean;
  /** The API text does not show the response, so a 200 may be empty. */
  readonly allowEmpty: boolean;
}

export interface ReadAnswer<T> {
  readonly data: T;
  readonly requestId: string | null;
  readonly rate: RateHeaders | null;
}

/**
 * A word of an answer that is safe to log: it begins with a letter (so it is no phone number), is short and is not
 * the token.
 */
function word(value: unknown, token: string): string | null {
  if (typeof value !== 'string' || !/^[A-Za-z][\w:.-]{0,99}$/.test(value)) return null;
  return value.includes(token) ? null : value;
}

/**
 * A code of the service is in logs, metrics and histories. So a word that could be a name, or digits that could be a
 * number, are none: the API text has codes in capitals only.
 */
function codeOf(value: unknown, token: string): string | null {
  const code = word(value, token);
  return code !== null && /^[A-Z0-9_]+$/.test(code) && !/\d{5}/.test(code) ? code : null;
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

/** Codes of the API text for a missing or wrong input. The input may have another name on this instance. */
const INPUT_CODES = new Set<string>([
  'ERR_CONTACT_IDENTIFIER_REQUIRED',
  'ERR_NUMBER_REQUIRED',
  'ERR_MISSING_NUMBER',
  'ERR_NUMBER_INVALID',
  'ERR_NO_CONTACT_FOUND',
  'ERR_MISSING_CONTENT',
]);

function mayBeInput(status: number, code: string | null): boolean {
  if (status !== 400 && status !== 404 && status !== 422) return false;
  return code === null || INPUT_CODES.has(code) || !isKnownCode(code);
}

function apiError(call: CallName, answer: Answer, options: ReadOptions): ApiError {
  const { token } = options;
  const body = parseAnswer(answer.body);
  const fields: JsonObject = isObject(body) ? body : {};
  const code = codeOf(fields.code, token);
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
      assumptions: mayBeInput(answer.status, code) ? options.inputs : [],
    },
    typeof fields.error === 'string' ? fields.error.replaceAll(token, '[token]') : null,
  );
}

/**
 * Reads an answer. `read` gets the JSON object of a success and its status.
 *
 * @throws ApiError, TransportError (`invalid_body`), UnexpectedShapeError
 */
export function readAnswer<T>(
  call: CallName,
  answer: Answer,
  read: (body: JsonObject, status: number) => T,
  options: ReadOptions,
): ReadAnswer<T> {
  const { status } = answer;
  if (status >= 400) throw apiError(call, answer, options);
  const body = bodyOf(answer, options);
  if (body === undefined) {
    throw new TransportError({ ...call, reason: 'invalid_body', sent: true, status, causeCode: null });
  }
  const requestId = requestIdOf(body, options.token);
  const wrong = ({ at, expected, assumption, seen }: ShapeMismatch) =>
    new UnexpectedShapeError({ ...call, at, expected, status, requestId, assumption, seen });
  if (options.statuses !== 'any' && !options.statuses.includes(status)) {
    throw wrong(
      new ShapeMismatch('status', `expected one of ${options.statuses.join(', ')}`, 'success.statuses'),
    );
  }
  try {
    const inner = unwrapped(body, options);
    return { data: read(inner, status), requestId, rate: readRateHeaders(answer.headers) };
  } catch (error) {
    throw error instanceof ShapeMismatch ? wrong(error) : error;
  }
}

/**
 * Returns the JSON object of a success, or undefined. The answer to a write may be a JSON text, or empty with any
 * status but 200: an empty 200 comes from a proxy that lost the answer.
 */
function bodyOf(answer: Answer, { isWrite, allowEmpty }: ReadOptions): JsonObject | undefined {
  if (isWrite && answer.body.length === 0) return answer.status === 200 && !allowEmpty ? undefined : {};
  const body = parseAnswer(answer.body);
  if (isObject(body)) return body;
  return isWrite && typeof body === 'string' ? {} : undefined;
}

function unwrapped(body: JsonObject, { envelope, isWrite }: ReadOptions): JsonObject {
  if (envelope === null) return body;
  const inner = valueAt(body, envelope);
  if (isObject(inner)) return inner;
  if (isWrite) return body;
  throw new ShapeMismatch(pathText(envelope), 'expected object', 'answer.envelope', namesIn(body));
}
