// Signals, queries and updates of the workflows.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { HALT_SIGNAL, READY_SIGNAL, RETRY_SIGNAL, WAKE_SIGNAL } from '../src/core/ids.ts';
import type {
  CampaignCommandResult,
  CampaignPlanProgress,
  CampaignProgress,
} from '../src/jobs/campaigns/contract/batches.ts';
import type { Halt, RunProgress } from '../src/jobs/sync/contract/run.ts';

/** Who runs a command and why; recorded with the run. */
export interface OperatorCommand {
  readonly by: string;
  readonly reason: string;
}

export function validateCommand(command: OperatorCommand): void {
  if (typeof command?.by !== 'string' || command.by === '')
    throw new Error('by must be the name of the person or system that runs the command');
  if (typeof command.reason !== 'string') throw new Error('reason must be a string');
}

/** Completes when nothing of the run is in progress. */
export const pauseUpdate = defineUpdate<RunProgress, [OperatorCommand]>('pause');
/** `recheck` verifies the next write again. Without it, the difference that paused the run counts as accepted. */
export const resumeUpdate = defineUpdate<RunProgress, [OperatorCommand & { readonly recheck?: boolean }]>(
  'resume',
);

/** A batch reports why the run must pause, so that a parallel batch does not continue until the first one ends. */
export const haltSignal = defineSignal<[Halt]>(HALT_SIGNAL);
/**
 * `running` lists the batches in progress. Their counts are in their heartbeat details (src/jobs/sync/operator/read-progress.ts).
 */
export const progressQuery = defineQuery<RunProgress & { readonly running: readonly string[] }>('progress');

/** A command on a run of a campaign. The workflow refuses it if it names another run. */
export interface CampaignOperatorCommand extends OperatorCommand {
  readonly run?: string;
}

/** This event is next: the one before it, about the same subject, has ended. */
export const readySignal = defineSignal<[string]>(READY_SIGNAL);
/** An operator has fixed what blocked the events of this workflow; it retries them now. */
export const retrySignal = defineSignal(RETRY_SIGNAL);

/** Completes when no call of the poller is in progress. The pause lasts until `resumePolling`, across restarts. */
export const pausePollingUpdate = defineUpdate<void, [OperatorCommand]>('pausePolling');
/** Resumes the poller and retries at once what was blocked. */
export const resumePollingUpdate = defineUpdate<void, [OperatorCommand]>('resumePolling');
/** Polls now. Completes when everything that this poll found is imported. Refused while the poller is paused. */
export const pollNowUpdate = defineUpdate<void>('pollNow');

/** Wakes a workflow that waits: there is new work, or an operator wants a retry now. */
export const wakeSignal = defineSignal(WAKE_SIGNAL);

/**
 * Stops triggering. Completes when no trigger is in progress. The pause lasts until `resumeCampaign`, across restarts.
 */
export const pauseCampaignUpdate = defineUpdate<CampaignCommandResult, [CampaignOperatorCommand]>(
  'pauseCampaign',
);
export const resumeCampaignUpdate = defineUpdate<CampaignCommandResult, [CampaignOperatorCommand]>(
  'resumeCampaign',
);
/** Ends the run: members that were not triggered never will be. Completes when the ledger has recorded it. */
export const cancelCampaignUpdate = defineUpdate<CampaignCommandResult, [CampaignOperatorCommand]>(
  'cancelCampaign',
);
/** Sets the maximum number of triggers per minute; null leaves only the budget's limit. */
export const changeRateUpdate = defineUpdate<
  CampaignCommandResult,
  [CampaignOperatorCommand & { readonly callsPerMinute: number | null }]
>('changeRate');
/** Skips the rest of the open wave, or the next wave if none is open. */
export const skipWaveUpdate = defineUpdate<CampaignCommandResult, [CampaignOperatorCommand]>('skipWave');
/** Retries failed members in a wave of their own; null selects every code. */
export const retryFailedUpdate = defineUpdate<
  CampaignCommandResult,
  [CampaignOperatorCommand & { readonly codes: readonly string[] | null }]
>('retryFailed');
/** Resolves members whose outcome is unknown; null selects all of them. */
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
