// What a scrape reads of the ledger, on both databases.
import { beforeAll, expect, it } from 'vitest';
import { createLedgerReader } from '../../../src/app/ledger/ledger-snapshot.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import { measuredDatabase } from '../../../src/core/sql/measured-database.ts';
import type { LedgerSnapshot } from '../../../src/observe/metrics/backlog.ts';
import { onBothLedgers } from '../../support/postgres/both-ledgers.ts';
import { depsOf, fill } from '../operator/overview/rows.ts';

onBothLedgers((db) => {
  beforeAll(async () => {
    await fill(db);
    await db.query(
      `insert into pollers (account, poller, run_id) values ('acme', 'gone', 'acme/~gone/1'), ('beta', 'chats', 'beta/~chats/1')`,
    );
  });

  it('a scrape shows budgets, waiting work, pollers, sinks and needs', async () => {
    const read = createLedgerReader(depsOf(db));
    const snapshot = (await read()) as LedgerSnapshot;
    expect(snapshot.budgets).toMatchObject([
      { account: 'acme', token: 1, limit: 100, used: 30, blockedSeconds: 0 },
    ]);
    const waiting = Object.fromEntries(
      snapshot.waiting.map((each) => [`${each.account} ${each.kind}`, each]),
    );
    expect(waiting).toMatchObject({
      'acme record': { items: 30 },
      'acme event': { items: 2 },
      'acme conversation': { items: 3 },
    });
    // The run began 20 minutes ago.
    expect(waiting['acme record']?.oldestSeconds).toBeGreaterThan(1199);
    // It has never had a complete view: its lag counts from its start, an hour ago. Those that left the
    // configuration have none.
    expect(snapshot.pollers).toEqual([
      { account: 'acme', poller: 'chats', state: 'blocked', lagSeconds: expect.closeTo(3600, -2) },
    ]);
    expect(snapshot.sinks).toMatchObject([{ sink: 'crm', waiting: 3, dead: 2, circuit: 'closed' }]);
    expect(snapshot.sinks[0]?.lagSeconds).toBeGreaterThan(59);
    expect(new Set(snapshot.needs.map(({ kind }) => kind))).toContain('unknown-events');
    expect(snapshot.bytes).toBeGreaterThan(100_000);
  });

  it('a conversation that could not be read keeps its age, although it is read again only later', async () => {
    await db.query(
      `update conversations set todo_since = now() - interval '2 hours', todo_at = now() + interval '15 minutes'
        where account = 'acme' and todo_at is not null`,
    );
    const { waiting } = (await createLedgerReader(depsOf(db))()) as LedgerSnapshot;
    const conversations = waiting.find(({ account, kind }) => account === 'acme' && kind === 'conversation');
    expect(conversations).toMatchObject({ items: 3, oldestSeconds: expect.closeTo(7200, -2) });
  });

  it('a scrape counts the workers that are alive, not those that ended or are lost', async () => {
    await db.query(
      `insert into worker_processes (id, host, pid, version, seen_at, stopped_at) values
         (gen_random_uuid(), 'a', 1, '1.0.0', now(), null), (gen_random_uuid(), 'b', 2, '1.0.0', now(), null),
         (gen_random_uuid(), 'c', 3, '1.0.0', now() - interval '10 minutes', null),
         (gen_random_uuid(), 'd', 4, '1.0.0', now(), now())`,
    );
    expect(await createLedgerReader(depsOf(db))()).toMatchObject({ workers: 2 });
    await db.query('delete from worker_processes');
    expect(await createLedgerReader(depsOf(db))()).toMatchObject({ workers: 0 });
  });

  it('a scrape names runs of syncs under way, and campaigns that Sluice paused', async () => {
    const snapshotOf = async () => (await createLedgerReader(depsOf(db))()) as LedgerSnapshot;
    const before = await snapshotOf();
    // A run that is still planned has no records yet, and its age counts all the same.
    await db.query(`update runs set status = 'planning' where id = 'acme/leads/2'`);
    const planning = await snapshotOf();
    for (const { runs } of [before, planning])
      expect(runs).toMatchObject([{ account: 'acme', sync: 'leads', ageSeconds: expect.closeTo(1200, -2) }]);
    // bia paused it for lunch.
    expect(before.stopped).toEqual([]);
    await db.query(
      `update campaigns set paused = '{"by": "sluice", "code": "STOP_FAILED", "reason": "5 of 20 failed"}'
        where run_id = 'acme/+spring/1'`,
    );
    const stopped = await snapshotOf();
    expect(stopped.stopped).toEqual([{ account: 'acme', campaign: 'spring', code: 'STOP_FAILED' }]);
    await db.query(`update runs set status = 'syncing' where id = 'acme/leads/2'`);
    await db.query(
      `update campaigns set paused = '{"by": "bia", "reason": "lunch"}' where run_id = 'acme/+spring/1'`,
    );
  });

  it('scrapes that follow each other share an answer', async () => {
    let statements = 0;
    const counted = measuredDatabase(db, () => {
      statements += 1;
    });
    const read = createLedgerReader(depsOf(counted));
    await Promise.all([read(), read(), read()]);
    expect(statements).toBe(9);
  });

  it('statements are measured one by one, inside of a transaction too, and a failed one with its SQLSTATE', async () => {
    const seen: (string | null)[] = [];
    const measured = measuredDatabase(db, (seconds, code) => {
      expect(seconds).toBeGreaterThan(0);
      seen.push(code);
    });
    await measured.transaction(async (tx) => {
      await tx.query('select 1');
      await tx.query('select $1::int', [2]);
    });
    await expect(measured.query('select * from no_such_table')).rejects.toThrow('no_such_table');
    expect(seen).toEqual([null, null, '42P01']);
    expect(measured.kind).toBe(db.kind);
  });
});

it('a ledger that refuses gives no values, and the log says why', async () => {
  const warned: object[] = [];
  const broken = {
    kind: 'postgres',
    query: () => Promise.reject(new Error('refused')),
  } as unknown as Database;
  expect(await createLedgerReader(depsOf(broken, warned))()).toBeNull();
  expect(warned).toMatchObject([{ account: 'beta' }, { err: { message: 'refused' } }]);
});
