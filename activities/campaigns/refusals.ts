// Refusals of commands on a campaign run. Each message says what to do instead.
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type CampaignRow, digestOfSpec } from '../../src/jobs/campaigns/store/campaigns.ts';
import type { Deps } from '../shared/deps.ts';
import { configured } from '../shared/failures.ts';

/** Types of the failures; the CLI maps them to exit codes. */
export const REFUSED = {
  noSuchRun: 'NO_SUCH_RUN',
  notPlanned: 'NOT_PLANNED',
  planVoid: 'PLAN_VOID',
  notApproved: 'NOT_APPROVED',
  samePerson: 'SAME_PERSON',
  unlinked: 'UNIX_USER_UNLINKED',
  notIndependent: 'NOT_INDEPENDENT',
  problems: 'PLAN_HAS_PROBLEMS',
  unread: 'REPLIES_UNREAD',
  cancelled: 'CAMPAIGN_CANCELLED',
  notRunning: 'NOT_RUNNING',
  otherRun: 'ANOTHER_RUN',
  over: 'CAMPAIGN_OVER',
  nothing: 'NOTHING_TO_DO',
  notUnknown: 'NOT_UNKNOWN',
  restored: 'RESTORED',
  invalid: 'INVALID_COMMAND',
} as const;

/** A failure that Temporal does not retry, because the ledger or the configuration is its cause. */
export function refuseCommand(
  type: (typeof REFUSED)[keyof typeof REFUSED],
  message: string,
): ApplicationFailure {
  // The caller sees it; workers do not log it.
  return ApplicationFailure.create({
    message,
    type,
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
  });
}

/**
 * @throws ApplicationFailure if the run is not a plan that waits for its start, or if the configuration has changed
 *   since
 */
export function refuseUnlessPlanned(deps: Pick<Deps, 'campaign'>, row: CampaignRow): void {
  const { campaign, run_id: run, state, plan } = row;
  const replan = `\`sluice campaign plan ${campaign}\` makes a new one`;
  const why: Partial<Record<typeof state, string>> = {
    planning: `the plan ${run} is still being made; \`sluice campaign plan ${campaign}\` shows how far it is`,
    failed: `the plan ${run} failed: ${row.reason ?? 'unknown reason'}; ${replan}`,
    void: `a newer plan replaced the plan ${run}; ${replan}`,
    running: `the run ${run} has been started`,
    finished: `the run ${run} has finished; ${replan}`,
    cancelled: `the run ${run} was cancelled; ${replan}`,
  };
  if (state !== 'planned')
    throw refuseCommand(REFUSED.notPlanned, why[state] ?? `the run ${run} is ${state}`);
  if (plan === null) throw refuseCommand(REFUSED.notPlanned, why.planning ?? '');
  const spec = configured(() => deps.campaign(row.account, campaign));
  if (digestOfSpec(spec) !== row.digest)
    throw refuseCommand(
      REFUSED.planVoid,
      `the configuration of "${campaign}" has changed since the plan ${run} was made: ${replan}`,
    );
}

/** @throws ApplicationFailure if the plan has problems that prevent its start */
export function refuseProblems({ campaign, plan }: CampaignRow): void {
  const problems = plan?.problems ?? [];
  if (problems.length > 0)
    throw refuseCommand(
      REFUSED.problems,
      `the plan of "${campaign}" can't be started: ${problems.map(({ reason }) => reason).join('; ')}`,
    );
}

/** @throws ApplicationFailure if the run is in another state */
export function demand(
  { run_id: run, campaign, state }: CampaignRow,
  states: readonly CampaignRow['state'][],
): void {
  if (states.includes(state)) return;
  if (state === 'cancelled')
    throw refuseCommand(REFUSED.cancelled, `the run ${run} was cancelled, which is final`);
  if (state === 'finished') throw refuseCommand(REFUSED.over, `the run ${run} has finished`);
  if (state === 'planned' || state === 'planning')
    throw refuseCommand(
      REFUSED.notRunning,
      `the run ${run} is ${state}; \`sluice campaign start ${campaign}\` starts a plan`,
    );
  throw refuseCommand(REFUSED.notRunning, `the run ${run} is ${state} and was never started`);
}
