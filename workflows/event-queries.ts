// Workflows for operator queries and commands about events. A worker reads the ledger, so they work wherever the
// ledger is.

import { log, proxyActivities, startChild, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { leadIntakeIdentity } from '../src/contracts/ids.ts';
import type { EventFilter, EventRetryInput, EventSummary } from '../src/contracts/wire/intake.ts';
import type { leadIntake } from './lead-intake.ts';
import { LEDGER_OPTIONS } from './policies.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export async function listEvents(filter: EventFilter): Promise<EventSummary[]> {
  return await ledger.listEvents(filter);
}

/**
 * Retries events that have ended or that no workflow has. It starts one workflow per route.
 * @returns the number of events
 */
export async function retryEvents(input: EventRetryInput): Promise<number> {
  const key = `retry-${workflowInfo().runId}`;
  const routes = await ledger.reopenEvents({ ...input, key });
  let count = 0;
  for (const { account, route, lane, events } of routes) {
    await startChild<typeof leadIntake>('leadIntake', {
      ...leadIntakeIdentity(account, route, key),
      args: [{ account, route, lane, events }],
      parentClosePolicy: 'ABANDON',
    });
    count += events.length;
  }
  log.info('an operator retries events', { by: input.by, count });
  return count;
}
