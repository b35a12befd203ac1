// An engine whose time runs ahead: whenever nothing is under way, it is at once when the next timer is due. Weeks of a campaign
// pass in a second. It has no lists of workflows, no schedules and no limits of queues.
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { Clock } from '../../activities/deps.ts';
import { cacheDirOf } from '../../src/runtime/cache-dir.ts';
import { findTestServer } from '../../src/runtime/temporal-binary.ts';
import { SEARCH_ATTRIBUTES } from './house.ts';
import type { TestTemporal } from './temporal.ts';
import { workflowBundle } from './workflow-bundle.ts';
import type { WorkflowWorker } from './workflow-worker.ts';

/** INDEXED_VALUE_TYPE_KEYWORD */
const KEYWORD = 2;

export interface SkippingTemporal extends TestTemporal {
  /** The engine's time, for `Deps`. */
  readonly clock: Clock;
  /** The same for who can't wait, as the sandbox: what the clock told last, and what has passed since. */
  now(): Date;
  /**
   * Lets so much time pass, at once but for what is to be done in it. At all other times it passes as everywhere.
   * The SDK's own way, to wait for a result, jumps on to the next timer at the end, which may be ten years away.
   */
  pass(ms: number): Promise<void>;
}

/**
 * Starts the time-skipping test server on any free port.
 * @throws BinaryNotFoundError telling how to bring the server here
 */
export async function startSkippingTemporal(): Promise<SkippingTemporal> {
  const { path } = await findTestServer({
    env: process.env,
    cacheDir: cacheDirOf(process.env),
    say: (line) => console.error(line),
  });
  const env = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  const { connection, nativeConnection, namespace = 'default' } = env;
  // It can't list those it has, as the production code asks first.
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(Object.keys(SEARCH_ATTRIBUTES).map((name) => [name, KEYWORD])),
  });
  let told = { ms: 0, at: 0 };
  const now = async (): Promise<number> => {
    told = { ms: await env.currentTimeMs(), at: performance.now() };
    return told.ms;
  };
  await now();
  return {
    ...{ connection, nativeConnection, namespace },
    client: new Client({ connection, namespace }),
    taskQueue: (label = 'queue') => `${label}-${randomUUID()}`,
    clock: { now },
    now: () => new Date(told.ms + performance.now() - told.at),
    async pass(ms) {
      await env.sleep(ms);
      await now();
    },
    close: async () => await env.teardown(),
  };
}

/** Runs the workflows of a test file, as `startWorkflowWorker`: this engine lists only those that are open, and not by query. */
export async function startSkippingWorker(temporal: SkippingTemporal): Promise<WorkflowWorker> {
  const { nativeConnection, namespace } = temporal;
  const workQueue = temporal.taskQueue('work');
  const worker = await Worker.create({
    ...{ connection: nativeConnection, namespace, taskQueue: workQueue },
    ...workflowBundle(),
  });
  const running = worker.run();
  running.catch(() => undefined);
  return {
    workQueue,
    async endAll() {
      const { executions } = await temporal.connection.workflowService.listOpenWorkflowExecutions({
        namespace,
        maximumPageSize: 1000,
      });
      for (const { execution } of executions)
        await temporal.client.workflow
          .getHandle(execution?.workflowId ?? '', execution?.runId ?? '')
          .terminate('the test is over');
    },
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}
