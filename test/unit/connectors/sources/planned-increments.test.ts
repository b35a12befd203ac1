// Increments of an API as runs read them: place and watermark in the ledger, processes that end, an API that asks to wait.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planPages } from '../../../../activities/sync/plan/plan-run.ts';
import { openSource } from '../../../../src/connectors/sources/index.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { RunSpec } from '../../../../src/jobs/sync/contract/run.ts';
import { closeRun } from '../../../../src/jobs/sync/store/run-end.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { compileMapping } from '../../../../src/mapping/index.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { type Api, type ApiAnswer, startApi } from './http-support.ts';

let api: Api;
let db: Database;
beforeAll(async () => {
  [api, db] = await Promise.all([startApi(), testLedger()]);
});
afterAll(() => api.close());

const spec = () =>
  RunSpec.parse({
    account: 'acme',
    sync: 'leads',
    options: { account: 'acme', source: 'crm', mapping: 'people' },
    source: {
      type: 'http',
      url: api.url,
      items: 'rows',
      pagination: { type: 'cursor', cursorParam: 'after', next: 'next' },
      incremental: { param: 'since', column: 'at' },
    },
    mapping: { contact: { number: 'phone' } },
  });

/** One call of the activity in a process that remembers nothing; one read each. */
const plan = (run: string) =>
  planPages(
    {
      db,
      openSource: (config) => openSource(config, { baseDir: '/' }),
      compileMapping,
      memories: new Map(),
    },
    run,
    { more: () => false },
  );

const lead = (n: number, at: string) => ({ phone: `+55119876543${10 + n}`, at });

it('a run continues where the previous one ended, and only a finished one counts', async () => {
  const close = (run: string, status: 'finished' | 'cancelled') =>
    db.transaction((tx) => closeRun(tx, run, { status, stopped: 0 }));
  const DATE = 'Fri, 20 Nov 2026 10:00:00 GMT';
  let busy = true;
  const list = (leads: object[]) => {
    api.script = ({ query }): ApiAnswer => {
      const from = Number(query.after ?? 0);
      if (from === 2 && busy) return { status: 429, headers: { 'retry-after': '60' } };
      const next = from + 2 < leads.length ? from + 2 : null;
      return { headers: { date: DATE }, body: { rows: leads.slice(from, from + 2), next } };
    };
  };
  list([lead(1, '2026-11-20T08:00:00Z'), lead(2, '2026-11-20T09:00:00Z'), lead(3, '2026-11-20T09:30:00Z')]);

  const first = await openRun(db, spec());
  expect(await plan(first.id)).toMatchObject({ read: 2, done: false });
  await expect(plan(first.id)).rejects.toMatchObject({ code: 'busy', retryable: true });
  busy = false;
  // The wait that the API asked for is part of the place: it has not passed yet.
  await db.query(`update runs set cursor = cursor || '{"due": 0}' where id = $1`, [first.id]);
  expect(await plan(first.id)).toMatchObject({ read: 3, done: true });
  await close(first.id, 'finished');

  list([lead(4, '2026-11-20T09:45:00Z')]);
  for (const status of ['cancelled', 'finished'] as const) {
    const run = await openRun(db, spec());
    await plan(run.id);
    expect(api.requests.at(-1)?.query).toEqual({ since: '2026-11-20T09:29:00.000Z' });
    await close(run.id, status);
  }
  const last = await openRun(db, spec());
  await plan(last.id);
  expect(api.requests.at(-1)?.query).toEqual({ since: '2026-11-20T09:44:00.000Z' });
});
