// Suspect refusals: their cause may be how Sluice makes the call instead of the person. They pause the campaign, and
// the reason names the assumption to check.
import type { ApplicationFailure } from '@temporalio/common';
import { KNOWN_ERROR_CODES } from '../../../src/api-client/error-codes.ts';
import type { ApiError, UnexpectedShapeError } from '../../../src/api-client/errors.ts';
import type { CampaignStep, ShapeDetails } from '../../../src/contracts/wire/run.ts';
import { suspicionOf, takeBackSuspects } from '../../../src/ledger/campaigns/campaign-suspects.ts';
import { lockCampaign } from '../../../src/ledger/campaigns/campaigns.ts';
import type { Queryable } from '../../../src/ledger/database.ts';
import { assumedBy } from '../../shared/deps.ts';
import { callReason, forAccount, refusal, shapeDetails } from '../../shared/failures.ts';
import { shapeReason } from '../../shared/shape-refusal.ts';
import type { MemberContext } from './check.ts';

/** A suspect refusal: the code that is counted, and what to do about it. */
export interface Suspect {
  readonly code: string;
  readonly reason: string;
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
  return { code, reason: `${reasonOf(c, error)}; ${wayOut(c, step)}`, shape: shapeOf(step) };
}

/** The service lists a contact, but the trigger does not find it. */
export function unfound(c: MemberContext, error: ApiError): Suspect {
  const listed = 'but the service has just listed this contact';
  const reason = `${reasonOf(c, error)}, ${listed}; ${wayOut(c, 'triggerMember')}`;
  return { code: 'ERR_NO_CONTACT_FOUND', reason, shape: shapeOf('triggerMember') };
}

export function unreadable(c: MemberContext, error: UnexpectedShapeError): Suspect {
  return {
    code: 'UNEXPECTED_SHAPE',
    reason: shapeReason(c.campaign.account, error),
    shape: shapeDetails(error),
  };
}

const TRIGGER_INPUTS: ShapeDetails = {
  assumptions: ['flows.contactField', 'flows.contactIdentity'],
  seen: [],
};

const shapeOf = (step: CampaignStep): ShapeDetails | undefined =>
  step === 'triggerMember' ? TRIGGER_INPUTS : undefined;

const reasonOf = ({ campaign: { account } }: MemberContext, error: ApiError): string =>
  forAccount(account, callReason(error));

function wayOut({ campaign: { account } }: MemberContext, step: CampaignStep): string {
  if (step !== 'triggerMember') return 'see `sluice doctor`';
  const override = `accounts.${account}.assumptions: { flows.contactField: …, flows.contactIdentity: … } in sluice.yaml`;
  return `the trigger may expect the contact in another field, or by its number: set ${override} and restart the workers`;
}

/**
 * Judges a refusal that may concern all members. Call it before the member changes.
 * @returns why the campaign is paused, as a failure to throw after the transaction commits; null if only the member
 *   fails
 */
export async function pauseFor(
  tx: Queryable,
  c: MemberContext,
  step: CampaignStep,
  { code, reason, shape }: Suspect,
): Promise<ApplicationFailure | null> {
  const { run_id: run, campaign } = c.campaign;
  const locked = await lockCampaign(tx, run);
  const assumed = assumedBy(c.account);
  const { mustPause, members } = await suspicionOf(tx, locked, code, assumed);
  if (!mustPause) return null;
  await takeBackSuspects(tx, run, { code, assumed, members });
  const whose = members.length === 0 ? 'the first member' : `${members.length + 1} members in a row`;
  const next = `then run \`sluice campaign resume ${campaign}\`; if you resume without a change, such members fail one by one`;
  return refusal(code, `${whose}: ${reason}; ${next}`, { scope: 'run', step, ...(shape && { shape }) });
}
