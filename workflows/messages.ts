// Signals, queries and updates of the workflows.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { HALT_SIGNAL, WAKE_SIGNAL } from '../src/contracts/ids.ts';
import type {
  CampaignActResult,
  CampaignPlanProgress,
  CampaignProgress,
} from '../src/contracts/wire/campaign.ts';
import type { Halt, RunProgress } from '../src/contracts/wire/run.ts';

/** Who does something, and why: kept with the run. */
export interface OperatorAct {
  readonly by: string;
  readonly reason: string;
}

/** A pause. `code` names what the service refused and is set only when Sluice itself paused the run. */
export interface Pause extends OperatorAct {
  readonly code?: string;
}

export function validateAct(act: OperatorAct): void {
  if (typeof act?.by !== 'string' || act.by === '') throw new Error('say who does this: by must be a name');
  if (typeof act.reason !== 'string') throw new Error('reason must be a text');
}

/** Answered only when nothing of the run is under way any more. */
export const pauseUpdate = defineUpdate<RunProgress, [OperatorAct]>('pause');
/** `recheck`: the next write is verified again; without it a difference that paused the run counts as accepted. */
export const resumeUpdate = defineUpdate<RunProgress, [OperatorAct & { readonly recheck?: boolean }]>(
  'resume',
);

/** A batch reports why the run must pause, so that a batch beside it does not go on until the first one has ended. */
export const haltSignal = defineSignal<[Halt]>(HALT_SIGNAL);
/** `running`: batches under way, whose counts are in the details of their heartbeats (src/cli/sync/sync-progress.ts). */
export const progressQuery = defineQuery<RunProgress & { readonly running: readonly string[] }>('progress');

/** What is done to a run of a campaign: refused where the workflow has another run in hand. */
export interface CampaignOperatorAct extends OperatorAct {
  readonly run?: string;
}

/** It is the turn of this event now: the one before it, about the same subject, is done. */
export const turnSignal = defineSignal<[string]>('turn');
/** Somebody has mended what held the events of this workflow up: try again now. */
export const retrySignal = defineSignal('retry');

/** Answered when no call of the poller is under way any more. Kept until `resumePolling`, whatever restarts. */
export const pausePollingUpdate = defineUpdate<void, [OperatorAct]>('pausePolling');
/** Goes on, and tries again at once what was held up. */
export const resumePollingUpdate = defineUpdate<void, [OperatorAct]>('resumePolling');
/** Polls at once; answered when all that this poll has found is imported. Refused while paused. */
export const pollNowUpdate = defineUpdate<void>('pollNow');

/** There is something to do, or somebody wants it tried now. */
export const wakeSignal = defineSignal(WAKE_SIGNAL);

/** Begin no trigger. Answered only when none is under way any more; kept until `resumeCampaign`, whatever restarts. */
export const pauseCampaignUpdate = defineUpdate<CampaignActResult, [CampaignOperatorAct]>('pauseCampaign');
export const resumeCampaignUpdate = defineUpdate<CampaignActResult, [CampaignOperatorAct]>('resumeCampaign');
/** Ends the run: whoever has not been triggered never is. Answered when that is written down. */
export const cancelCampaignUpdate = defineUpdate<CampaignActResult, [CampaignOperatorAct]>('cancelCampaign');
/** Triggers a minute from now on; null: what the budget leaves. */
export const changeRateUpdate = defineUpdate<
  CampaignActResult,
  [CampaignOperatorAct & { readonly callsPerMinute: number | null }]
>('changeRate');
/** Leaves out the rest of the wave under way, or between two waves the next one. */
export const skipWaveUpdate = defineUpdate<CampaignActResult, [CampaignOperatorAct]>('skipWave');
/** Tries members again that failed, in a wave of their own; null: whatever the code. */
export const retryFailedUpdate = defineUpdate<
  CampaignActResult,
  [CampaignOperatorAct & { readonly codes: readonly string[] | null }]
>('retryFailed');
/** Settles members whose outcome is unknown; null: all of them. */
export const resolveUnknownUpdate = defineUpdate<
  CampaignActResult,
  [
    CampaignOperatorAct & {
      readonly members: readonly number[] | null;
      readonly as: 'triggered' | 'notTriggered';
      readonly again: boolean;
    },
  ]
>('resolveUnknown');
export const campaignProgressQuery = defineQuery<CampaignProgress>('campaignProgress');
export const campaignPlanProgressQuery = defineQuery<CampaignPlanProgress>('campaignPlanProgress');
