// The error catalogue: every code of the API text with its status and human text, and the few codes that the sandbox
// adds because the API text shows none.

/** API text, "Errors". A null text: the message is the code itself, as for about 22 codes of the service. */
const TEXT_CODES = {
  ERR_TOKEN_MISSING: [401, 'Access token is missing'],
  ERR_TOKEN_INVALID: [401, 'Access token is not valid'],
  ERR_TOKEN_REVOKED: [401, 'Access token was revoked'],
  ERR_TOKEN_EXPIRED: [401, 'Access token has expired'],
  ERR_SCOPE_MISSING: [403, 'Access token lacks the scope that this call requires'],
  ERR_RATE_LIMITED: [429, 'Too many requests with this token'],
  ERR_MISSING_CONTENT: [400, 'One of body, medias and templateData is required'],
  ERR_NUMBER_REQUIRED: [400, 'number is required'],
  ERR_NUMBER_INVALID: [400, 'number has no valid digits'],
  ERR_CONNECTION_NOT_FOUND: [404, 'Connection not found'],
  ERR_NO_CONNECTION_AVAILABLE: [404, 'No whatsapp or waba connection is available'],
  ERR_UNSUPPORTED_CHANNEL: [400, 'The channel of this connection is not supported here'],
  ERR_NO_TICKET_FOUND: [404, null],
  ERR_MESSAGE_NOT_FOUND: [404, null],
  ERR_MISSING_NUMBER: [400, null],
  ERR_NUMBER_NOT_ON_WHATSAPP: [422, 'The number is not on the chat network'],
  ERR_WHATSAPP_NOT_FOUND: [404, null],
  ERR_NO_CONTACT_FOUND: [404, null],
  ERR_NUMBER_IMMUTABLE: [400, null],
  ERR_INVALID_TAG_IDS: [400, null],
  ERR_INVALID_TAGMODE: [400, null],
  ERR_INVALID_DATE_FILTER: [400, 'A date filter needs a date, a time and an offset'],
  ERR_NO_CARD_FOUND: [404, null],
  ERR_CONTACT_IDENTIFIER_REQUIRED: [400, null],
  ERR_PIPELINE_NOT_FOUND: [404, null],
  ERR_STAGE_REQUIRED: [400, null],
  ERR_STAGE_NOT_FOUND: [404, null],
  ERR_STAGE_NOT_IN_PIPELINE: [422, null],
  ERR_SOURCE_NOT_FOUND: [404, null],
  ERR_SOURCE_REQUIRED_FOR_STAGE: [400, null],
  ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED: [400, null],
  ERR_VARIABLES_MUST_BE_OBJECT: [400, null],
  ERR_FLOW_NOT_FOUND: [404, null],
  ERR_FLOW_NOT_EXECUTABLE: [422, null],
  ERR_TICKET_IN_HUMAN_SERVICE: [409, 'The contact is in active human service'],
  ERR_FEATURE_NOT_AVAILABLE: [403, null],
  ERR_STORAGE_LIMIT_REACHED: [403, null],
  ERR_DUPLICATED_CONTACT: [400, null],
  ERR_CONTACT_NUMBER_IS_LID: [400, null],
} as const satisfies Record<string, readonly [number, string | null]>;

/** Not in the API text: the sandbox's own answers for cases without a documented code or status. */
const CHOSEN_CODES = {
  ERR_INVALID_JSON: [400, 'The request body is not valid JSON'],
  ERR_INVALID_BODY: [400, 'A field of the request body has the wrong type'],
  ERR_BAD_REQUEST: [400, 'The request cannot be read'],
  ERR_BODY_TOO_LARGE: [413, 'The request body is too large'],
  ERR_UNSUPPORTED_ENCODING: [415, 'The encoding of the request body is not supported'],
  ERR_ROUTE_NOT_FOUND: [404, 'No such path and method in this API'],
  ERR_INVALID_MULTIPART: [400, 'The multipart body cannot be read'],
  ERR_WEBHOOK_NOT_FOUND: [404, 'Webhook not found'],
  ERR_WEBHOOK_TOKEN_INVALID: [401, 'The token of this webhook is missing or wrong'],
} as const satisfies Record<string, readonly [number, string | null]>;

const CATALOGUE = { ...TEXT_CODES, ...CHOSEN_CODES };
export type ErrorCode = keyof typeof CATALOGUE;

/** Codes that the service leaves out of the body today (API text, "Errors"). */
const CODELESS: ReadonlySet<ErrorCode> = new Set(['ERR_FEATURE_NOT_AVAILABLE', 'ERR_STORAGE_LIMIT_REACHED']);

/** The fixed generic text of a 500; such a body has no code. */
export const INTERNAL_ERROR = { error: 'Internal server error' } as const;

/** Thrown by a rule or a route to refuse the request. The answer has the flat envelope of the API text. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ErrorCode;
  readonly status: number;
  readonly extras: Readonly<Record<string, unknown>>;
  constructor(
    code: ErrorCode,
    options: { status?: number; text?: string; extras?: Record<string, unknown> } = {},
  ) {
    const [status, text] = CATALOGUE[code];
    super(options.text ?? text ?? code);
    this.code = code;
    this.status = options.status ?? status;
    this.extras = options.extras ?? {};
  }

  /** The wire body: {error, code, ...extras}, flat; without code for the codeless two. */
  get body(): Record<string, unknown> {
    return CODELESS.has(this.code)
      ? { error: this.message, ...this.extras }
      : { error: this.message, code: this.code, ...this.extras };
  }
}
