// Steps of one campaign member: the calls that trigger its flow, at most once. The member's row in the ledger is the
// intent: Sluice takes the right to trigger between slot and call, and records the outcome after the call.
import { ApplicationFailure } from '@temporalio/activity';
import type { MemberStep } from '../../../src/jobs/campaigns/contract/batches.ts';
import { getCampaign } from '../../../src/jobs/campaigns/store/campaigns.ts';
import type { MemberCheck } from '../../../src/jobs/campaigns/store/member-checks.ts';
import { countMemberFailure } from '../../../src/jobs/campaigns/store/members.ts';
import { ApiError } from '../../../src/service/api-client/errors.ts';
import { withSubject } from '../../shared/call-scope.ts';
import type { Deps } from '../../shared/deps.ts';
import { configured, toFailure } from '../../shared/failures.ts';
import { MAX_INTERNAL_ERRORS } from '../../shared/judge.ts';
import { keepCalendars } from '../waves/next-in-waves.ts';
import { openAfterRun } from './after.ts';
import { callTrigger } from './call.ts';
import { checkAgain, checkMember, type Frozen, type MemberContext } from './check.ts';
import { callFind, callRecheck, settleReadError } from './contact.ts';
import { type MemberResult, nameOf, nowOf, settleVerdict, skipMember } from './outcome.ts';
import { callVerify } from './verify.ts';

/** Bounds the cache: a worker that runs for years sees many runs. */
const MOST_FROZEN = 100;

export type MemberSteps = ReturnType<typeof createMemberSteps>;

export function createMemberSteps(deps: Deps) {
  const calendarOf = keepCalendars();
  const kept = new Map<string, Frozen>();

  return {
    /** Returns the part of the run that does not change after planning; the ledger is read once per run. */
    async frozen(run: string): Promise<Frozen> {
      const known = kept.get(run);
      if (known !== undefined) return known;
      const campaign = await getCampaign(deps.db, run);
      const frozen: Frozen = {
        campaign,
        calendar: calendarOf(campaign),
        account: configured(() => deps.account(campaign.account)),
        afterRun: await openAfterRun(deps.db, campaign),
      };
      if (kept.size >= MOST_FROZEN) kept.clear();
      kept.set(run, frozen);
      return frozen;
    },

    /**
     * Runs one step of a member if the rules allow it. Checking the rules in the ledger costs no slot.
     * - `findMember` GET /v1/contacts?number=: the contact's id, if the call needs it and the ledger does not know it
     * - `recheckMember` GET /v1/contacts/{contactId}: the contact's current tags
     * - `triggerMember` POST /v1/flows/trigger, at most once. Nothing can be read back, so a lost response makes the
     *   member `unknown`. A 409 because a person is serving the contact is an outcome.
     * - `verifyMember` GET /v1/conversations: shows whether the first trigger of a run took effect
     * @param read the member, if it has just been read; otherwise this reads it
     * @throws ApplicationFailure with scope `run` if the flow, the connection or the token is refused, or if nothing
     *   shows the first trigger; the member then waits again. Throws a retryable failure if there is no slot or
     *   nothing was sent. A member that keeps failing while others are triggered ends as failed.
     */
    async run(step: MemberStep, frozen: Frozen, id: number, read?: MemberCheck): Promise<MemberResult> {
      let c: MemberContext | null = read === undefined ? null : { ...frozen, member: read };
      try {
        const now = await deps.clock.now();
        const checked = (c ??= await checkAgain(deps.db, frozen, id, now));
        const { key: person, card_id: card } = checked.member;
        return await withSubject({ person, card }, () => runChecked(step, checked, now));
      } catch (error) {
        const failure = toFailure(error, step, (c?.member.attempts ?? 0) + 1);
        if (!(failure instanceof ApplicationFailure) || failure.nonRetryable || failure.type === 'ComeBack')
          throw failure;
        const { run_id: run } = frozen.campaign;
        if (failure.type === 'INTERNAL')
          deps.log.error({ run, member: id, step, err: error }, 'a step of a campaign member failed');
        // If the ledger is unavailable, the failure can't be counted; report the member's own failure.
        const result = c === null ? null : await endWhenAlone(c, error, failure).catch(() => null);
        if (result === null) throw failure;
        return result;
      }
    },
  };

  async function runChecked(step: MemberStep, c: MemberContext, now: number): Promise<MemberResult> {
    if (step === 'verifyMember') return await callVerify(deps, c);
    const verdict = checkMember(deps, c, now);
    if (verdict.do === 'go' || (verdict.do === 'step' && step !== 'triggerMember'))
      return await call(step, c);
    return await settleVerdict(deps, c, verdict);
  }

  /**
   * Counts the failure. A member ends only if other members were triggered meanwhile, so an outage ends nobody. The
   * exception is an internal error of the service, which ends a member in any case.
   * @returns null if the member is retried
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
    const reason = `${count} attempts in a row failed; the last failure is: ${failure.message}`;
    return await skipMember(deps, c, { state: 'failed', code, reason });
  }

  async function call(step: Exclude<MemberStep, 'verifyMember'>, c: MemberContext): Promise<MemberResult> {
    if (step === 'triggerMember') return await callTrigger(deps, c);
    const check = step === 'findMember' ? callFind : callRecheck;
    return await check(deps, c).catch((error) => settleReadError(deps, c, step, error));
  }
}
