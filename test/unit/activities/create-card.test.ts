// One card a person and pipeline, also when two syncs of the account want it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCardActivities } from '../../../activities/cards.ts';
import type { Deps } from '../../../activities/deps.ts';
import { MessagingClient } from '../../../src/api-client/client.ts';
import { createGate } from '../../../src/budget/gate.ts';
import { createBudget } from '../../../src/budget/slots.ts';
import { STEP_BITS, type StepResult } from '../../../src/contracts/run.ts';
import { saveCatalog } from '../../../src/ledger/catalog.ts';
import { type Database, openPglite } from '../../../src/ledger/database.ts';
import { migrate } from '../../../src/ledger/migrations.ts';
import { noteContact } from '../../../src/ledger/people.ts';
import { stageRecords } from '../../../src/ledger/records.ts';
import { openRun } from '../../../src/ledger/runs.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts';
import { account } from '../../support/house.ts';
import { panelOf } from '../../support/panel.ts';
import { phone, recordOf, specOf } from '../ledger/support.ts';

let db: Database;
let sandbox: Sandbox;
let client: MessagingClient;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-cards-'));
  const contacts = [{ id: 5, number: phone(0), name: 'A' }];
  sandbox = await startSandbox({
    port: 0,
    dataDir: dir,
    fixture: { accounts: [account({ contacts })] },
    rate: 0,
  });
  client = new MessagingClient({ baseUrl: sandbox.baseUrl, token: 'svc_test_house' });
  db = await openPglite('memory://');
  await migrate(db);
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
  await db.close();
  await rm(dir, { recursive: true, force: true });
});

it('a card that another sync has made meanwhile is not made again', async () => {
  const never = () => {
    throw new Error('not used here');
  };
  const silent = { info() {}, warn() {}, error: console.error };
  const deps: Deps = {
    db,
    budget: createBudget(db, () => ({ limit: 60_000, reply: 0, lead: 0, floor: 0 })),
    gate: createGate(new Map()),
    log: silent,
    account: () => ({
      name: 'acme',
      tokens: [{ client, key: 'token', position: 1 }],
      tokenKey: 'token',
      settleSeconds: 60,
    }),
    spec: never,
    openSource: never,
    compileMapping: never,
    sink: never,
  };
  const { createCard } = createCardActivities(deps);
  await saveCatalog(db, 'acme', 'pipelines', [{ id: 1, name: 'Sales', stages: [] }]);
  const sent = { remoteId: 5, remoteNumber: phone(0), hashContact: 'c', hashExtra: 'e', extra: null };
  const marks = { marks: {}, createdBy: null };
  await noteContact(db, 'acme', phone(0), { ...sent, ...marks });
  const card = { pipeline: 'Sales', customFields: {} };
  const results: StepResult[] = [];
  for (const sync of ['leads', 'deals']) {
    const base = specOf('acme', sync);
    const run = await openRun(db, { ...base, mapping: { ...base.mapping, card } });
    const record = recordOf(phone(0), { card });
    await stageRecords(db, run.id, [{ key: phone(0), row: 1, todo: STEP_BITS.createCard, record }]);
    const [row] = await db.query<{ id: number }>('select id from run_records where run_id = $1', [run.id]);
    const input = { run: run.id, record: row?.id as number };
    results.push((await new MockActivityEnvironment().run(createCard, input)) as StepResult);
  }
  expect((await panelOf(sandbox.panelUrl).account()).cards).toHaveLength(1);
  expect(results).toEqual([
    { todo: 0, ended: 'updated', cardCreated: true },
    { todo: 0, ended: 'unchanged' },
  ]);
});
