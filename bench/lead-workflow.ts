// Workflow of the bench `lanes`: a lead that makes one API call in the lead's lane, on the queue of all API calls.

import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { apiQueue, WORK_QUEUE } from '../src/core/ids.ts';
import { LANES } from '../src/core/lanes.ts';
import { API_OPTIONS, callPriority } from '../workflows/policies.ts';

export interface LeadInput {
  /** The run of the backfill beside it. The call is made on its account. */
  readonly run: string;
  readonly tokenKey: string;
  readonly callsPerMinute: number;
}

export async function lead({ run, tokenKey, callsPerMinute }: LeadInput): Promise<void> {
  const { readTags } = proxyActivities<Activities>({
    ...API_OPTIONS,
    taskQueue: apiQueue(WORK_QUEUE),
    priority: callPriority(LANES.lead, tokenKey, callsPerMinute),
  });
  await readTags({ run });
}
