// How a workflow has messages sent, or anything else that an event can ask for: through the workflow of events, so that
// order per person, budget, intents and read-back are those of every other event.

import { executeChild, startChild, uuid4 } from '@temporalio/workflow';
import { leadIntakeIdentity } from '../../src/contracts/ids.ts';
import type { EventLane } from '../../src/contracts/wire/intake.ts';
import type { leadIntake } from '../lead-intake.ts';

/** Tasks of these workflows go before those of syncs, as where the ingress starts them. */
const PRIORITY = { priorityKey: 2 };

export interface AnswerOptions {
  /** @default `reply`: before events that come in */
  readonly lane?: EventLane;
  /**
   * Return only when all of them have ended; a cancellation of this workflow then discards those that have not been
   * sent. Otherwise they go on by themselves, whatever becomes of this workflow.
   * @default false
   */
  readonly wait?: boolean;
}

/**
 * Has events done that an activity has written into the ledger before (`addEvents`, in a run that `openIntakeRun`
 * opened): what they say stays there, and only their ids pass through here. How each ended is in the ledger, too. An event
 * that another workflow has in hand is left to it, so a repetition is safe; it is not waited for then.
 * @param route name of the route that the events were written under; one that is no configuration's begins with `_`
 * @param events ids, in the order in which those about one person are to be done; a few hundred at most
 */
export async function answer(
  account: string,
  route: string,
  events: readonly string[],
  { lane = 'reply', wait = false }: AnswerOptions = {},
): Promise<void> {
  if (events.length === 0) return;
  const options = {
    // A name of its own each time: which workflow does an event is for the ledger to say, not for the name.
    ...leadIntakeIdentity(account, route, uuid4()),
    args: [{ account, route, lane, events }] as [Parameters<typeof leadIntake>[0]],
    priority: PRIORITY,
    // Accepted is accepted: a parent that is terminated takes nothing along.
    parentClosePolicy: 'ABANDON' as const,
  };
  if (wait) await executeChild<typeof leadIntake>('leadIntake', options);
  else await startChild<typeof leadIntake>('leadIntake', options);
}
