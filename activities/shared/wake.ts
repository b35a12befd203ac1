// Wakes the workflows that empty the outbox and follow deliveries; starts them where they don't run.

import { Context } from '@temporalio/activity';
import { deliveryWorkflowId, outboxWorkflowId, WAKE_SIGNAL, workQueueOf } from '../../src/contracts/ids.ts';

/** Each of these sinks has something to be told. */
export async function wakeSinks(sinks: readonly string[]): Promise<void> {
  for (const sink of new Set(sinks)) await wake('outboxDelivery', outboxWorkflowId(sink), { sink });
}

/** Messages of this account have been sent whose delivery is to be followed. */
export async function wakeDelivery(account: string): Promise<void> {
  await wake('deliveryWatch', deliveryWorkflowId(account), { account });
}

async function wake(type: string, workflowId: string, input: object): Promise<void> {
  const { client, info } = Context.current();
  await client.workflow.signalWithStart(type, {
    workflowId,
    taskQueue: workQueueOf(info.taskQueue),
    args: [input],
    signal: WAKE_SIGNAL,
    signalArgs: [],
  });
}
