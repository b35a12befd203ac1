// kill -9 in every phase of a sync batch, with everything real: PostgreSQL, Temporal, the service over HTTP, workers as processes.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { afterAll, expect, inject, it } from 'vitest';
import { stringify } from 'yaml';
import { createApiActivities, createLedgerActivities } from '../../../activities/index.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { openPostgres } from '../../../src/ledger/database.ts';
import { migrate } from '../../../src/ledger/migrations.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { createDeps } from '../../../workers/compose.ts';
import type { crmSync } from '../../../workflows/crm-sync.ts';
import { apiQueue } from '../../../workflows/policies.ts';
import { buildOnce } from '../../support/build.ts';
import { runModule } from '../../support/child.ts';
import { account, MAPPING, SEARCH_ATTRIBUTES } from '../../support/house.ts';
import { effects, panelOf } from '../../support/panel.ts';
import { startPostgres } from '../../support/postgres.ts';
import { plainRows } from '../../support/sync-room.ts';
import { connectTestTemporal } from '../../support/temporal.ts';
import { startWorkflowWorker } from '../../support/workflow-worker.ts';

/** What the worker process is told. */
export interface KillWorker {
  readonly dist: string;
  readonly config: string;
  readonly ledger: string;
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Record → where to die; 0: at the end of a batch. */
  readonly points: Readonly<Record<number, string>>;
  /** Folder in which a worker marks the record that it dies for. */
  readonly marks: string;
}

const POINTS = [
  'after it was taken',
  'before it is marked as sent',
  'after the call of its contact',
  'before the outcome',
  'after the right to make its card',
  'after the call of its card',
];
const RESULT = 'before the result';
/** Fewer than make a first page of the account's contacts worth a call: each person is an upsert and a card. */
const PEOPLE = 16;

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

it('FAULTS 16: workers die in every phase of a batch, beside others that live → everybody once, with one card each', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-sync-kill-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const [postgres, temporal, sandbox, dist] = await Promise.all([
    startPostgres(),
    connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES }),
    startSandbox({ port: 0, dataDir: join(dir, 'sandbox'), fixture: { accounts: [account()] }, rate: 0 }),
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
  await writeFile(join(dir, 'leads.csv'), plainRows(PEOPLE, 'New'));
  await mkdir(join(dir, 'marks'));
  const acme = {
    ...{ baseUrl: sandbox.baseUrl, tokens: ['env:TOKEN'], callsPerMinute: 60_000 },
    assumptions: { 'readBack.settleSeconds': 1 },
  };
  const file = join(dir, 'sluice.yaml');
  await writeFile(
    file,
    stringify({
      version: 1,
      accounts: { acme },
      sources: { leads: { type: 'csv', path: './leads.csv' } },
      mappings: { leads: MAPPING },
      // One place for each of the two batches.
      syncs: { leads: { account: 'acme', source: 'leads', mapping: 'leads', concurrency: 2 } },
    }),
  );
  const config = await loadConfig(file, { env: { TOKEN: 'svc_test_house' } });
  const log = { info() {}, warn() {}, error: console.error };
  const { deps, close } = await createDeps({ config, db, log });
  ends.push(close);
  const { workQueue, stop } = await startWorkflowWorker(temporal);
  ends.push(stop);
  const { namespace, nativeConnection: connection } = temporal;
  const worker = async (taskQueue: string, activities: object) => {
    const made = await Worker.create({ connection, namespace, taskQueue, activities });
    const done = made.run();
    ends.push(async () => {
      made.shutdown();
      await done;
    });
  };
  await worker(workQueue, createLedgerActivities(deps));
  // The ledger is empty: its records are numbered from 1. The first few verify the writes.
  const told: KillWorker = {
    ...{ dist, config: file, ledger: postgres.url, address: inject('temporalAddress'), namespace },
    ...{ taskQueue: apiQueue(workQueue), marks: join(dir, 'marks') },
    points: Object.fromEntries([[0, RESULT], ...POINTS.map((point, n) => [n + 4, point] as const)]),
  };
  const children = [...POINTS, RESULT].map(() => {
    const child = runModule(`await import(${JSON.stringify(join(import.meta.dirname, 'kill-worker.mjs'))})`, {
      KILL_WORKER: JSON.stringify(told),
    });
    ends.push(() => child.kill());
    return child;
  });
  await Promise.all(children.map((child) => child.line()));
  const handle = await temporal.client.workflow.start<typeof crmSync>('crmSync', {
    ...{ workflowId: `${workQueue}/kill`, taskQueue: workQueue },
    args: [{ account: 'acme', sync: 'leads' }],
  });
  const deaths = await Promise.all(children.map((child) => child.ended()));
  expect(deaths).toEqual(children.map(() => ({ code: null, signal: 'SIGKILL' })));
  // Another worker goes on with what they left.
  await worker(told.taskQueue, createApiActivities(deps));
  const outcome = { read: PEOPLE, created: PEOPLE, cards: PEOPLE, failed: 0, unknown: 0, pending: 0 };
  expect(await handle.result()).toMatchObject(outcome);
  const panel = panelOf(sandbox.panelUrl);
  const { contacts, cards } = await panel.account();
  expect(contacts).toHaveLength(PEOPLE);
  expect(new Set(cards.map(({ contactId }) => contactId)).size).toBe(PEOPLE);
  expect(effects(await panel.requests(), 'POST', /cards$/)).toHaveLength(PEOPLE);
}, 180_000);
