// What can be said to and asked of workflows from outside, and how they are named.
import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { RunProgress } from '../src/contracts/run.ts';

/** Who does something, and why: kept with the run. */
export interface OperatorAct {
  readonly by: string;
  readonly reason: string;
}

/** Answered only when nothing of the run is under way any more. */
export const pauseUpdate = defineUpdate<RunProgress, [OperatorAct]>('pause');
export const resumeUpdate = defineUpdate<RunProgress, [OperatorAct]>('resume');
export const progressQuery = defineQuery<RunProgress>('progress');

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
