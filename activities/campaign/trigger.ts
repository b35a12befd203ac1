// One member of a campaign: the calls that trigger its flow, once. The member's row in the ledger is the intent: the right
// to trigger is taken between slot and call, and what came of it is written down after the call.
import { Context } from '@temporalio/activity';
import { type Calendar, compileCalendar } from '../../src/campaigns/calendar.ts';
import type { MemberInput, MemberResult, MemberStep } from '../../src/contracts/campaign.ts';
import { getMember } from '../../src/ledger/campaign-members.ts';
import { getCampaign } from '../../src/ledger/campaigns.ts';
import type { Deps } from '../deps.ts';
import { MAX_DOUBLINGS, toFailure } from '../failures.ts';
import { callTrigger } from './trigger-call.ts';
import { checkMember, type MemberContext } from './trigger-check.ts';
import { callFind, callRecheck, settleLookError } from './trigger-contact.ts';
import { nameOf, settleVerdict, standing } from './trigger-outcome.ts';

/**
 * So long may an attempt whose worker is not heard of still be at its call: the client's deadline of 30 s, and 10 s for
 * the slot of a second token.
 */
const FLIGHT_SECONDS = 60;

export interface TriggerTools {
  /** @default 60 */
  readonly flightSeconds?: number;
}

export function createTriggerActivities(deps: Deps, { flightSeconds = FLIGHT_SECONDS }: TriggerTools = {}) {
  /** By the digest of what a campaign goes by: a calendar gets quicker with every question. */
  const calendars = new Map<string, Calendar>();

  return {
    /** GET /v1/contacts?number=: the contact's id, where it is needed and nobody knows it. */
    async findMember(input: MemberInput): Promise<MemberResult> {
      return await run('findMember', input, async (c) =>
        callFind(deps, c, flightSeconds).catch((error) =>
          settleLookError(deps, c, 'findMember', error, flightSeconds),
        ),
      );
    },

    /** GET /v1/contacts/{contactId}: the contact's tags as they are now. */
    async recheckMember(input: MemberInput): Promise<MemberResult> {
      return await run('recheckMember', input, async (c) =>
        callRecheck(deps, c, flightSeconds).catch((error) =>
          settleLookError(deps, c, 'recheckMember', error, flightSeconds),
        ),
      );
    },

    /**
     * POST /v1/flows/trigger, at most once. Nothing can be read back, so a lost answer makes the member unknown. That a
     * person serves the contact (409) is an outcome.
     * @throws ApplicationFailure with scope `run` when the flow, the connection or the token is refused: the member waits
     *   again; retryable ones when there is no slot or nothing was sent
     */
    async triggerMember(input: MemberInput): Promise<MemberResult> {
      return await run('triggerMember', input, async (c) => await callTrigger(deps, c, flightSeconds));
    },
  };

  /** Judges the member by the ledger first, which costs no slot; then does the step's work. */
  async function run(
    step: MemberStep,
    input: MemberInput,
    work: (c: MemberContext) => Promise<MemberResult>,
  ): Promise<MemberResult> {
    try {
      const c = await load(input);
      const verdict = await checkMember(deps, deps.db, c, await deps.clock.now());
      if (verdict.do === 'over') return await standing(deps, nameOf(c.member), flightSeconds);
      if (verdict.do === 'go' || (verdict.do === 'step' && step !== 'triggerMember')) return await work(c);
      return await settleVerdict(deps, c, verdict, flightSeconds);
    } catch (error) {
      const failure = toFailure(error, step, Math.min(Context.current().info.attempt, MAX_DOUBLINGS));
      if ((failure as { type?: string }).type === 'INTERNAL')
        deps.log.error(
          { run: input.run, member: input.member, step, err: error },
          'a member could not go on',
        );
      throw failure;
    }
  }

  async function load({ run, member: id }: MemberInput): Promise<MemberContext> {
    const campaign = await getCampaign(deps.db, run);
    const member = await getMember(deps.db, { run, id });
    let calendar = calendars.get(campaign.digest);
    if (calendar === undefined) {
      calendar = compileCalendar(campaign.spec.config.windows);
      calendars.set(campaign.digest, calendar);
    }
    return { campaign, member, account: deps.account(campaign.account), calendar };
  }
}
