// How far a refusal reaches, by its code and the step that met it: the record, the step for all records, or the run.
import { EFFECT_STEPS } from '../../src/jobs/events/contract/intake.ts';
import type { RefusalDetails, RefusalScope } from '../../src/jobs/sync/contract/run.ts';
import { ApiError, type UnexpectedShapeError } from '../../src/service/api-client/errors.ts';

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

/** Work that is nothing but this list: whatever the service refuses here, it refuses the whole. */
const LISTS = new Set<RefusalDetails['step']>(['listConversations', 'readAudience']);

/** Steps that all others depend on. An account-wide refusal of one blocks the whole run. */
const VITAL_STEPS = new Set<RefusalDetails['step']>([
  ...(['lookup', 'readExtraInfo', 'upsertContact'] as const),
  ...(['readMessages', 'findMember', 'recheckMember'] as const),
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

/** What the service says of this one person, though with the status of a missing flow or connection. */
const PERSON_CODES = new Set(['ERR_NO_TICKET_FOUND', 'ERR_NO_CONTACT_FOUND']);

/**
 * The API's refusals carry a code, with three exceptions (API text, Errors: 500 and two of 403). These statuses
 * without a code come from something else at that address, and would refuse record after record.
 */
export const NOT_THE_API = /^HTTP_(404|405)$/;

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
  if (isTokenRefused(error) || NOT_THE_API.test(code) || LISTS.has(step)) return 'run';
  if (step === 'triggerMember') return concernsCampaign(error, code) ? 'run' : 'record';
  // Who may not read one contact may read none, whatever the code.
  if (error.status === 403 && (step === 'findMember' || step === 'recheckMember')) return 'run';
  if (isEffect(step)) return EFFECT_CODES.has(code) ? 'step' : 'record';
  if (STEP_CODES.has(code)) return VITAL_STEPS.has(step) ? 'run' : 'step';
  if (CONNECTION_CODES.has(code) && step === 'upsertContact') return 'run';
  return 'record';
}

/**
 * True if every member would get this refusal of a trigger. The API text (Flows) does not show the code of the 404 for
 * the connection, so every 404 counts unless it concerns this person. A 403 decides who may trigger at all.
 */
function concernsCampaign({ status }: ApiError, code: string): boolean {
  if (status === 404) return !PERSON_CODES.has(code);
  return status === 403 || TRIGGER_CODES.has(code);
}

/** How far an answer in an unexpected shape reaches. If every record of the account would meet it, all stop. */
export function shapeScope(error: UnexpectedShapeError, step: RefusalDetails['step']): RefusalScope {
  if (LISTS.has(step)) return 'run';
  if (!error.isAccountWide) return 'record';
  if (VITAL_STEPS.has(step) || step === 'triggerMember') return 'run';
  // An id that cannot be stored is not limited to one step: the next step would use it too.
  return error.assumption === null && !isEffect(step) ? 'run' : 'step';
}

function isEffect(step: RefusalDetails['step']): boolean {
  return (EFFECT_STEPS as readonly string[]).includes(step);
}

/** True when the service refused the token, not the call. Another token may succeed. */
export function refusesToken(error: ApiError): boolean {
  return error.status === 429 || isTokenRefused(error) || error.code === 'ERR_SCOPE_MISSING';
}

/**
 * True when the service accepted the token and refused the call for another reason. Only the API itself answers with a
 * code, after it has checked the token. A 403 may be about the token.
 */
export function acceptsToken(error: ApiError): boolean {
  return error.code !== null && error.status < 500 && error.status !== 403 && !refusesToken(error);
}

/** True when the refusal is permanent: the service would refuse the same call again. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 408;
}
