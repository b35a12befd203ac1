// Ledger side of events: how they end, and what operators ask of them. None of these calls the API.
import { leadIntakeWorkflowId } from '../../src/contracts/ids.ts';
import type {
  EventFilter,
  EventOutcome,
  EventRetryInput,
  EventSummary,
  NextInQueue,
} from '../../src/contracts/wire/intake.ts';
import type { RecordOutcome } from '../../src/contracts/wire/run.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import { isFollowed } from '../../src/ledger/events/deliveries.ts';
import {
  type ClosingEvent,
  type EventEnd,
  endEvent,
  lockEvent,
  sentEffect,
} from '../../src/ledger/events/event-end.ts';
import { listEvents, type ReopenedEvents, reopenEvents } from '../../src/ledger/events/event-queries.ts';
import { nextInQueue } from '../../src/ledger/events/events.ts';
import type { Deps } from '../shared/deps.ts';
import { wakeDelivery } from '../shared/wake.ts';

const OUTCOME_OF: Record<RecordOutcome, EventOutcome> = {
  created: 'done',
  updated: 'done',
  unchanged: 'unchanged',
  failed: 'failed',
  unknown: 'unknown',
};

export function createIntakeActivities(deps: Deps) {
  const { db } = deps;
  return {
    /** Events as operators see them: nothing personal. */
    async listEvents(filter: EventFilter): Promise<EventSummary[]> {
      return await listEvents(db, filter);
    },

    /** Opens events again for the workflows of this key; answers which, by route. */
    async reopenEvents(input: EventRetryInput & { key: string }): Promise<ReopenedEvents[]> {
      const { key, gone } = input;
      const workflowOf = (account: string, route: string) => leadIntakeWorkflowId(account, route, key);
      const reopened = await db.transaction((tx) =>
        reopenEvents(tx, input.filter, { key, gone, workflowOf }),
      );
      for (const { account, route, events } of reopened)
        deps.log.warn({ account, route, events: events.length, by: input.by }, 'events are tried again');
      return reopened;
    },

    /** Closes an event whose workflow was cancelled. */
    async cancelEvent(input: { event: string }): Promise<NextInQueue | null> {
      return await closeEvent(deps, { ...input, cancelled: true });
    },
  };
}

/** Writes down how the event ended, has the messages that it sent followed, and answers who comes next. */
export async function closeEvent(
  { db }: Pick<Deps, 'db'>,
  { event: id, cancelled = false }: { readonly event: string; readonly cancelled?: boolean },
  wake = wakeDelivery,
): Promise<NextInQueue | null> {
  const { next, follow } = await db.transaction(async (tx) => {
    const event = await lockEvent(tx, id);
    if (event === null) return { next: null, follow: null };
    if (event.state !== 'ended') await endEvent(tx, id, await endOf(tx, id, event, cancelled));
    const follow = event.action === 'message' && (await isFollowed(tx, id));
    return { next: await nextInQueue(tx, event), follow: follow ? event.account : null };
  });
  // Again, should this attempt end before it: then the next one does.
  if (follow !== null) await wake(follow);
  return next;
}

async function endOf(
  tx: Queryable,
  id: string,
  { account, record }: ClosingEvent,
  cancelled: boolean,
): Promise<EventEnd> {
  const stopped: EventEnd = { outcome: 'discarded', code: 'CANCELLED', reason: 'the workflow was cancelled' };
  if (record === null) {
    const effect = await sentEffect(tx, account, id);
    if (effect === 'done') return { outcome: 'done' };
    if (effect === null) return stopped;
    const reason = 'the workflow was cancelled while a call was under way: look whether it had its effect';
    return { outcome: 'unknown', code: 'CANCELLED', reason };
  }
  const { status, step, code, reason } = record;
  if (status === 'pending' && cancelled) return stopped;
  if (status === 'pending') throw new Error(`the event ${id} is to end, and its record is ${status}`);
  return { outcome: OUTCOME_OF[status], step, code, reason };
}
