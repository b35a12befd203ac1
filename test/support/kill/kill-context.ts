// Workers as processes that die in the middle of their work, with everything real: PostgreSQL, Temporal, the service over HTTP.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { expect, inject } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import { openPostgres } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { createDeps } from '../../../workers/compose.ts';
import { panelOf } from '../panel.ts';
import { startPostgres } from '../postgres/postgres.ts';
import { buildOnce } from '../runner/build.ts';
import { type Child, runModule } from '../runner/child.ts';
import { connectTestTemporal } from '../temporal/temporal.ts';
import { startWorkflowWorker } from '../temporal/workflow-worker.ts';

/** What a worker process reads at its start. */
export interface KillWorker {
  readonly work: 'sync' | 'trigger' | 'event';
  readonly dist: string;
  readonly config: string;
  readonly ledger: string;
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Record, member or event → where to die. Record 0: at the end of a batch. */
  readonly points: Readonly<Record<string, string>>;
  /** Folder of the items for which a worker has died. */
  readonly marks: string;
  /** Members of a campaign under way at once. @default 1 */
  readonly concurrencyLimit: number;
}

export interface KillOptions {
  /** The sandbox's account. */
  readonly account: Record<string, unknown>;
  /** Further parts of sluice.yaml, and further keys of its account. */
  readonly config?: Record<string, unknown>;
  readonly accountConfig?: Record<string, unknown>;
  /** Content of the file leads.csv. */
  readonly csv?: string;
}

export type KillContext = Awaited<ReturnType<typeof openKillContext>>;

export async function openKillContext({ account, config: parts, accountConfig, csv = '' }: KillOptions) {
  const ends: (() => Promise<unknown>)[] = [];
  const dir = await mkdtemp(join(tmpdir(), 'sluice-kill-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const [postgres, temporal, sandbox, dist] = await Promise.all([
    startPostgres(),
    connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES }),
    startSandbox({ port: 0, dataDir: join(dir, 'sandbox'), fixture: { accounts: [account] }, rate: 0 }),
    buildOnce(),
  ]);
  ends.push(
    () => postgres.stop(),
    () => temporal.close(),
    () => sandbox.close(),
  );
  const db = await openPostgres(postgres.url, () => {});
  ends.push(() => db.close());
  await migrate(db);
  const marks = join(dir, 'marks');
  await mkdir(marks);
  await writeFile(join(dir, 'leads.csv'), csv);
  const file = join(dir, 'sluice.yaml');
  const acme = {
    baseUrl: sandbox.baseUrl,
    tokens: ['env:TOKEN'],
    callsPerMinute: 60_000,
    assumptions: { 'readBack.settleSeconds': 1 },
    ...accountConfig,
  };
  await writeFile(file, stringify({ version: 1, accounts: { acme }, ...parts }));
  const config = await loadConfig(file, { env: { TOKEN: 'svc_test_token' } });
  const { deps, close } = await createDeps({
    config,
    db,
    log: { info() {}, warn() {}, error: console.error },
  });
  ends.push(close);
  const panel = panelOf(sandbox.panelUrl);
  const { namespace, nativeConnection: connection } = temporal;

  /** A worker in this process, which nobody kills. @returns its end */
  async function work(taskQueue: string, activities: object): Promise<() => Promise<void>> {
    const worker = await Worker.create({ connection, namespace, taskQueue, activities });
    const done = worker.run();
    const stop = async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    };
    ends.push(stop);
    return stop;
  }

  /** Workers as processes that take one activity at a time. Answers when all of them work. */
  async function spawn(
    count: number,
    reported: Pick<KillWorker, 'work' | 'taskQueue' | 'points'> & { readonly concurrencyLimit?: number },
  ): Promise<Child[]> {
    const settings: KillWorker = {
      dist,
      config: file,
      ledger: postgres.url,
      address: inject('temporalAddress'),
      namespace,
      marks,
      concurrencyLimit: 1,
      ...reported,
    };
    const code = `await import(${JSON.stringify(join(import.meta.dirname, 'kill-worker.mjs'))})`;
    const children = Array.from({ length: count }, () =>
      runModule(code, { KILL_WORKER: JSON.stringify(settings) }),
    );
    ends.push(...children.map((child) => () => child.kill()));
    await Promise.all(children.map((child) => child.line()));
    return children;
  }

  return {
    postgres,
    temporal,
    sandbox,
    db,
    deps,
    work,
    spawn,
    panel,
    /** Workers for workflows on a queue of its own. */
    async workflows(): Promise<string> {
      const { workQueue, endAll, stop } = await startWorkflowWorker(temporal);
      ends.push(stop, endAll);
      return workQueue;
    },
    /** Flows that ran, by contact. */
    async flowRuns(): Promise<Map<number, number>> {
      const counts = new Map<number, number>();
      for (const { contactId } of await panel.flowRuns())
        counts.set(contactId, (counts.get(contactId) ?? 0) + 1);
      return counts;
    },
    /** To be closed before all that was opened so far. */
    closing: (...more: (() => Promise<unknown>)[]) => void ends.push(...more),
    async close() {
      for (const end of ends.toReversed()) await end();
    },
  };
}

/** Waits until all of them have killed themselves. */
export async function untilDead(children: readonly Child[]): Promise<void> {
  const deaths = await Promise.all(children.map((child) => child.ended()));
  expect(deaths).toEqual(children.map(() => ({ code: null, signal: 'SIGKILL' })));
}
