// Runs events from a workflow, for example to send messages. The event workflow does them, so the order per person,
// the budget, intents and read-back apply as for every other event.

import { executeChild, startChild, uuid4 } from '@temporalio/workflow';
import { leadIntakeIdentity } from '../../src/core/ids.ts';
import type { EventLane } from '../../src/jobs/events/contract/intake.ts';
import type { leadIntake } from '../lead-intake.ts';

/** Puts tasks of these workflows before those of syncs, as the ingress does. */
const PRIORITY = { priorityKey: 2 };

export interface AnswerOptions {
  /** @default `reply`, which goes before incoming events */
  readonly lane?: EventLane;
  /**
   * Waits until all events have ended. If this workflow is cancelled meanwhile, events that were not sent are
   * discarded. Without `wait`, the events continue whatever happens to this workflow.
   * @default false
   */
  readonly wait?: boolean;
}

/**
 * Runs events that an activity has written into the ledger before (`addEvents`, in a run opened by `openIntakeRun`).
 * Their content and outcomes stay in the ledger; only their ids pass through here. If another workflow already owns
 * an event, it keeps it, so calling this again is safe. It does not wait for such an event.
 * @param route name of the route that the events were written under; a route without configuration begins with `_`
 * @param events ids, in the order in which events about one person must run; a few hundred at most
 */
export async function answer(
  account: string,
  route: string,
  events: readonly string[],
  { lane = 'reply', wait = false }: AnswerOptions = {},
): Promise<void> {
  if (events.length === 0) return;
  const options = {
    // Each start has its own name, because the ledger decides which workflow owns an event.
    ...leadIntakeIdentity(account, route, uuid4()),
    args: [{ account, route, lane, events }] as [Parameters<typeof leadIntake>[0]],
    priority: PRIORITY,
    // The events continue even if the parent is terminated.
    parentClosePolicy: 'ABANDON' as const,
  };
  if (wait) await executeChild<typeof leadIntake>('leadIntake', options);
  else await startChild<typeof leadIntake>('leadIntake', options);
}
