// Starts workflows for the events of a restored ledger. Temporal may have lost theirs, or have them at another moment.
import type { Client } from '@temporalio/client';
import { leadIntakeIdentity, WORK_QUEUE } from '../core/ids.ts';
import type { Database } from '../core/sql/database.ts';
import { eventLane, type LeadIntakeInput } from '../jobs/events/contract/intake.ts';
import { type OpenEvent, openEventsAfter } from '../protect/restore/open-events.ts';

const PAGE = 500;
/** Tasks of these workflows take precedence over those of syncs. */
const PRIORITY = { priorityKey: 2 };

/**
 * Starts a workflow for each event that has not ended. An event that has a running one keeps it: the ledger gives an
 * event to one workflow.
 * @returns the number of events
 */
export async function restartEvents(client: Client, db: Database, taskQueue = WORK_QUEUE): Promise<number> {
  let events = 0;
  for (let after = 0; ; ) {
    const page = await openEventsAfter(db, after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return events;
    // One after the other: events of one subject queue in the order of their arrival.
    for (const event of page) await restart(client, event, taskQueue);
    events += page.length;
    after = last.seq;
  }
}

async function restart(client: Client, event: OpenEvent, taskQueue: string): Promise<void> {
  const { id, account, route, action } = event;
  const input: LeadIntakeInput = { account, route, lane: eventLane(action, route), events: [id] };
  await client.workflow.start('leadIntake', {
    ...leadIntakeIdentity(account, route, id),
    taskQueue,
    args: [input],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    priority: PRIORITY,
  });
}
