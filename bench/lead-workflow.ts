// Workflow of the bench `lanes`: a lead that makes one API call, in the lead's lane and on the queue of all API calls.
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { LANES } from '../src/contracts/run.ts';
import { API_OPTIONS, apiQueue, WORK_QUEUE } from '../workflows/policies.ts';

const LEAD_LANE: (typeof LANES)['lead'] = 2;

export interface LeadInput {
  /** The run of the backfill beside it: the call is made on its account. */
  readonly run: string;
  readonly fairnessKey: string;
}

export async function lead({ run, fairnessKey }: LeadInput): Promise<void> {
  const { readTags } = proxyActivities<Activities>({
    ...API_OPTIONS,
    taskQueue: apiQueue(WORK_QUEUE),
    priority: { priorityKey: LEAD_LANE, fairnessKey },
  });
  await readTags({ run });
}
