// Converts errors of the API client to Temporal failures: what is retried and when, and how far a refusal reaches.
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { MediaError } from '../../src/connectors/media/media-error.ts';
import { EFFECT_STEPS } from '../../src/jobs/events/contract/intake.ts';
import type { RefusalDetails, RefusalScope, ShapeDetails } from '../../src/jobs/sync/contract/run.ts';
import { isKnownCode } from '../../src/service/api-client/error-codes.ts';
import {
  ApiError,
  refusalHint,
  TransportError,
  UnexpectedShapeError,
} from '../../src/service/api-client/errors.ts';

/** The service refuses the token itself, as with each 401. Nothing continues until an operator acts. */
const TOKEN_CODES = new Set([
  'ERR_TOKEN_MISSING',
  'ERR_TOKEN_INVALID',
  'ERR_TOKEN_REVOKED',
  'ERR_TOKEN_EXPIRED',
]);

/** The account or the plan does not allow this step for any record. */
const STEP_CODES = new Set([
  'ERR_SCOPE_MISSING',
  'ERR_INVALID_TAGMODE',
  'ERR_PIPELINE_NOT_FOUND',
  'FORBIDDEN',
]);

/** Steps that all others depend on. An account-wide refusal of one blocks the whole run. */
const VITAL_STEPS = new Set<RefusalDetails['step']>([
  ...(['lookup', 'readExtraInfo', 'upsertContact'] as const),
  ...(['listConversations', 'readMessages'] as const),
  ...(['readAudience', 'findMember', 'recheckMember'] as const),
]);

/**
 * Refusals caused by the account's connection settings. They apply to every contact (API text, POST /v1/contacts,
 * rule 6).
 */
const CONNECTION_CODES = new Set(['ERR_WHATSAPP_NOT_FOUND', 'ERR_NO_CONNECTION_AVAILABLE']);

/**
 * Refusals by the account or its plan that apply to every event. The event waits, because an operator can fix the
 * cause in the service and the event then continues unchanged. All other refusals concern the event or its route, and
 * waiting does not help: an inactive or missing flow, a missing connection, a conversation that a person serves. If a
 * call that names a contact reports it missing, the service knows the contact under another name
 * (flows.contactIdentity).
 */
const EFFECT_CODES = new Set([
  'ERR_SCOPE_MISSING',
  'FORBIDDEN',
  'ERR_FEATURE_NOT_AVAILABLE',
  'ERR_STORAGE_LIMIT_REACHED',
  'ERR_INVALID_TAGMODE',
  'ERR_NO_CONNECTION_AVAILABLE',
  'ERR_CONTACT_IDENTIFIER_REQUIRED',
  'ERR_NUMBER_REQUIRED',
  'ERR_MISSING_NUMBER',
]);

/**
 * Trigger refusals that every member of the campaign would meet: the flow, the connection, the plan, or the form of
 * the call (API text, POST /v1/flows/trigger; the text does not show the field that names the contact).
 */
const TRIGGER_CODES = new Set([
  'ERR_FLOW_NOT_FOUND',
  'ERR_FLOW_NOT_EXECUTABLE',
  'ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED',
  'ERR_CONNECTION_NOT_FOUND',
  'ERR_NO_CONNECTION_AVAILABLE',
  'ERR_WHATSAPP_NOT_FOUND',
  'ERR_UNSUPPORTED_CHANNEL',
  'ERR_VARIABLES_MUST_BE_OBJECT',
  'ERR_CONTACT_IDENTIFIER_REQUIRED',
  'ERR_NUMBER_REQUIRED',
  'ERR_MISSING_NUMBER',
  'ERR_SCOPE_MISSING',
  'FORBIDDEN',
  'ERR_FEATURE_NOT_AVAILABLE',
  'ERR_STORAGE_LIMIT_REACHED',
]);

/**
 * The API's refusals carry a code, with three exceptions (API text, Errors: 500 and two of 403). These statuses
 * without a code come from something else at that address, and would refuse record after record.
 */
const NOT_THE_API = /^HTTP_(3\d\d|404|405)$/;

/** Name of a refusal: the API's code, or a substitute for answers without one. */
export function refusalCode(error: ApiError): string {
  return error.code ?? (error.status === 403 ? 'FORBIDDEN' : `HTTP_${error.status}`);
}

/** A 401 refuses the token, whatever its code: a code that Sluice does not know is no fault of the record. */
function isTokenRefused(error: ApiError): boolean {
  return error.status === 401 || TOKEN_CODES.has(error.code ?? '');
}

export function refusalScope(error: ApiError, step: RefusalDetails['step']): RefusalScope {
  const code = refusalCode(error);
  if (isTokenRefused(error) || NOT_THE_API.test(code)) return 'run';
  if (step === 'triggerMember') return TRIGGER_CODES.has(code) ? 'run' : 'record';
  if (isEffect(step)) return EFFECT_CODES.has(code) ? 'step' : 'record';
  if (STEP_CODES.has(code)) return VITAL_STEPS.has(step) ? 'run' : 'step';
  if (CONNECTION_CODES.has(code) && step === 'upsertContact') return 'run';
  return 'record';
}

/** How far an answer in an unexpected shape reaches. If every record of the account would meet it, all stop. */
export function shapeScope(error: UnexpectedShapeError, step: RefusalDetails['step']): RefusalScope {
  if (!error.isAccountWide) return 'record';
  if (VITAL_STEPS.has(step) || step === 'triggerMember') return 'run';
  // An id that cannot be stored is not limited to one step: the next step would use it too.
  return error.assumption === null && !isEffect(step) ? 'run' : 'step';
}

/** Failure details about an unexpected shape; undefined when no assumption is involved. */
export function shapeDetails(error: unknown): ShapeDetails | undefined {
  if (error instanceof UnexpectedShapeError) {
    const { assumption, seen } = error;
    return { assumptions: assumption === null ? [] : [assumption], seen };
  }
  if (error instanceof ApiError && error.assumptions.length > 0)
    return { assumptions: error.assumptions, seen: [] };
  return undefined;
}

/** The details of a failure, including what is known about the shape. */
export function refusalDetails(
  error: unknown,
  scope: RefusalScope,
  step: RefusalDetails['step'],
): RefusalDetails {
  const shape = shapeDetails(error);
  return shape === undefined ? { scope, step } : { scope, step, shape };
}

function isEffect(step: RefusalDetails['step']): boolean {
  return (EFFECT_STEPS as readonly string[]).includes(step);
}

/** True when the service refused the token, not the call. Another token may succeed. */
export function refusesToken(error: ApiError): boolean {
  return error.status === 429 || isTokenRefused(error) || error.code === 'ERR_SCOPE_MISSING';
}

/** True when the refusal is permanent: the service would refuse the same call again. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 408;
}

/** The service is busy or the slot is far away. This is not an error, only a retry time. */
export function comeBack(ms: number, why: string): ApplicationFailure {
  return ApplicationFailure.create({
    message: why,
    type: 'ComeBack',
    nextRetryDelay: Math.ceil(ms),
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** Nothing has failed: no slot was free, or it is too early. */
export const onlyWaits = (error: unknown): boolean =>
  error instanceof ApplicationFailure && error.type === 'ComeBack';

/** Milliseconds until the retry that a failure asks for; null when it asks for none. */
export function comesBackAfter(error: unknown): number | null {
  if (!(error instanceof ApplicationFailure) || error.nonRetryable === true) return null;
  return typeof error.nextRetryDelay === 'number' ? error.nextRetryDelay : null;
}

/** The run or one of its steps cannot continue. The workflow reads `scope` and reacts. */
export function refusal(code: string, message: string, details: RefusalDetails): ApplicationFailure {
  return ApplicationFailure.create({
    message: NOT_THE_API.test(code) ? `${message}, not as the API does; is baseUrl right?` : message,
    type: code,
    nonRetryable: true,
    details: [details],
  });
}

/** Attempts also count waits. Where they stand for failures, this keeps the pause below half a minute. */
export const MAX_DOUBLINGS = 5;

/**
 * Wait before attempt n + 1 after n transient failures: starts at 1 s, doubles up to one minute, and varies by 20 %.
 */
export function backoffMs(failures: number): number {
  return Math.min(60_000, 1000 * 2 ** Math.min(failures - 1, 6)) * (0.9 + Math.random() * 0.2);
}

/**
 * Converts any error of an API activity to a failure without personal data. The client's messages name the method and
 * the path template. Other errors' messages are kept out of the history.
 * @param failures transient failures of this call so far, including this one
 */
export function toFailure(error: unknown, step: RefusalDetails['step'], failures: number): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (error instanceof ApiError) {
    if (error.status === 429) return comeBack(rateLimitWaitMs(error), 'the token is over its limit');
    const message = callReason(error);
    const code = refusalCode(error);
    if (isRefusal(error))
      return refusal(code, message, refusalDetails(error, refusalScope(error, step), step));
    return retryable(message, code, failures);
  }
  if (error instanceof TransportError) {
    return retryable(error.message, `TRANSPORT_${error.reason.toUpperCase()}`, failures);
  }
  if (error instanceof UnexpectedShapeError) {
    return refusal('UNEXPECTED_SHAPE', error.message, refusalDetails(error, shapeScope(error, step), step));
  }
  if (error instanceof MediaError) return retryable(error.message, error.code, failures);
  const name = error instanceof Error ? (error as Error).name : 'error';
  return retryable(`${name} in ${step}; the worker's log has it`, 'INTERNAL', failures);
}

function retryable(message: string, type: string, failures: number): ApplicationFailure {
  return ApplicationFailure.create({ message, type, nextRetryDelay: Math.ceil(backoffMs(failures)) });
}

/**
 * The rate window is one minute (API text, Limits). A later time does not come from the API, or its clock is wrong.
 * The ledger stores the block, so a garbled value would block the token for years.
 */
const MAX_REST_MS = 60 * 60_000;

/** How long a token rests after a 429: Retry-After, else the end of the window, else one minute. */
export function rateLimitWaitMs(error: ApiError): number {
  if (error.retryAfterMs !== null) return Math.min(MAX_REST_MS, Math.max(1000, error.retryAfterMs));
  const untilReset = error.rate === null ? Number.NaN : error.rate.resetAt.getTime() - Date.now();
  return untilReset > 0 && untilReset <= 60_000 ? untilReset : 60_000;
}

/** Call, status and code, with the missing scope if the service names it. */
export function callReason({ message, requiredScope }: ApiError): string {
  return requiredScope === null ? message : `${message}: the token lacks the scope ${requiredScope}`;
}

/** An override, written as in the configuration of this account. */
export const forAccount = (account: string, message: string): string =>
  message.replaceAll('accounts.<name>', `accounts.${account}`);

/** The same error. Its message names the override in the configuration of this account. */
export function namedFor<E>(account: string, error: E): E {
  if (error instanceof ApiError || error instanceof UnexpectedShapeError)
    error.message = forAccount(account, error.message);
  return error;
}

/**
 * Reason of a failed record for the operator: what was refused and by which code, or what could not be read. It
 * includes the assumption that may be wrong, and its override.
 */
export function recordReason(account: string, error: ApiError | UnexpectedShapeError): string {
  return forAccount(account, reasonFor(error));
}

function reasonFor(error: ApiError | UnexpectedShapeError): string {
  if (!(error instanceof ApiError)) return error.message;
  const { code, kind, assumptions, status, method, path } = error;
  const isListed = kind === 'coded' && code !== null && isKnownCode(code) && assumptions.length === 0;
  const where = isListed ? '' : ` at ${method} ${path}`;
  return `the service refused with ${refusalCode(error)} (HTTP ${status})${where}${refusalHint({ code, kind, assumptions })}`;
}

/** This worker's configuration lacks the requested entry. Another worker may have a configuration with it. */
export function notConfigured(error: unknown): ApplicationFailure {
  const { message } = error as Error;
  return ApplicationFailure.create({ message, type: 'CONFIG', nextRetryDelay: 30_000 });
}
