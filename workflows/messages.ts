// What can be said to and asked of workflows from outside, and how they are named.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  CampaignActResult,
  CampaignName,
  CampaignPlanProgress,
  CampaignProgress,
} from '../src/contracts/campaign.ts';
import type { PollerName } from '../src/contracts/poll.ts';
import type { RunProgress } from '../src/contracts/run.ts';

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

/** Why a run must pause, as one of its batches found out. */
export interface Halt {
  readonly code: string;
  readonly reason: string;
  /** Kinds of writes that the service does not show as they were made, as bits: whoever resumes accepts them. */
  readonly kinds: number;
}

/** A batch reports why the run must pause, so that a batch beside it does not go on until the first one has ended. */
export const haltSignal = defineSignal<[Halt]>('halt');
/** `running`: batches under way, whose counts are in the details of their heartbeats (src/cli/sync-progress.ts). */
export const progressQuery = defineQuery<RunProgress & { readonly running: readonly string[] }>('progress');

/** What is done to a run of a campaign: refused where the workflow has another run in hand. */
export interface CampaignOperatorAct extends OperatorAct {
  readonly run?: string;
}

/** One workflow a sync: starting it twice at once is one run. */
export function crmSyncWorkflowId(account: string, sync: string): string {
  return `crm-sync/${account}/${sync}`;
}

/** The schedule of a sync, if it has one. */
export function syncScheduleId(account: string, sync: string): string {
  return `${SCHEDULE_PREFIX}${account}/${sync}`;
}

export const SCHEDULE_PREFIX = 'sync/';

/** The server adds the time that it started for. */
export function scheduledSyncWorkflowId(account: string, sync: string): string {
  return `scheduled-sync/${account}/${sync}`;
}

/** Custom search attributes; they are plain text in the engine, so none holds personal data. */
export const SEARCH_KEYS = {
  account: { name: 'SluiceAccount', type: 'KEYWORD' },
  job: { name: 'SluiceJob', type: 'KEYWORD' },
  run: { name: 'SluiceRun', type: 'KEYWORD' },
  phase: { name: 'SluicePhase', type: 'KEYWORD' },
} as const;

/** How a run of a sync is named and found in the engine, whoever starts it. */
export function crmSyncIdentity(account: string, sync: string) {
  return {
    workflowId: crmSyncWorkflowId(account, sync),
    typedSearchAttributes: [
      { key: SEARCH_KEYS.account, value: account },
      { key: SEARCH_KEYS.job, value: `crm-sync/${sync}` },
    ],
    staticSummary: `CRM sync "${sync}" into the account "${account}"`,
  };
}

/** The workflow of events that came in. `key`: the id of the event, or a hash over those of several. */
export function leadIntakeWorkflowId(account: string, route: string, key: string): string {
  return `lead-intake/${account}/${route}/${key}`;
}

/** How the workflow of events is named and found in the engine. Nothing of what they say: ids are hashes. */
export function leadIntakeIdentity(account: string, route: string, key: string) {
  return {
    workflowId: leadIntakeWorkflowId(account, route, key),
    typedSearchAttributes: [
      { key: SEARCH_KEYS.account, value: account },
      { key: SEARCH_KEYS.job, value: `route/${route}` },
    ],
    staticSummary: `Events of the route "${route}" for the account "${account}"`,
  };
}

/** It is the turn of this event now: the one before it, about the same subject, is done. */
export const turnSignal = defineSignal<[string]>('turn');
/** Somebody has mended what held the events of this workflow up: try again now. */
export const retrySignal = defineSignal('retry');

/** One workflow a poller: starting it twice at once is one. */
export function pollingIdentity({ account, poller }: PollerName) {
  return {
    workflowId: `conversation-polling/${account}/${poller}`,
    typedSearchAttributes: [
      { key: SEARCH_KEYS.account, value: account },
      { key: SEARCH_KEYS.job, value: `poller/${poller}` },
    ],
    staticSummary: `Polls the conversations of the account "${account}"`,
  };
}

/** Answered when no call of the poller is under way any more. Kept until `resumePolling`, whatever restarts. */
export const pausePollingUpdate = defineUpdate<void, [OperatorAct]>('pausePolling');
/** Goes on, and tries again at once what was held up. */
export const resumePollingUpdate = defineUpdate<void, [OperatorAct]>('resumePolling');
/** Polls at once; answered when all that this poll has found is imported. Refused while paused. */
export const pollNowUpdate = defineUpdate<void>('pollNow');

/** The workflow that empties the outbox of one sink. */
export function outboxWorkflowId(sink: string): string {
  return `outbox/${sink}`;
}

/** The workflow that follows the delivery of an account's messages. */
export function deliveryWorkflowId(account: string): string {
  return `delivery/${account}`;
}

/** There is something to do, or somebody wants it tried now. */
export const wakeSignal = defineSignal('wake');

/** The work queue, where workflows run, that this one is or belongs to. */
export function workQueueOf(queue: string): string {
  return queue.replace(/-(api|events)$/, '');
}

/** One workflow a campaign: starting it twice at once is one. */
export function campaignIdentity({ account, campaign }: CampaignName) {
  return {
    workflowId: `reactivation-campaign/${account}/${campaign}`,
    typedSearchAttributes: [
      { key: SEARCH_KEYS.account, value: account },
      { key: SEARCH_KEYS.job, value: `campaign/${campaign}` },
    ],
    staticSummary: `Campaign "${campaign}" of the account "${account}"`,
  };
}

/** The route of the events that follow a campaign's triggers: no configured route begins with a plus. */
export function campaignRoute(campaign: string): string {
  return `+${campaign}`;
}

/** Reading a campaign's audience: twice at once is one. */
export function campaignPlanIdentity({ account, campaign }: CampaignName) {
  return {
    workflowId: `campaign-plan/${account}/${campaign}`,
    typedSearchAttributes: [
      { key: SEARCH_KEYS.account, value: account },
      { key: SEARCH_KEYS.job, value: `campaign-plan/${campaign}` },
    ],
    staticSummary: `Plans the campaign "${campaign}" of the account "${account}"`,
  };
}

export const CAMPAIGN_SCHEDULE_PREFIX = 'campaign/';

/** The schedule of a campaign, if it has one. */
export function campaignScheduleId({ account, campaign }: CampaignName): string {
  return `${CAMPAIGN_SCHEDULE_PREFIX}${account}/${campaign}`;
}

/** The server adds the time that it started for. */
export function scheduledCampaignWorkflowId({ account, campaign }: CampaignName): string {
  return `scheduled-campaign/${account}/${campaign}`;
}

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
