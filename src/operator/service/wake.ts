// Wakes a workflow that works through rows of the ledger. Starts it if it does not run.
import type { Client } from '@temporalio/client';
import { WAKE_SIGNAL, WORK_QUEUE } from '../../core/ids.ts';

export async function wakeWorkflow(
  client: Client,
  type: string,
  workflowId: string,
  input: object,
  taskQueue: string = WORK_QUEUE,
): Promise<void> {
  await client.workflow.signalWithStart(type, {
    workflowId,
    taskQueue,
    args: [input],
    signal: WAKE_SIGNAL,
    signalArgs: [],
  });
}
