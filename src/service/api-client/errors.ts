// The errors of the client. None of them contains the token, a request body or the underlying error: a nested cause
// could bring answer bytes into a log. They keep the code of a cause as `causeCode`.
import type { AssumptionKey } from './assumption-table.ts';
import { type ErrorCode, isKnownCode } from './error-codes.ts';
import type { RateHeaders } from './rate-headers.ts';
import { TOO_LARGE } from './schemas/fields.ts';

/**
 * - `coded`: the body had a code (branch on `code`).
 * - `internal`: 5xx without a code. Transient; retry with backoff.
 * - `forbidden`: 403 without a code: a feature outside the plan, or the storage limit was reached.
 * - `unrecognised`: any other answer without a code, for example a proxy's page.
 */
export type ApiErrorKind = 'coded' | 'internal' | 'forbidden' | 'unrecognised';

export interface ApiErrorFields {
  readonly method: string;
  /** Path template, for example `/v1/contacts/{contactId}`: never the real ids. */
  readonly path: string;
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly kind: ApiErrorKind;
  readonly requestId: string | null;
  /** Milliseconds to wait, from Retry-After or the body's `retryAfter`; null when absent or garbage. */
  readonly retryAfterMs: number | null;
  /** With ERR_SCOPE_MISSING. */
  readonly requiredScope: string | null;
  /** With ERR_TICKET_IN_HUMAN_SERVICE. */
  readonly ticketId: number | null;
  /** With ERR_INVALID_DATE_FILTER. */
  readonly param: string | null;
  readonly rate: RateHeaders | null;
  /**
   * Assumptions that this call relied on, if one of them may have caused the refusal: a 400, 404 or 422 without a
   * code, with a code that the API text does not list, or with a code for a missing input. Otherwise empty.
   */
  readonly assumptions?: readonly AssumptionKey[] | undefined;
}

/** The second half of a message about a refusal: whether the API text lists the code, and the possible causes. */
export function refusalHint({
  code,
  kind,
  assumptions = [],
}: Pick<ApiErrorFields, 'code' | 'kind' | 'assumptions'>): string {
  const unlisted = kind === 'coded' && code !== null && !isKnownCode(code);
  const what = unlisted ? ', a code that the API text does not list' : '';
  if (assumptions.length === 0) return what;
  return `${what}; if an input has another name there, set ${assumptions.map(overrideOf).join(' or ')}`;
}

/** Thrown when the service answers with an error status (API text, Errors). */
export class ApiError extends Error implements ApiErrorFields {
  override readonly name = 'ApiError';
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly kind: ApiErrorKind;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly requiredScope: string | null;
  readonly ticketId: number | null;
  readonly param: string | null;
  readonly rate: RateHeaders | null;
  readonly assumptions: readonly AssumptionKey[];
  readonly #detail: string | null;

  constructor(fields: ApiErrorFields, detail: string | null) {
    const { method, path, status, code, kind } = fields;
    super(`${method} ${path} answered ${status} ${code ?? `(${kind})`}${refusalHint(fields)}`);
    this.method = fields.method;
    this.path = fields.path;
    this.status = fields.status;
    this.code = fields.code;
    this.kind = fields.kind;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
    this.requiredScope = fields.requiredScope;
    this.ticketId = fields.ticketId;
    this.param = fields.param;
    this.rate = fields.rate;
    this.assumptions = fields.assumptions ?? [];
    this.#detail = detail;
  }

  /**
   * The service's own text. It may echo personal data, so it is for the operator and the ledger, never for logs. It
   * is not enumerable, so neither JSON nor `util.inspect` shows it.
   */
  get detail(): string | null {
    return this.#detail;
  }
}

/**
 * - `connect`: no connection (refused, DNS, TLS, connect timeout).
 * - `reset`: the connection ended before the answer was complete.
 * - `timeout`: the deadline of the whole call passed.
 * - `aborted`: the caller's signal, or a closed client.
 * - `body_too_large`: the decoded answer is over the cap.
 * - `redirect`: a 3xx answer. The client never follows it, so the token stays with its host.
 * - `invalid_body`: an answer that is not a JSON object, or not even HTTP.
 * - `upload`: a media file could not be read to its end, or its length differs from its `size`.
 */
export type TransportReason =
  | 'connect'
  | 'reset'
  | 'timeout'
  | 'aborted'
  | 'body_too_large'
  | 'redirect'
  | 'invalid_body'
  | 'upload';

export interface TransportErrorFields {
  readonly method: string;
  readonly path: string;
  readonly reason: TransportReason;
  /** False only if it is certain that no byte of the request was sent. */
  readonly sent: boolean;
  /** Null if no status line was received. */
  readonly status: number | null;
  /** Code of the underlying error, for example `ECONNREFUSED`. */
  readonly causeCode: string | null;
}

const WAY_OUT: Record<TransportReason, string> = {
  connect: 'no connection to the service; check baseUrl and the network',
  reset: 'the connection ended before the answer was complete',
  timeout: 'the deadline of the call passed; see deadlineMs',
  aborted: 'the call was aborted',
  body_too_large: 'the answer is larger than maxBodyBytes',
  redirect:
    'the service redirects, and the client does not follow redirects; set baseUrl to the final address',
  invalid_body: 'the answer does not come from the API; check that baseUrl is the API (it ends in /wapi)',
  upload: 'a media file could not be read to its end, or its length differs from its size; check medias',
};

/** Thrown when there is no usable answer. */
export class TransportError extends Error implements TransportErrorFields {
  override readonly name = 'TransportError';
  readonly method: string;
  readonly path: string;
  readonly reason: TransportReason;
  readonly sent: boolean;
  readonly status: number | null;
  readonly causeCode: string | null;

  constructor(fields: TransportErrorFields) {
    const seen = fields.status === null ? '' : `, status ${fields.status}`;
    const cause = fields.causeCode === null ? '' : ` [${fields.causeCode}]`;
    const sent = fields.sent ? 'the request may have been processed' : 'nothing was sent';
    super(`${fields.method} ${fields.path}: ${WAY_OUT[fields.reason]} (${sent}${seen})${cause}`);
    this.method = fields.method;
    this.path = fields.path;
    this.reason = fields.reason;
    this.sent = fields.sent;
    this.status = fields.status;
    this.causeCode = fields.causeCode;
  }
}

export interface ShapeErrorFields {
  readonly method: string;
  readonly path: string;
  /** Where in the answer, for example `contact.id` or `cards[3].stage`. */
  readonly at: string;
  /** What the API text promises there. */
  readonly expected: string;
  readonly status: number;
  readonly requestId: string | null;
  /** The assumption to override. Null if the API text promises the missing field. */
  readonly assumption?: AssumptionKey | null | undefined;
  /** Names of the fields in that place: never a value. */
  readonly seen?: readonly string[] | undefined;
}

/**
 * The key of sluice.yaml that overrides an assumption, for an answer that does not fit it.
 * @example overrideOf('message.fromMeField') // accounts.<name>.assumptions: { message.fromMeField: … }
 */
export function overrideOf(assumption: AssumptionKey): string {
  return `accounts.<name>.assumptions: { ${assumption}: … }`;
}

/** The second half of a message about a shape: what was found instead, and the fix. */
export function shapeHint({
  assumption,
  seen,
}: {
  assumption: AssumptionKey | null;
  seen: readonly string[];
}): string {
  const fields = seen.length === 0 ? '' : `; the fields there are ${seen.join(', ')}`;
  const wayOut =
    assumption === null
      ? 'no assumption covers this'
      : `if the service is right, set ${overrideOf(assumption)}`;
  return `${fields}; ${wayOut}`;
}

/**
 * Thrown when a success lacks a field that the API text promises or that an assumption expects. The call took effect.
 */
export class UnexpectedShapeError extends Error {
  override readonly name = 'UnexpectedShapeError';
  readonly sent = true;
  readonly method: string;
  /** Path template of the call. */
  readonly endpoint: string;
  /** Where in the answer. */
  readonly path: string;
  readonly expected: string;
  readonly status: number;
  readonly requestId: string | null;
  /** The assumption to override. Null if the API text promises the missing field. */
  readonly assumption: AssumptionKey | null;
  /** Names of the fields in that place, those of nested objects as paths: at most 24, masked where personal. */
  readonly seen: readonly string[];

  constructor(fields: ShapeErrorFields) {
    const { assumption = null, seen = [] } = fields;
    super(
      `${fields.method} ${fields.path} answered ${fields.status}, but ${fields.at}: ${fields.expected}` +
        shapeHint({ assumption, seen }),
    );
    this.method = fields.method;
    this.endpoint = fields.path;
    this.path = fields.at;
    this.expected = fields.expected;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.assumption = assumption;
    this.seen = seen;
  }

  /** True if the error affects every record of the account: an assumption is wrong, or ids are too large to keep. */
  get isAccountWide(): boolean {
    return this.assumption !== null || this.expected === TOO_LARGE;
  }
}

/** Thrown before a call is spent, for an argument that the service would refuse or misread. */
export class InvalidArgumentError extends Error {
  override readonly name = 'InvalidArgumentError';
  readonly field: string;

  /** `wayOut` completes the sentence "<field> is <value>: …". */
  constructor(field: string, value: unknown, wayOut: string) {
    super(`${field} is ${showValue(value)}: ${wayOut}`);
    this.field = field;
  }
}

/** Seven or more digits may be a phone number, however they are grouped. A leading date is not counted. */
function seemsPrivate(text: string): boolean {
  const withoutDate = text.replace(/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?/, '');
  return /svc_/.test(text) || /\d{7,}/.test(withoutDate.replace(/[^\w]/g, ''));
}

/** Formats a value for a message. It describes text that may be a phone number, an address or a token. */
/** Replaces a text that an error must not show. */
export const HIDDEN = Symbol('not shown');

function showValue(value: unknown): string {
  if (value === HIDDEN) return 'an unusable text (not shown)';
  if (value === undefined || value === null || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString();
  if (typeof value === 'object') return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    return `a ${typeof value}`;
  }
  const text = String(value);
  const harmless = text.length <= 40 && /^[\w.:+ -]*$/.test(text) && !seemsPrivate(text);
  const kind = typeof value === 'string' ? 'text' : typeof value;
  return harmless ? JSON.stringify(text) : `a ${kind} of ${text.length} characters (not shown)`;
}

/**
 * Returns whether a failed call may have taken effect. Callers must reconcile before they repeat a call that is not
 * idempotent (card create, message send, flow trigger). An unknown error counts as ambiguous, because it may have
 * occurred after the request was sent.
 */
export function isAmbiguous(error: unknown): boolean {
  if (error instanceof TransportError) return error.sent;
  if (error instanceof ApiError) return error.status >= 500;
  return !(error instanceof InvalidArgumentError);
}
