// The worker that runs workflow code, one for all environments of a test file: its start takes a third of a second of computing,
// and the first workflow in it another tenth. Each environment brings workers for the activities, which have its parts.
import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { TestTemporal } from './temporal.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface WorkflowWorker {
  readonly workQueue: string;
  /** Ends what still runs, so that nothing of a test environment that closed asks for activities of the next one. */
  endAll(): Promise<void>;
  stop(): Promise<void>;
}

/** A worker for workflows alone, on a queue of its own. */
export async function runWorkflows(
  temporal: Pick<TestTemporal, 'namespace' | 'nativeConnection' | 'taskQueue'>,
): Promise<Omit<WorkflowWorker, 'endAll'>> {
  const { namespace, nativeConnection } = temporal;
  const workQueue = temporal.taskQueue('work');
  const worker = await Worker.create({
    connection: nativeConnection,
    namespace,
    taskQueue: workQueue,
    ...workflowBundle(),
  });
  const running = worker.run();
  // `stop` informs callers that wait for a workflow without a worker.
  running.catch(() => undefined);
  return {
    workQueue,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}

export async function startWorkflowWorker(temporal: TestTemporal): Promise<WorkflowWorker> {
  const { client } = temporal;
  const worker = await runWorkflows(temporal);
  const { workQueue } = worker;
  return {
    ...worker,
    async endAll() {
      const query = `TaskQueue = '${workQueue}' and ExecutionStatus = 'Running'`;
      for await (const { workflowId, runId } of client.workflow.list({ query })) {
        await terminate(client.workflow.getHandle(workflowId, runId));
      }
    },
  };
}

async function terminate(handle: WorkflowHandle): Promise<void> {
  await handle.terminate('the test is over').catch((error: unknown) => {
    // The list lags behind: it has ended since.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
}
