// What the schedule of a campaign starts: plans it anew, and runs the plan when nothing speaks against it.

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
import type { OverlapPolicy } from '../src/contracts/config/config-schedule.ts';
import { campaignIdentity, campaignPlanIdentity } from '../src/contracts/ids.ts';
import type { CampaignName, CampaignPlan } from '../src/contracts/wire/campaign.ts';
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
  /** What happens when the campaign is planned or runs already, whoever began. */
  readonly overlap: OverlapPolicy;
  /** Set when the waiting continues as new. */
  readonly waiting?: Waiting;
}

export interface ScheduledCampaignResult {
  /** Id of the run in the ledger; null when this turn was left out, or its planning was cancelled. */
  readonly run: string | null;
  readonly started: boolean;
  /**
   * Why it was not started, or not run to its end; null: it was. `nobody` is to be reached today; `problems` and
   * `approval` wait for somebody.
   */
  readonly why: 'overlap' | 'nobody' | 'problems' | 'approval' | 'cancelled' | null;
}

/** Who planned and started it, as the ledger has it. */
const BY = 'schedule';
/** A campaign takes days: each check is a plan that is refused. */
const LAST_CHECK_MS = 600_000;

type Campaign = ChildWorkflowHandle<typeof reactivationCampaign>;
/** A campaign that runs, or why none does. */
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

/** Null: the campaign is being planned, or runs. */
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

/** The ledger knows of a run that goes on: there is nothing to plan. */
function isUnderWay(error: unknown): boolean {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  const refused = cause instanceof ActivityFailure ? cause.cause : cause;
  return refused instanceof ApplicationFailure && refused.type === 'RUN_OPEN';
}

/** Cancelled itself, this workflow ends as cancelled; a plan or campaign that was cancelled by name is a result. */
function cancelledByName(error: unknown): boolean {
  return isCancellation(error) && !CancellationScope.current().consideredCancelled;
}
