// Every error code that the API text lists (section Errors). The service may add codes: see ErrorCode.

export const KNOWN_ERROR_CODES = [
  'ERR_TOKEN_MISSING',
  'ERR_TOKEN_INVALID',
  'ERR_TOKEN_REVOKED',
  'ERR_TOKEN_EXPIRED',
  'ERR_SCOPE_MISSING',
  'ERR_RATE_LIMITED',
  'ERR_MISSING_CONTENT',
  'ERR_NUMBER_REQUIRED',
  'ERR_NUMBER_INVALID',
  'ERR_CONNECTION_NOT_FOUND',
  'ERR_NO_CONNECTION_AVAILABLE',
  'ERR_UNSUPPORTED_CHANNEL',
  'ERR_NO_TICKET_FOUND',
  'ERR_MESSAGE_NOT_FOUND',
  'ERR_MISSING_NUMBER',
  'ERR_NUMBER_NOT_ON_WHATSAPP',
  'ERR_WHATSAPP_NOT_FOUND',
  'ERR_NO_CONTACT_FOUND',
  'ERR_NUMBER_IMMUTABLE',
  'ERR_INVALID_TAG_IDS',
  'ERR_INVALID_TAGMODE',
  'ERR_INVALID_DATE_FILTER',
  'ERR_NO_CARD_FOUND',
  'ERR_CONTACT_IDENTIFIER_REQUIRED',
  'ERR_PIPELINE_NOT_FOUND',
  'ERR_STAGE_REQUIRED',
  'ERR_STAGE_NOT_FOUND',
  'ERR_STAGE_NOT_IN_PIPELINE',
  'ERR_SOURCE_NOT_FOUND',
  'ERR_SOURCE_REQUIRED_FOR_STAGE',
  'ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED',
  'ERR_VARIABLES_MUST_BE_OBJECT',
  'ERR_FLOW_NOT_FOUND',
  'ERR_FLOW_NOT_EXECUTABLE',
  'ERR_TICKET_IN_HUMAN_SERVICE',
  'ERR_FEATURE_NOT_AVAILABLE',
  'ERR_STORAGE_LIMIT_REACHED',
  'ERR_DUPLICATED_CONTACT',
  'ERR_CONTACT_NUMBER_IS_LID',
] as const;

export type KnownErrorCode = (typeof KNOWN_ERROR_CODES)[number];

/** A code of the API text, or one that the service added later. Compare with `===`, never exhaustively. */
export type ErrorCode = KnownErrorCode | (string & {});

/** Returns whether the API text lists a code. */
export function isKnownCode(code: string): code is KnownErrorCode {
  return (KNOWN_ERROR_CODES as readonly string[]).includes(code);
}
