// Wakes the workflows that deliver the outbox and follow deliveries. Starts them if they are not running.

import { Context } from '@temporalio/activity';
import {
  DELIVERY_WORKFLOW,
  deliveryWorkflowId,
  OUTBOX_WORKFLOW,
  outboxWorkflowId,
  WAKE_SIGNAL,
  workQueueOf,
} from '../../src/core/ids.ts';

/** Wakes the delivery of sinks that have new events. */
export async function wakeSinks(sinks: readonly string[]): Promise<void> {
  for (const sink of new Set(sinks)) await wake(OUTBOX_WORKFLOW, outboxWorkflowId(sink), { sink });
}

/** Wakes the delivery watch of an account after Sluice has sent messages. */
export async function wakeDelivery(account: string): Promise<void> {
  await wake(DELIVERY_WORKFLOW, deliveryWorkflowId(account), { account });
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
