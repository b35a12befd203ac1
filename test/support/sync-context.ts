// The context of a file that tests whole syncs: one Temporal server and one corner of the Temporal server for all its tests.
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../src/core/sql/database.ts';
import type { RunProgress, RunReport } from '../../src/jobs/sync/contract/run.ts';
import { readProgress } from '../../src/jobs/sync/operator/read-progress.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes.ts';
import { type Environment, type EnvironmentOptions, openEnvironment } from './environment.ts';
import { testLedger } from './postgres/ledger.ts';
import { connectTestTemporal, type TestTemporal } from './temporal/temporal.ts';
import { startWorkflowWorker, type WorkflowWorker } from './temporal/workflow-worker.ts';
import { until } from './until.ts';

export const HEADER = 'phone,name,email,tags,company,stage,plan\n';

/** A row without ninth-digit forms, tags or extra info: one upsert, and one card when a stage is given. */
export function plainRow(n: number, stage = ''): string {
  return `+1 415 555 ${String(2000 + n)},Person ${n},,,,${stage},\n`;
}

export function plainRows(count: number, stage = ''): string {
  return HEADER + Array.from({ length: count }, (_, n) => plainRow(n, stage)).join('');
}

export type SyncHandle = Awaited<ReturnType<Environment['start']>>;

export interface SyncContext {
  /** Opens a test environment, works in it, and closes it whatever happened; `wrap` stands between the environment and its database. */
  inEnvironment(
    options: Omit<EnvironmentOptions, 'temporal' | 'db' | 'workflows'> & {
      wrap?: (db: Database) => Database;
    },
    work: (environment: Environment) => Promise<void>,
  ): Promise<void>;
  readonly temporal: TestTemporal;
}

/** Call it once, at the top of a test file. */
export function syncContext(): SyncContext {
  let temporal: TestTemporal;
  let db: Database;
  let workflows: WorkflowWorker;
  beforeAll(async () => {
    db = await testLedger();
    temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
    workflows = await startWorkflowWorker(temporal);
  });
  afterAll(async () => {
    await workflows?.stop();
    await temporal?.close();
  });
  return {
    async inEnvironment({ wrap, ...options }, work) {
      const parts = { temporal, workflows, db: wrap === undefined ? db : wrap(db) };
      const environment = await openEnvironment({ ...parts, ...options });
      try {
        await work(environment);
      } finally {
        await environment.close();
      }
    },
    get temporal() {
      return temporal;
    },
  };
}

export const progressOf = (handle: SyncHandle): Promise<RunProgress> => readProgress(handle);

/** Waits until the run has paused by itself; answers the reason. */
export async function untilPaused(handle: SyncHandle): Promise<string> {
  return await until('the run paused by itself', async () => {
    const { paused } = await progressOf(handle);
    return paused?.by === 'sluice' ? paused.reason : null;
  });
}

/** Waits until a record has failed with this code and is due again. */
export async function untilTrouble(handle: SyncHandle, code: string): Promise<void> {
  await until(`a record failed with ${code}`, async () =>
    (await progressOf(handle)).trouble?.reason.endsWith(`[${code}]`),
  );
}

/** What must hold of every finished report. */
export function sumOf(report: RunReport): number {
  const { created, updated, unchanged, merged, rejected, failed, unknown, pending } = report;
  return created + updated + unchanged + merged + rejected + failed + unknown + pending;
}
