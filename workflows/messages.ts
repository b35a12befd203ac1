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

/** Custom search attributes; they are plain text in the engine, so none holds personal data. */
export const SEARCH_KEYS = {
  account: { name: 'SluiceAccount', type: 'KEYWORD' },
  job: { name: 'SluiceJob', type: 'KEYWORD' },
  run: { name: 'SluiceRun', type: 'KEYWORD' },
  phase: { name: 'SluicePhase', type: 'KEYWORD' },
} as const;
