// The plans of the hot path on a ledger with a year of data, small enough for a test: no statement reads a table
// completely that grows with time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addWork, hotPath } from '../../../bench/support/hot-path.ts';
import { statementsOf, tablesScanned } from '../../../bench/support/plans.ts';
import { BIG_TABLES, fillYear, type YearOf } from '../../../bench/support/year-data.ts';
import { type Database, openPostgres } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { embeddedLedger } from '../../support/postgres/ledger.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';

const ROWS = 12_000;
const YEAR: YearOf = {
  people: ROWS,
  calls: ROWS,
  minutes: ROWS,
  events: 2 * ROWS,
  conversations: ROWS,
  messages: ROWS,
  runs: 2000,
  records: ROWS,
  members: ROWS,
  touches: ROWS,
  dead: ROWS,
  audit: ROWS,
};

let server: TestPostgres;
const open = {
  async postgres() {
    server = await startPostgres();
    const db = await openPostgres(server.url, console.error);
    await migrate(db);
    return db;
  },
  pglite: embeddedLedger,
};

describe.each(['postgres', 'pglite'] as const)('on %s', (kind) => {
  let db: Database;
  beforeAll(async () => {
    db = await open[kind]();
    await fillYear(db, 'acme', YEAR, 0, () => undefined);
    await addWork(db);
  }, 120_000);
  afterAll(async () => {
    await db?.close();
    if (kind === 'postgres') await server?.stop();
  });

  it('every table that grows is filled, so that a plan would read it completely only by mistake', async () => {
    for (const table of BIG_TABLES) {
      const [row] = await db.query<{ n: number }>(`select count(*)::int as n from ${table}`);
      expect([table, (row?.n ?? 0) > 1000]).toEqual([table, true]);
    }
  });

  it('no statement of the hot path reads a table that grows completely', async () => {
    const statements = await statementsOf(db, await hotPath(db));
    expect(statements.length).toBeGreaterThan(30);
    const found: string[] = [];
    for (const statement of statements)
      for (const table of await tablesScanned(db, statement))
        if ((BIG_TABLES as readonly string[]).includes(table)) found.push(`${statement.call}: ${table}`);
    expect(found).toEqual([]);
  });

  it('a statement without an index is found', async () => {
    const sql = 'select 1 from calls where route = $1 and took_ms > $2';
    expect(await tablesScanned(db, { call: 'test', sql })).toEqual(['calls']);
  });
});
