// Wakes a workflow that works through rows of the ledger. Starts it if it does not run.
import type { Client } from '@temporalio/client';
import { OUTBOX_WORKFLOW, outboxWorkflowId, WAKE_SIGNAL, WORK_QUEUE } from '../../core/ids.ts';
import type { OperatorDeps } from './deps.ts';

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

/** Wakes the delivery of sinks that have new events. Without Temporal, the next start wakes it. */
export async function wakeSinks(
  { runningTemporal, workQueue }: Pick<OperatorDeps, 'runningTemporal' | 'workQueue'>,
  sinks: readonly string[],
): Promise<void> {
  const client = sinks.length === 0 ? null : await runningTemporal();
  if (client === null) return;
  for (const sink of sinks)
    await wakeWorkflow(client, OUTBOX_WORKFLOW, outboxWorkflowId(sink), { sink }, workQueue);
}
