// Empties the outbox of one sink: sits down to it when it is woken or when something is due, and between that does nothing.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { wakeSignal } from './messages.ts';
import { OUTBOX_OPTIONS } from './policies.ts';

export interface OutboxDeliveryInput {
  readonly sink: string;
}

/** However quiet it is, it looks this often: a word may get lost with the worker that was to give it. */
const LOOK_MS = 600_000;

const { deliverOutbox } = proxyActivities<Pick<Activities, 'deliverOutbox'>>(OUTBOX_OPTIONS);

export async function outboxDelivery({ sink }: OutboxDeliveryInput): Promise<void> {
  let wakes = 0;
  setHandler(wakeSignal, () => void wakes++);
  while (!workflowInfo().continueAsNewSuggested) {
    // From before the sitting: what was put into the outbox while it ended may have escaped it.
    const before = wakes;
    const { nextMs } = await deliverOutbox({ sink });
    if (nextMs !== 0) await condition(() => wakes !== before, Math.min(nextMs ?? LOOK_MS, LOOK_MS));
  }
  // The next run begins with a sitting, so that a wake in between is answered, too.
  await continueAsNew<typeof outboxDelivery>({ sink });
}
