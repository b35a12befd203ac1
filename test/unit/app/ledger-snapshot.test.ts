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
  });

  it('scrapes that follow each other share an answer', async () => {
    let statements = 0;
    const counted = measuredDatabase(db, () => {
      statements += 1;
    });
    const read = createLedgerReader(depsOf(counted));
    await Promise.all([read(), read(), read()]);
    expect(statements).toBe(7);
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
