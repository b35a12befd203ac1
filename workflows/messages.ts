// Signals, queries and updates of the workflows.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { HALT_SIGNAL, WAKE_SIGNAL } from '../src/contracts/ids.ts';
import type {
  CampaignCommandResult,
  CampaignPlanProgress,
  CampaignProgress,
} from '../src/contracts/wire/campaign.ts';
import type { Halt, RunProgress } from '../src/contracts/wire/run.ts';

/** Who does something, and why: kept with the run. */
export interface OperatorCommand {
  readonly by: string;
  readonly reason: string;
}

/** A pause. `code` names what the service refused and is set only when Sluice itself paused the run. */
export interface Pause extends OperatorCommand {
  readonly code?: string;
}

export function validateCommand(command: OperatorCommand): void {
  if (typeof command?.by !== 'string' || command.by === '')
    throw new Error('say who does this: by must be a name');
  if (typeof command.reason !== 'string') throw new Error('reason must be a text');
}

/** Answered only when nothing of the run is under way any more. */
export const pauseUpdate = defineUpdate<RunProgress, [OperatorCommand]>('pause');
/** `recheck`: the next write is verified again; without it a difference that paused the run counts as accepted. */
export const resumeUpdate = defineUpdate<RunProgress, [OperatorCommand & { readonly recheck?: boolean }]>(
  'resume',
);

/** A batch reports why the run must pause, so that a batch beside it does not go on until the first one has ended. */
export const haltSignal = defineSignal<[Halt]>(HALT_SIGNAL);
/** `running`: batches under way, whose counts are in the details of their heartbeats (src/cli/sync/sync-progress.ts). */
export const progressQuery = defineQuery<RunProgress & { readonly running: readonly string[] }>('progress');

/** What is done to a run of a campaign: refused where the workflow has another run in hand. */
export interface CampaignOperatorCommand extends OperatorCommand {
  readonly run?: string;
}

/** It is the turn of this event now: the one before it, about the same subject, is done. */
export const readySignal = defineSignal<[string]>('ready');
/** Somebody has mended what held the events of this workflow up: try again now. */
export const retrySignal = defineSignal('retry');

/** Answered when no call of the poller is under way any more. Kept until `resumePolling`, whatever restarts. */
export const pausePollingUpdate = defineUpdate<void, [OperatorCommand]>('pausePolling');
/** Goes on, and tries again at once what was blocked. */
export const resumePollingUpdate = defineUpdate<void, [OperatorCommand]>('resumePolling');
/** Polls at once; answered when all that this poll has found is imported. Refused while paused. */
export const pollNowUpdate = defineUpdate<void>('pollNow');

/** There is something to do, or somebody wants it tried now. */
export const wakeSignal = defineSignal(WAKE_SIGNAL);

/** Begin no trigger. Answered only when none is under way any more; kept until `resumeCampaign`, whatever restarts. */
export const pauseCampaignUpdate = defineUpdate<CampaignCommandResult, [CampaignOperatorCommand]>(
  'pauseCampaign',
);
export const resumeCampaignUpdate = defineUpdate<CampaignCommandResult, [CampaignOperatorCommand]>(
  'resumeCampaign',
);
/** Ends the run: whoever has not been triggered never is. Answered when that is written down. */
export const cancelCampaignUpdate = defineUpdate<CampaignCommandResult, [CampaignOperatorCommand]>(
  'cancelCampaign',
);
/** Triggers a minute from now on; null: what the budget leaves. */
export const changeRateUpdate = defineUpdate<
  CampaignCommandResult,
  [CampaignOperatorCommand & { readonly callsPerMinute: number | null }]
>('changeRate');
/** Leaves out the rest of the wave under way, or between two waves the next one. */
export const skipWaveUpdate = defineUpdate<CampaignCommandResult, [CampaignOperatorCommand]>('skipWave');
/** Tries members again that failed, in a wave of their own; null: whatever the code. */
export const retryFailedUpdate = defineUpdate<
  CampaignCommandResult,
  [CampaignOperatorCommand & { readonly codes: readonly string[] | null }]
>('retryFailed');
/** Settles members whose outcome is unknown; null: all of them. */
export const resolveUnknownUpdate = defineUpdate<
  CampaignCommandResult,
  [
    CampaignOperatorCommand & {
      readonly members: readonly number[] | null;
      readonly as: 'triggered' | 'notTriggered';
      readonly again: boolean;
    },
  ]
>('resolveUnknown');
export const campaignProgressQuery = defineQuery<CampaignProgress>('campaignProgress');
export const campaignPlanProgressQuery = defineQuery<CampaignPlanProgress>('campaignPlanProgress');
