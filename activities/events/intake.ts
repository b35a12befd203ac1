// Closes events. This uses only the ledger.

import type { Queryable } from '../../src/core/sql/database.ts';
import type { EventOutcome, NextInQueue } from '../../src/jobs/events/contract/intake.ts';
import { isFollowed } from '../../src/jobs/events/store/deliveries.ts';
import {
  type ClosingEvent,
  type EventEnd,
  endEvent,
  lockEvent,
  sentEffect,
} from '../../src/jobs/events/store/event-end.ts';
import { nextInQueue } from '../../src/jobs/events/store/events.ts';
import type { RecordOutcome } from '../../src/jobs/sync/constants.ts';
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
  return {
    /** Closes an event whose workflow was cancelled. */
    async cancelEvent(input: { event: string }): Promise<NextInQueue | null> {
      return await closeEvent(deps, { ...input, cancelled: true });
    },
  };
}

/** Records how the event ended, starts following its messages, and returns the next event in the queue. */
export async function closeEvent(
  { db, outcomes }: Pick<Deps, 'db' | 'outcomes'>,
  { event: id, cancelled = false }: { readonly event: string; readonly cancelled?: boolean },
  wake = wakeDelivery,
): Promise<NextInQueue | null> {
  const { next, follow, ended } = await db.transaction(async (tx) => {
    const event = await lockEvent(tx, id);
    if (event === null) return { next: null, follow: null, ended: null };
    const end = event.state === 'ended' ? null : await endOf(tx, id, event, cancelled);
    if (end !== null) await endEvent(tx, id, end);
    const follow = event.action === 'message' && (await isFollowed(tx, id));
    const { account, route } = event;
    const outcome = end?.outcome ?? event.outcome;
    const ended = outcome === null ? null : { account, route, outcome };
    return { next: await nextInQueue(tx, event), follow: follow ? account : null, ended };
  });
  if (ended !== null) outcomes?.eventEnded(ended);
  // After the transaction: if this attempt dies before the wake, the next attempt repeats it.
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
    const reason =
      'the workflow was cancelled while a call was in progress; check in the service whether it took effect';
    return { outcome: 'unknown', code: 'CANCELLED', reason };
  }
  const { status, step, code, reason } = record;
  if (status === 'pending' && cancelled) return stopped;
  if (status === 'pending') throw new Error(`the event ${id} can't end while its record is ${status}`);
  return { outcome: OUTCOME_OF[status], step, code, reason };
}
