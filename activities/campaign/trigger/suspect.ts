// Refusals that may come from how Sluice makes the call rather than from the person: the campaign is paused for them, and names
// the assumption.
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

/** What was refused: a code to count by, and what to do about it. */
export interface Suspect {
  readonly code: string;
  readonly reason: string;
  readonly shape: ShapeDetails | undefined;
}

const LISTED: ReadonlySet<string> = new Set(KNOWN_ERROR_CODES);
/** Listed, and yet no word on the person where the service has just shown the ticket or the contact. */
const DOUBTFUL: ReadonlySet<string> = new Set(['ERR_NO_TICKET_FOUND']);

/** A refusal that the API text does not list; null: it is known what it says. */
export function suspectOf(
  c: MemberContext,
  step: CampaignStep,
  error: ApiError,
  code: string,
): Suspect | null {
  if (error.code !== null && LISTED.has(error.code) && !DOUBTFUL.has(error.code)) return null;
  return { code, reason: `${reasonOf(c, error)}; ${wayOut(c, step)}`, shape: shapeOf(step) };
}

/** The service shows a contact, and the trigger does not find it. */
export function unfound(c: MemberContext, error: ApiError): Suspect {
  const listed = 'and the service has just listed this contact';
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
  return `perhaps the trigger takes the contact in another field, or by its number: write ${override}, and restart the workers`;
}

/**
 * Judges a refusal that may concern all members; to be done before the member is touched.
 * @returns why the campaign is paused, as a failure to be thrown once the transaction is through; null: the member alone fails
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
  const next = `then \`sluice campaign resume ${campaign}\`; if you resume without a change, such members fail one by one`;
  return refusal(code, `${whose}: ${reason}; ${next}`, { scope: 'run', step, ...(shape && { shape }) });
}
