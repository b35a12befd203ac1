// Empties the outbox of one sink: it runs a batch when it is woken or something is due, and does nothing in between.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { wakeSignal } from './messages.ts';
import { OUTBOX_OPTIONS } from './policies.ts';

export interface OutboxDeliveryInput {
  readonly sink: string;
}

/** A batch runs at least this often: a wake may get lost with the worker that was to send it. */
const IDLE_MS = 600_000;

const { outboxBatch } = proxyActivities<Pick<Activities, 'outboxBatch'>>(OUTBOX_OPTIONS);

export async function outboxDelivery({ sink }: OutboxDeliveryInput): Promise<void> {
  let wakes = 0;
  setHandler(wakeSignal, () => void wakes++);
  while (!workflowInfo().continueAsNewSuggested) {
    // What was put into the outbox while the batch ended may have escaped it.
    const before = wakes;
    const { nextMs } = await outboxBatch({ sink });
    if (nextMs !== 0) await condition(() => wakes !== before, Math.min(nextMs ?? IDLE_MS, IDLE_MS));
  }
  // The next run begins with a batch, so that a wake in between is answered, too.
  await continueAsNew<typeof outboxDelivery>({ sink });
}
