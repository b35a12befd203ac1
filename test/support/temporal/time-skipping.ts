// A Temporal server whose time runs ahead: whenever nothing is under way, it is at once when the next timer is due. Weeks of a campaign
// pass in a second. It has no lists of workflows, no schedules and no limits of queues.
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Clock } from '../../../activities/shared/deps.ts';
import { cacheDirOf } from '../../../src/temporal/cache-dir.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { findTestServer } from '../../../src/temporal/temporal-binary.ts';
import { guard } from '../guard.ts';
import type { TestTemporal } from './temporal.ts';
import { runWorkflows, type WorkflowWorker } from './workflow-worker.ts';

/** INDEXED_VALUE_TYPE_KEYWORD */
const KEYWORD = 2;

export interface SkippingTemporal extends TestTemporal {
  /** Temporal's time, for `Deps`. */
  readonly clock: Clock;
  /** The same for callers that cannot wait, such as the sandbox: the last reading of the clock plus the time since. */
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
  try {
    return await skipping(env);
  } catch (error) {
    await env.teardown();
    throw error;
  }
}

async function skipping(env: TestWorkflowEnvironment): Promise<SkippingTemporal> {
  const { connection, nativeConnection, namespace = 'default' } = env;
  // The SDK ends its server only with `teardown`: not when this process is killed.
  const port = env.address.split(':').at(-1) ?? '';
  const standDown = guard({ pid: await serverAt(port), folder: join(tmpdir(), `sluice-no-folder-${port}`) });
  // It can't list those it has, as the production code asks first.
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(Object.keys(SEARCH_ATTRIBUTES).map((name) => [name, KEYWORD])),
  });
  let reported = { ms: 0, at: 0 };
  const now = async (): Promise<number> => {
    reported = { ms: await env.currentTimeMs(), at: performance.now() };
    return reported.ms;
  };
  await now();
  return {
    connection,
    nativeConnection,
    namespace,
    client: new Client({ connection, namespace }),
    taskQueue: (label = 'queue') => `${label}-${randomUUID()}`,
    clock: { now },
    now: () => new Date(reported.ms + performance.now() - reported.at),
    async pass(ms) {
      await env.sleep(ms);
      await now();
    },
    async close() {
      await env.teardown();
      await standDown();
    },
  };
}

/** Process of the server that listens here; the SDK does not show it. Null where there is no /proc. */
async function serverAt(port: string): Promise<number | null> {
  const pids = (await readdir('/proc').catch(nothing)).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const [, ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(nothing))
      .toString()
      .split('\0');
    if (args[0] === port) return Number(pid);
  }
  return null;
}

/** A process that has ended meanwhile, or a system without /proc. */
function nothing(error: NodeJS.ErrnoException): string[] {
  if (['ENOENT', 'ESRCH', 'EACCES'].includes(error.code ?? '')) return [];
  throw error;
}

/** Runs the workflows of a test file, as `startWorkflowWorker`: this server lists only those that are open, and not by query. */
export async function startSkippingWorker(temporal: SkippingTemporal): Promise<WorkflowWorker> {
  const { namespace } = temporal;
  return {
    ...(await runWorkflows(temporal)),
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
  };
}
