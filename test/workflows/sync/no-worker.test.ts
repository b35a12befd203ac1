// A sync that is started while no worker is alive: it stands there as waiting, and can be canceled.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { LoadedConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import { RunSpec } from '../../../src/jobs/sync/contract/run.ts';
import { openRun } from '../../../src/jobs/sync/store/runs.ts';
import type { OperatorClient } from '../../../src/operator/client/client.ts';
import { dismissWorker, seeWorker } from '../../../src/operator/store/overview/workers.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { openTestOperator, type TestOperator } from '../../support/operator/operator.ts';
import { emptyLedger, testLedger } from '../../support/postgres/ledger.ts';
import { connectTestTemporal, type TestTemporal } from '../../support/temporal/temporal.ts';
import { until } from '../../support/until.ts';

const WORKER = { id: '00000000-0000-4000-8000-000000000001', host: 'a', pid: 1, version: '0.1.0' };
const SYNC = { account: 'acme', source: 'leads', mapping: 'leads', mode: 'upsert', lane: 'backfill' };
const CONFIG = {
  dir: '/srv/sluice',
  loadedAt: '2026-11-27T10:00:00.000Z',
  config: {
    accounts: { acme: { tokens: [] } },
    sources: { leads: { type: 'csv', path: '/srv/sluice/leads.csv' } },
    syncs: { leads: SYNC },
    sinks: {},
    routes: {},
    pollers: {},
    ingress: { kafka: {} },
  },
  spec: () => ({ account: 'acme' }),
} as unknown as LoadedConfig;

let temporal: TestTemporal;
let db: Database;
let operator: TestOperator;
beforeAll(async () => {
  [temporal, db] = await Promise.all([
    connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES }),
    testLedger(),
  ]);
  operator = await openTestOperator({ db, temporal: temporal.client, config: CONFIG });
});
afterAll(async () => {
  await operator?.close();
  await temporal?.close();
});
beforeEach(async () => {
  await emptyLedger(db);
  // Temporal lists the polls of a dead worker for minutes; the ledger knows that it ended.
  await seeWorker(db, WORKER);
  await dismissWorker(db, WORKER.id);
});

const call: OperatorClient['call'] = (...given) => operator.client.call(...given);

it('waits for a worker, and a cancellation ends it at once', async () => {
  expect(await call('POST /syncs/{sync}/runs', { sync: 'leads' })).toMatchObject({ workers: false });
  expect(await call('GET /syncs/{sync}/progress', { sync: 'leads' })).toMatchObject({
    state: 'waiting',
    progress: null,
    end: null,
  });
  const { syncs } = await call('GET /syncs', {});
  expect(syncs).toMatchObject([{ sync: 'leads', state: 'waiting', last: null }]);
  await until('the list of Temporal has it', async () => {
    const { starts, needs } = await call('GET /overview', {});
    if (starts.length === 0) return false;
    expect(starts).toMatchObject([{ kind: 'sync', account: 'acme', name: 'leads' }]);
    expect(needs).toMatchObject([{ kind: 'no-worker', params: { work: ['leads (acme)'] } }]);
    return true;
  });
  expect(await call('POST /syncs/{sync}/cancel', { sync: 'leads' })).toMatchObject({
    state: 'ended',
    end: { status: 'cancelled' },
  });
});

it('that a worker has begun is canceled when one starts; until then its counts stay', async () => {
  await call('POST /syncs/{sync}/runs', { sync: 'leads' });
  const spec = RunSpec.parse({
    account: 'acme',
    sync: 'leads',
    options: { account: 'acme', source: 'leads', mapping: 'leads' },
    source: { type: 'csv', path: 'leads.csv' },
    mapping: { contact: { number: 'phone' } },
  });
  const { id: run } = await openRun(db, spec);
  expect(await call('POST /syncs/{sync}/cancel', { sync: 'leads' })).toMatchObject({
    state: 'waiting',
    progress: { run },
    end: null,
  });
  await temporal.client.workflow.getHandle('crm-sync/acme/leads').terminate();
});
