// Workflow that delivers the outbox of one sink. It runs a batch when it is woken or an event is due, and is idle
// otherwise.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { wakeSignal } from './messages.ts';
import { OUTBOX_OPTIONS } from './policies.ts';

export interface OutboxDeliveryInput {
  readonly sink: string;
}

/** Maximum time between two batches, because a wake is lost if the worker that would send it crashes. */
const IDLE_MS = 600_000;

const { outboxBatch } = proxyActivities<Pick<Activities, 'outboxBatch'>>(OUTBOX_OPTIONS);

export async function outboxDelivery({ sink }: OutboxDeliveryInput): Promise<void> {
  let wakes = 0;
  setHandler(wakeSignal, () => void wakes++);
  while (!workflowInfo().continueAsNewSuggested) {
    // The batch may have missed an event that was added while it ended.
    const before = wakes;
    const { nextMs } = await outboxBatch({ sink });
    if (nextMs !== 0) await condition(() => wakes !== before, Math.min(nextMs ?? IDLE_MS, IDLE_MS));
  }
  // The next run begins with a batch, so it handles a wake that arrives in between.
  await continueAsNew<typeof outboxDelivery>({ sink });
}
