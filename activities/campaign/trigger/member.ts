// One member of a campaign: the calls that trigger its flow, once. The member's row in the ledger is the intent: the right
// to trigger is taken between slot and call, and what came of it is written down after the call.
import { ApplicationFailure } from '@temporalio/activity';
import { ApiError } from '../../../src/api-client/errors.ts';
import type { MemberStep } from '../../../src/contracts/wire/campaign.ts';
import type { MemberCheck } from '../../../src/ledger/campaigns/campaign-member-checks.ts';
import { countMemberFailure } from '../../../src/ledger/campaigns/campaign-members.ts';
import { getCampaign } from '../../../src/ledger/campaigns/campaigns.ts';
import type { AccountAccess, Deps } from '../../shared/deps.ts';
import { notConfigured, toFailure } from '../../shared/failures.ts';
import { MAX_INTERNAL_ERRORS } from '../../sync/record-step.ts';
import { keepCalendars } from '../waves/next-in-waves.ts';
import { openAfterRun } from './after.ts';
import { callTrigger } from './call.ts';
import { checkAgain, checkMember, type Frozen, type MemberContext } from './check.ts';
import { callFind, callRecheck, settleReadError } from './contact.ts';
import { type MemberResult, nameOf, nowOf, settleVerdict, skipMember } from './outcome.ts';
import { callVerify } from './verify.ts';

/** A worker that lives for years has many runs behind it. */
const MOST_FROZEN = 100;

export type MemberSteps = ReturnType<typeof createMemberSteps>;

export function createMemberSteps(deps: Deps) {
  const calendarOf = keepCalendars();
  const kept = new Map<string, Frozen>();

  return {
    /** What the run goes by stays as it was planned: read once. */
    async frozen(run: string): Promise<Frozen> {
      const known = kept.get(run);
      if (known !== undefined) return known;
      const campaign = await getCampaign(deps.db, run);
      const frozen: Frozen = {
        campaign,
        calendar: calendarOf(campaign),
        account: accountOf(campaign.account),
        afterRun: await openAfterRun(deps.db, campaign),
      };
      if (kept.size >= MOST_FROZEN) kept.clear();
      kept.set(run, frozen);
      return frozen;
    },

    /**
     * Does one step of a member, provided that the rules of the ledger allow it, which costs no slot.
     * - `findMember` GET /v1/contacts?number=: the contact's id, where it is needed and nobody knows it
     * - `recheckMember` GET /v1/contacts/{contactId}: the contact's tags as they are now
     * - `triggerMember` POST /v1/flows/trigger, at most once. Nothing can be read back, so a lost answer makes the member
     *   unknown. That a person serves the contact (409) is an outcome.
     * - `verifyMember` GET /v1/conversations: shows whether the first trigger of a run did what it should
     * @param read the member as it was read a moment ago; undefined: it is read
     * @throws ApplicationFailure with scope `run` when the flow, the connection or the token is refused, or nothing shows the
     *   first trigger: the member waits again; retryable ones when there is no slot or nothing was sent. A member that fails
     *   again and again while others are triggered ends as failed.
     */
    async run(step: MemberStep, frozen: Frozen, id: number, read?: MemberCheck): Promise<MemberResult> {
      let c: MemberContext | null = read === undefined ? null : { ...frozen, member: read };
      try {
        const now = await deps.clock.now();
        c ??= await checkAgain(deps.db, frozen, id, now);
        if (step === 'verifyMember') return await callVerify(deps, c);
        const verdict = checkMember(deps, c, now);
        if (verdict.do === 'go' || (verdict.do === 'step' && step !== 'triggerMember'))
          return await call(step, c);
        return await settleVerdict(deps, c, verdict);
      } catch (error) {
        const failure = toFailure(error, step, (c?.member.attempts ?? 0) + 1);
        if (!(failure instanceof ApplicationFailure) || failure.nonRetryable || failure.type === 'ComeBack')
          throw failure;
        const { run_id: run } = frozen.campaign;
        if (failure.type === 'INTERNAL')
          deps.log.error({ run, member: id, step, err: error }, 'a member could not go on');
        // Without the ledger nothing can be counted: the member's own failure is what is reported.
        const result = c === null ? null : await endWhenAlone(c, error, failure).catch(() => null);
        if (result === null) throw failure;
        return result;
      }
    },
  };

  /**
   * Counts the failure. During an outage nobody ends: internal errors of the service aside, a member ends only if others
   * were triggered meanwhile.
   * @returns null: it comes again
   */
  async function endWhenAlone(
    c: MemberContext,
    error: unknown,
    failure: ApplicationFailure,
  ): Promise<MemberResult | null> {
    const failures = await countMemberFailure(deps.db, nameOf(c.member), await nowOf(deps));
    if (failures === null || failures.count < MAX_INTERNAL_ERRORS) return null;
    const { count, alone } = failures;
    const isInternal = error instanceof ApiError && error.status === 500;
    if (!isInternal && !alone) return null;
    const code = isInternal ? 'HTTP_500' : (failure.type ?? 'INTERNAL');
    const reason = `${count} attempts in a row failed, the last one with: ${failure.message}`;
    return await skipMember(deps, c, { state: 'failed', code, reason });
  }

  function accountOf(name: string): AccountAccess {
    try {
      return deps.account(name);
    } catch (error) {
      throw notConfigured(error);
    }
  }

  async function call(step: Exclude<MemberStep, 'verifyMember'>, c: MemberContext): Promise<MemberResult> {
    if (step === 'triggerMember') return await callTrigger(deps, c);
    const check = step === 'findMember' ? callFind : callRecheck;
    return await check(deps, c).catch((error) => settleReadError(deps, c, step, error));
  }
}
