// A batch whose statement of the ledger raises an error is a need of the overview within a minute.
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LoadedConfig } from '../../src/config/load.ts';
import { outboxWorkflowId, WORK_QUEUE } from '../../src/core/ids.ts';
import type { Database } from '../../src/core/sql/database.ts';
import { pathOfNeed } from '../../src/operator/contract/need-screens.ts';
import { createFailingWorkReader } from '../../src/operator/service/overview/failing-work.ts';
import { openTestOperator, type TestOperator } from '../support/operator/operator.ts';
import { testLedger } from '../support/postgres/ledger.ts';
import { connectTestTemporal, type TestTemporal } from '../support/temporal/temporal.ts';
import { workflowBundle } from '../support/temporal/workflow-bundle.ts';
import { until } from '../support/until.ts';

const CONFIG = {
  config: { accounts: {}, sinks: { bus: {} }, routes: {}, ingress: { kafka: {} } },
  loadedAt: '2026-11-22T03:00:00.000Z',
} as unknown as LoadedConfig;
/** A value as statements have them: it may not leave the worker's log. */
const PERSONAL = '5511987654321';

let operator: TestOperator;
let temporal: TestTemporal;
let db: Database;
let worker: Worker;
let ended: Promise<void>;
let healthy = false;

beforeAll(async () => {
  [temporal, db] = await Promise.all([connectTestTemporal(), testLedger()]);
  operator = await openTestOperator({ db, temporal: temporal.client, config: CONFIG });
  const { nativeConnection: connection, namespace } = temporal;
  worker = await Worker.create({
    connection,
    namespace,
    taskQueue: WORK_QUEUE,
    ...workflowBundle(),
    activities: {
      async outboxBatch() {
        if (!healthy) await db.query(`select cast('${PERSONAL}x' as integer)`);
        return { nextMs: null };
      },
    },
  });
  ended = worker.run();
});
afterAll(async () => {
  worker?.shutdown();
  await ended;
  await temporal?.close();
  await operator?.close();
});

it('is shown with its class of error and without values, and goes away with its cause', async () => {
  const { client } = temporal;
  const began = performance.now();
  await client.workflow.start('outboxDelivery', {
    workflowId: outboxWorkflowId('bus'),
    taskQueue: WORK_QUEUE,
    args: [{ sink: 'bus' }],
  });
  const need = await until('the overview shows the batch', async () => {
    const { needs } = await operator.client.call('GET /overview', {});
    // The server names the next attempt while it waits for it.
    return needs.find(({ kind, params }) => kind === 'failing-batch' && params?.['nextAt'] !== undefined);
  });
  expect(performance.now() - began).toBeLessThan(60_000);
  expect(need).toMatchObject({
    account: null,
    name: 'bus',
    severity: 'critical',
    count: 1,
    code: 'WORK_RETRIES',
    work: 'sink',
    params: { which: ['error', 'next'], activity: 'outboxBatch', error: 'LedgerError' },
  });
  expect(need.reason).toMatch(/^it failed \d+ times in a row; .*; it retries by itself at \d{4}-/);
  expect(pathOfNeed(need)).toBe('/conversations');
  expect(JSON.stringify(need)).not.toContain(PERSONAL);

  healthy = true;
  const failing = createFailingWorkReader();
  await until('no batch fails', async () => (await failing.read(client)).length === 0);
});
