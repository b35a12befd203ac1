// One member of a campaign: the calls that trigger its flow, once. The member's row in the ledger is the intent: the right
// to trigger is taken between slot and call, and what came of it is written down after the call.
import { Context } from '@temporalio/activity';
import type { MemberInput, MemberResult, MemberStep } from '../../src/contracts/campaign.ts';
import { getCampaign } from '../../src/ledger/campaigns.ts';
import { FLIGHT_SECONDS } from '../api-call.ts';
import type { Deps } from '../deps.ts';
import { MAX_DOUBLINGS, toFailure } from '../failures.ts';
import { keepCalendars } from './calendars.ts';
import { callTrigger } from './trigger-call.ts';
import { checkMember, type Frozen, lookAgain, type MemberContext } from './trigger-check.ts';
import { callFind, callRecheck, settleLookError } from './trigger-contact.ts';
import { nameOf, settleVerdict, standing } from './trigger-outcome.ts';

/** A worker that lives for years has many runs behind it. */
const MOST_FROZEN = 100;

export interface TriggerTools {
  /** @default 60 */
  readonly flightSeconds?: number;
}

export function createTriggerActivities(deps: Deps, { flightSeconds = FLIGHT_SECONDS }: TriggerTools = {}) {
  const calendarOf = keepCalendars();
  /** What runs go by stays as it was planned: read once, as each trigger asks for it. */
  const frozen = new Map<string, Frozen>();

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
      const now = await deps.clock.now();
      const c = await load(input, now);
      const verdict = await checkMember(deps, deps.db, c, now);
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

  async function load({ run, member: id }: MemberInput, now: number): Promise<MemberContext> {
    const kept = frozen.get(run) ?? (await freeze(run));
    return await lookAgain(deps.db, { ...kept, account: deps.account(kept.campaign.account) }, id, now);
  }

  async function freeze(run: string): Promise<Frozen> {
    const campaign = await getCampaign(deps.db, run);
    if (frozen.size >= MOST_FROZEN) frozen.clear();
    const kept = { campaign, calendar: calendarOf(campaign) };
    frozen.set(run, kept);
    return kept;
  }
}
