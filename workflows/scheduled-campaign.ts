// Workflow that the schedule of a campaign starts: it plans the campaign again, and starts the plan if nothing
// prevents it.

import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  continueAsNew,
  isCancellation,
  startChild,
} from '@temporalio/workflow';
import type { OverlapPolicy } from '../src/core/config/schedule.ts';
import { campaignIdentity, campaignPlanIdentity } from '../src/core/ids.ts';
import type { CampaignName } from '../src/jobs/campaigns/contract/batches.ts';
import type { CampaignPlan } from '../src/jobs/campaigns/contract/plan.ts';
import type { campaignPlan } from './campaign-plan.ts';
import type { reactivationCampaign } from './reactivation-campaign.ts';
import {
  beginWhenReady,
  cancelByName,
  OUTLIVES_PARENT,
  unlessTaken,
  type Waiting,
} from './shared/overlap.ts';

export interface ScheduledCampaignInput extends CampaignName {
  /** What to do if the campaign is already being planned or running, whoever started it. */
  readonly overlap: OverlapPolicy;
  /** Set when a waiting workflow continues as new. */
  readonly waiting?: Waiting;
}

export interface ScheduledCampaignResult {
  /** Id of the run in the ledger; null if this occurrence was skipped, or its planning was cancelled. */
  readonly run: string | null;
  readonly started: boolean;
  /**
   * Why the run was not started or did not finish; null if it finished. `nobody`: today's audience is empty.
   * `problems` and `approval` need an operator.
   */
  readonly why: 'overlap' | 'nobody' | 'problems' | 'approval' | 'cancelled' | null;
}

/** Recorded in the ledger as who planned and started the run. */
const BY = 'schedule';
/** Longest delay between checks. A campaign takes days, and each check is a plan that is refused. */
const LAST_CHECK_MS = 600_000;

type Campaign = ChildWorkflowHandle<typeof reactivationCampaign>;
/** A running campaign, or why none is running. */
type Begun = { readonly run: string | null } & (
  | { readonly campaign: Campaign }
  | { readonly why: ScheduledCampaignResult['why'] }
);

export async function scheduledCampaign(input: ScheduledCampaignInput): Promise<ScheduledCampaignResult> {
  const { account, campaign, overlap, waiting } = input;
  const name = { account, campaign };
  const begun = await beginWhenReady({
    overlap,
    waiting,
    lastCheckMs: LAST_CHECK_MS,
    begin: () => begin(name),
    cancelOther: async () => {
      await cancelByName(campaignPlanIdentity(name).workflowId);
      await cancelByName(campaignIdentity(name).workflowId);
    },
    continueWaiting: (waiting) => continueAsNew<typeof scheduledCampaign>({ ...input, waiting }),
  });
  if (begun === null) return { run: null, started: false, why: 'overlap' };
  const { run } = begun;
  if (!('campaign' in begun)) return { run, started: false, why: begun.why };
  try {
    const { state } = await begun.campaign.result();
    return { run, started: true, why: state === 'cancelled' ? 'cancelled' : null };
  } catch (error) {
    if (!cancelledByName(error)) throw error;
    return { run, started: true, why: 'cancelled' };
  }
}

/** Null if the campaign is already being planned or running. */
async function begin(name: CampaignName): Promise<Begun | null> {
  const planning = await unlessTaken(() =>
    startChild<typeof campaignPlan>('campaignPlan', {
      ...campaignPlanIdentity(name),
      ...OUTLIVES_PARENT,
      args: [{ ...name, by: BY }],
    }),
  );
  if (planning === null) return null;
  let plan: CampaignPlan;
  try {
    plan = await planning.result();
  } catch (error) {
    if (isUnderWay(error)) return null;
    if (!cancelledByName(error)) throw error;
    return { run: null, why: 'cancelled' };
  }
  const { run, problems, approval } = plan;
  if (problems.length > 0)
    return { run, why: problems.every(({ code }) => code === 'EMPTY_AUDIENCE') ? 'nobody' : 'problems' };
  if (approval !== 'none') return { run, why: 'approval' };
  const campaign = await unlessTaken(() =>
    startChild<typeof reactivationCampaign>('reactivationCampaign', {
      ...campaignIdentity(name),
      ...OUTLIVES_PARENT,
      args: [{ ...name, run, by: BY }],
    }),
  );
  return campaign === null ? null : { run, campaign };
}

/** The ledger has refused the plan because a run of the campaign is in progress. */
function isUnderWay(error: unknown): boolean {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  const refused = cause instanceof ActivityFailure ? cause.cause : cause;
  return refused instanceof ApplicationFailure && refused.type === 'RUN_OPEN';
}

/** True if the plan or campaign was cancelled, but not this workflow itself, which would end as cancelled. */
function cancelledByName(error: unknown): boolean {
  return isCancellation(error) && !CancellationScope.current().consideredCancelled;
}
