// The ledger on a PostgreSQL that restarts, is full, or hangs: what fails, what waits, and that the next statement works.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openPostgres, type Queryable } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { settleStep } from '../../../src/jobs/sync/store/records.ts';
import { unleased } from '../../support/postgres/ledger.ts';
import {
  type RestartingPostgres,
  startRestartingPostgres,
} from '../../support/postgres/restarting-postgres.ts';
import { until } from '../../support/until.ts';
import { failureOf, runWith } from '../../unit/core/sql/support.ts';

let server: RestartingPostgres;
let db: Database;
const broken: Error[] = [];
beforeAll(async () => {
  server = await startRestartingPostgres();
  db = await openPostgres(server.url, (error) => broken.push(error));
  await migrate(db);
});
afterAll(async () => {
  await db?.close();
  await server?.stop();
});

/** Connections that the pool uses: one is enough for statements one after another. */
const useSeveral = async () => await Promise.all([1, 2, 3, 4].map(() => db.query('select pg_sleep(0.05)')));

describe.each([
  ['is restarted', () => server.halt()],
  ['crashes', () => server.crash()],
] as const)('a server that %s', (_, end) => {
  it('fails an open transaction as a whole, and the next statements get new connections', async () => {
    const { ids } = await runWith(db, [4]);
    await useSeveral();
    const open = db.transaction(async (tx: Queryable) => {
      await settleStep(tx, unleased(ids[0] as number), { clear: 4 });
      await end();
      await tx.query('select 1');
    });
    const { error } = await failureOf(open);
    expect(error).toMatchObject({ name: 'LedgerError' });
    const { error: refused } = await failureOf(db.query('select 1'));
    expect(refused).toMatchObject({ name: 'LedgerError' });
    await server.start();
    // Every connection of the pool was broken, and none of them fails a statement again.
    for (let n = 0; n < 5; n++) await useSeveral();
    expect(await db.query('select todo from run_records where id = $1', [ids[0]])).toEqual([{ todo: 4 }]);
    expect(await db.transaction((tx) => tx.query('select 7 as n'))).toEqual([{ n: 7 }]);
  });

  it('loses no statement that was answered', async () => {
    await db.query('create table if not exists answered (n int primary key)');
    await db.query('delete from answered');
    const answered: number[] = [];
    let n = 0;
    let ended: Promise<void> | undefined;
    for (; ended === undefined || n < 400; n++) {
      if (n === 200) ended = end().then(() => server.start());
      const value = n;
      await db.query('insert into answered values ($1)', [value]).then(
        () => answered.push(value),
        () => undefined,
      );
    }
    await ended;
    await until(
      'the server is back',
      async () =>
        await db.query('select 1').then(
          () => true,
          () => false,
        ),
    );
    const kept = await db.query<{ n: number }>('select n from answered');
    const found = new Set(kept.map((row) => row.n));
    expect(answered.filter((value) => !found.has(value))).toEqual([]);
    expect(answered.length).toBeGreaterThanOrEqual(200);
    await db.query('drop table answered');
  });
});

describe('a process', () => {
  it('uses at most 10 connections; further statements and transactions queue and are answered', async () => {
    const own = await openPostgres(`${server.url}?application_name=pool`, () => undefined);
    try {
      const most = { n: 0 };
      const work = Array.from({ length: 40 }, (_, n) =>
        n % 2 === 0
          ? own.query('select pg_sleep(0.02)')
          : own.transaction((tx) => tx.query('select pg_sleep(0.02)')),
      );
      const watch = async () => {
        const [row] = await db.query<{ n: number }>(
          "select count(*)::int as n from pg_stat_activity where application_name = 'pool'",
        );
        most.n = Math.max(most.n, row?.n ?? 0);
      };
      const all = Promise.all(work);
      for (let n = 0; n < 5; n++) await watch();
      expect(await all).toHaveLength(40);
      await watch();
      expect(most.n).toBeGreaterThan(1);
      expect(most.n).toBeLessThanOrEqual(10);
    } finally {
      await own.close();
    }
  });

  it('is refused by a server without free connections, and works when there are some again', async () => {
    const [row] = await db.query<{ n: number }>("select current_setting('max_connections')::int as n");
    const pools = await Promise.all(
      Array.from({ length: Math.ceil((row?.n ?? 100) / 10) + 1 }, () =>
        openPostgres(server.url, () => undefined),
      ),
    );
    const own = await openPostgres(server.url, () => undefined);
    try {
      const holds = pools.flatMap((pool) =>
        Array.from({ length: 10 }, () =>
          pool.query('select pg_sleep(0.3)').then(
            () => 'ok',
            (error) => error.code,
          ),
        ),
      );
      const outcomes = await Promise.all(holds);
      expect(outcomes).toContain('53300');
      await Promise.all(pools.map((pool) => pool.close()));
      const works = () =>
        own.query('select 1').then(
          () => true,
          () => false,
        );
      await until('the server has free connections', works);
    } finally {
      await own.close();
    }
  });

  it('whose role has a statement timeout gets an error, and a transaction keeps its connection', async () => {
    const url = new URL(server.url);
    url.searchParams.set('options', '-c statement_timeout=50');
    const own = await openPostgres(url.href, () => undefined);
    try {
      await expect(own.query('select pg_sleep(5)')).rejects.toMatchObject({
        name: 'LedgerError',
        code: '57014',
      });
      // The pool replaces a connection whose statement failed outside a transaction.
      const pid = 'select pg_backend_pid() as pid';
      const before = await own.query(pid);
      const inside = own.transaction(async (tx) => await tx.query('select pg_sleep(5)'));
      await expect(inside).rejects.toMatchObject({ code: '57014' });
      expect(await own.query(pid)).toEqual(before);
    } finally {
      await own.close();
    }
  });
});
