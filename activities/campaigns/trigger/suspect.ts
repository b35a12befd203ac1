// Suspect refusals: their cause may be how Sluice makes the call instead of the person. They pause the campaign. Only
// the pause says what to check in the configuration, and only while the account has accepted no trigger.
import type { ApplicationFailure } from '@temporalio/common';
import type { Queryable } from '../../../src/core/sql/database.ts';
import { lockCampaign } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { suspicionOf, takeBackSuspects } from '../../../src/jobs/campaigns/store/suspects.ts';
import type { CampaignStep, ShapeDetails } from '../../../src/jobs/sync/contract/run.ts';
import { KNOWN_ERROR_CODES } from '../../../src/service/api-client/error-codes.ts';
import type { ApiError, UnexpectedShapeError } from '../../../src/service/api-client/errors.ts';
import { assumedBy } from '../../shared/deps.ts';
import { callReason, forAccount, refusal, shapeDetails, shapeReason } from '../../shared/failures.ts';
import type { MemberContext } from './check.ts';

/** A suspect refusal: the code that is counted, what the service answered, and what to do about it. */
export interface Suspect {
  readonly code: string;
  /** For the member: it may contain the service's own text, so it is stored in the ledger only. */
  readonly answer: string;
  /** For the pause: call, status and code. */
  readonly call: string;
  /** What to check while no trigger of the account was accepted; null if the call is not a trigger. */
  readonly wayOut: string | null;
  readonly shape: ShapeDetails | undefined;
}

const LISTED: ReadonlySet<string> = new Set(KNOWN_ERROR_CODES);
/** Known codes that are suspect nevertheless when the service has just shown the conversation or the contact. */
const DOUBTFUL: ReadonlySet<string> = new Set(['ERR_NO_TICKET_FOUND']);

/** Returns a refusal with a code that the API text does not list; null if the meaning of the code is known. */
export function suspectOf(
  c: MemberContext,
  step: CampaignStep,
  error: ApiError,
  code: string,
): Suspect | null {
  if (error.code !== null && LISTED.has(error.code) && !DOUBTFUL.has(error.code)) return null;
  return suspectBy(c, step, error, code);
}

/** The service lists a contact, but the trigger does not find it. */
export function unfound(c: MemberContext, error: ApiError): Suspect {
  const { answer, call, ...suspect } = suspectBy(c, 'triggerMember', error, 'ERR_NO_CONTACT_FOUND');
  const listed = ', but the service has just listed this contact';
  return { ...suspect, answer: `${answer}${listed}`, call: `${call}${listed}` };
}

export function unreadable(c: MemberContext, error: UnexpectedShapeError): Suspect {
  const reason = shapeReason(c.campaign.account, error);
  return { code: 'UNEXPECTED_SHAPE', answer: reason, call: reason, wayOut: null, shape: shapeDetails(error) };
}

const TRIGGER_INPUTS: ShapeDetails = {
  assumptions: ['flows.contactField', 'flows.contactIdentity'],
  seen: [],
};

const shapeOf = (step: CampaignStep): ShapeDetails | undefined =>
  step === 'triggerMember' ? TRIGGER_INPUTS : undefined;

function suspectBy(c: MemberContext, step: CampaignStep, error: ApiError, code: string): Suspect {
  const { account } = c.campaign;
  const shape = shapeOf(step);
  const call = forAccount(account, callReason(error));
  if (step !== 'triggerMember') {
    const reason = `${call}; see \`sluice doctor\``;
    return { code, answer: reason, call: reason, wayOut: null, shape };
  }
  const override = `accounts.${account}.assumptions: { flows.contactField: …, flows.contactIdentity: … } in sluice.yaml`;
  const wayOut = `the trigger may expect the contact in another field, or by its number: set ${override} and restart the workers`;
  // The message of the error repeats the advice on the assumptions.
  const { method, path, status } = error;
  return {
    code,
    answer: answerOf(c, error, code),
    call: `${method} ${path} answered ${status} ${code}`,
    wayOut,
    shape,
  };
}

const MOST_TEXT = 80;

/** What the service answered: the code, its own text without personal data, and the request id. */
function answerOf({ member }: MemberContext, { detail, requestId }: ApiError, code: string): string {
  const sent = [member.number, ...Object.values(member.variables ?? {})];
  const text = detail === null ? '' : hidePersonal(detail, sent);
  return [
    `the service answered ${code}`,
    ...(text === '' ? [] : [`: "${text}"`]),
    ...(requestId === null ? [] : [` (request ${requestId})`]),
  ].join('');
}

/** Hides what was sent about the person, names inside a sentence, addresses, and digits like those of a number. */
function hidePersonal(text: string, sent: readonly unknown[]): string {
  const echoed = sent.map((value) => String(value ?? '').trim()).filter((value) => value.length > 1);
  const hidden = echoed
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, value) => rest.replaceAll(value, '•••'), text.replace(/\s+/g, ' ').trim())
    .replace(/\S+@\S+/g, '•••')
    .replace(/(?<=\s)\p{Lu}\p{Ll}[\p{L}'-]*/gu, '•••')
    .replace(/\d(?:[\s().-]{0,2}\d){4,}/g, '•••')
    .replaceAll('"', "'");
  return hidden.length > MOST_TEXT ? `${hidden.slice(0, MOST_TEXT - 1)}…` : hidden;
}

/** What a suspect refusal means for the run and for the member. */
export interface Judged {
  /** Why the campaign is paused, as a failure to throw after the transaction commits; null if only the member fails. */
  readonly paused: ApplicationFailure | null;
  /** Why the member fails. */
  readonly reason: string;
}

/** Judges a refusal that may concern all members. Call it before the member changes. */
export async function judgeSuspect(
  tx: Queryable,
  c: MemberContext,
  step: CampaignStep,
  { code, answer, call, wayOut, shape }: Suspect,
): Promise<Judged> {
  const { run_id: run, campaign, account } = c.campaign;
  const locked = await lockCampaign(tx, run);
  const assumed = assumedBy(c.account);
  const { mustPause, members, accepted } = await suspicionOf(tx, locked, code, assumed);
  const others = accepted
    ? 'the same request works for others'
    : 'no trigger of the account was accepted yet; see `sluice doctor`';
  const reason = wayOut === null ? answer : `${answer}; ${others}`;
  if (!mustPause) return { paused: null, reason };
  await takeBackSuspects(tx, run, { code, assumed, members });
  const whose = members.length === 0 ? 'the first member' : `${members.length + 1} members in a row`;
  const check =
    wayOut === null || !accepted
      ? wayOut
      : `the account accepted such triggers before: check these members in the service, and what has changed since there or in accounts.${account}.assumptions`;
  const next = `then run \`sluice campaign resume ${campaign}\`; if you resume without a change, such members fail one by one`;
  const why = [`${whose}: ${call}`, ...(check === null ? [] : [check]), next].join('; ');
  return {
    paused: refusal(code, why, { scope: 'run', step, ...(shape && { shape }) }),
    reason,
  };
}
