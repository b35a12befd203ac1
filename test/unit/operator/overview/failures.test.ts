// Each thing that failed is listed once, and what a later attempt made good is only counted.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import type { DeadLetterSummary } from '../../../../src/jobs/events/contract/refusals.ts';
import { deadLetterFailures, problemsOf } from '../../../../src/operator/service/overview/failures.ts';
import { logCalls } from '../../../../src/operator/store/calls.ts';
import { readFailures } from '../../../../src/operator/store/failures.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';
import { callOf } from '../store/calls-suite.ts';

const DAY_MS = 86_400_000;
const period = (account: string | null = null) => ({
  account,
  since: new Date(Date.now() - DAY_MS).toISOString(),
  until: new Date(Date.now() + DAY_MS).toISOString(),
});

async function fill(db: Database): Promise<void> {
  await db.query(
    `insert into runs (id, account, sync, seq, kind, status, spec, started_at, finished_at)
     select 'acme/' || s || '/' || n, 'acme', s, n, 'sync', 'finished',
            case s when 'new' then '{"source": {"incremental": {}}}' else '{"source": {}}' end::jsonb,
            now() - interval '3 hours' + n * interval '1 hour', now() - interval '2 hours' + n * interval '1 hour'
       from unnest(array['leads', 'new']) s, generate_series(1, 2) n`,
  );
  // Row 1 is rejected in both runs, row 2 in the first one only; the incremental source never shows it again.
  await db.query(
    `insert into row_problems (run_id, row_no, kind, field, code, reason) values
       ('acme/leads/1', 1, 'reject', 'f', 'BAD', 'b'), ('acme/leads/2', 1, 'reject', 'f', 'BAD', 'b'),
       ('acme/leads/1', 2, 'reject', 'f', 'BAD', 'b'), ('acme/new/1', 2, 'reject', 'f', 'BAD', 'b')`,
  );
  // "twice" failed in both runs; "mended" went well in the second one; "created" answered late.
  await db.query(
    `insert into run_records (run_id, key, row_no, todo, status, code, ended_at)
     select 'acme/leads/' || run, key, 3, 0, status, 'REFUSED', now() - interval '30 minutes' from (values
       (1, 'twice', 'failed'), (2, 'twice', 'failed'), (1, 'mended', 'failed'), (2, 'created', 'created'),
       (2, 'pending', 'pending')) v(run, key, status)`,
  );
  await db.query(`insert into people (account, key, synced_at) values ('acme', 'mended', now())`);
  const lost = { run_id: 'acme/leads/2', status: null, code: 'TRANSPORT_RESET', age_ms: 60_000 };
  const poll = { run_id: 'acme/~chats/1', method: 'GET', route: '/v1/conversations' };
  await logCalls(
    db,
    [
      ...['twice', 'created', 'pending'].map((person_key) => callOf({ ...lost, person_key })),
      callOf({ ...lost, ...poll }),
      callOf({ ...poll, age_ms: 30_000 }),
      callOf({ ...lost, ...poll, route: '/v1/messages', conversation_id: 7 }),
      callOf({ ...poll, route: '/v1/messages', conversation_id: 8 }),
      callOf({ ...lost, status: 429, code: 'ERR_RATE_LIMITED' }),
    ],
    new Map(),
  );
}

onBothLedgers((db) => {
  beforeAll(async () => {
    await emptyLedger(db);
    await fill(db);
  });

  it('lists what still stands, once', async () => {
    const { failures, repaired, retriedCalls } = await readFailures(db, period(), 100);
    const listed = failures.map(({ kind, name, run, count }) => `${count} ${kind} ${name} ${run}`);
    expect(new Set(listed)).toEqual(
      new Set([
        '1 call GET /v1/messages acme/~chats/1',
        '1 record leads acme/leads/2',
        '1 row leads acme/leads/2',
        '1 row new acme/new/1',
      ]),
    );
    expect(listed).toHaveLength(4);
    // The row 2 and the record "mended"; the call for "created" and the list of conversations.
    expect([repaired, retriedCalls]).toEqual([2, 2]);
  });

  it('another account has nothing', async () => {
    expect(await readFailures(db, period('beta'), 100)).toEqual({
      failures: [],
      repaired: 0,
      retriedCalls: 0,
    });
  });
});

const letter = (over: Partial<DeadLetterSummary> = {}): DeadLetterSummary => ({
  id: '0-1',
  failedAt: new Date().toISOString(),
  route: 'leads',
  code: 'SCHEMA',
  reason: 'no phone',
  origin: { topic: 'crm', partition: 0, offset: '1', timestamp: '0' },
  resolution: null,
  ...over,
});

describe('dead letters', () => {
  const clusters = [
    {
      cluster: 'bus',
      problem: null,
      deadLetters: [
        letter(),
        letter({ id: '0-2', reason: 'no name' }),
        letter({ id: '0-3', code: 'MAPPING' }),
        letter({ id: '0-4', failedAt: '2020-01-01T00:00:00Z' }),
        letter({ id: '0-5', resolution: { how: 'replayed', by: 'ana', at: '', reason: null } }),
      ],
    },
    { cluster: 'gone', problem: 'no broker answers', deadLetters: [] },
  ];

  it('count by route and code, those of the period that are open', () => {
    const found = deadLetterFailures(clusters, period('acme'), () => 'acme');
    expect(found.map(({ kind, code, count, reason }) => [kind, code, count, reason])).toEqual([
      ['dead letter', 'SCHEMA', 2, 'no name'],
      ['dead letter', 'MAPPING', 1, 'no phone'],
    ]);
  });

  it('belong to the account of their route', () => {
    expect(deadLetterFailures(clusters, period('beta'), () => 'acme')).toEqual([]);
  });

  it('a cluster that does not answer is named', () => {
    expect(problemsOf(clusters)).toEqual([
      'the dead letters of the cluster gone cannot be read: no broker answers',
    ]);
  });
});
