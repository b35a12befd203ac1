// The ledger of tests: one database a process in the PostgreSQL of the run, with the tables made once and emptied after.
// PGlite would take more than half of the computing of all tests. The suites of the ledger and the budget run on both.
import { type Database, openPglite, openPostgres } from '../../src/ledger/database.ts';
import { migrate } from '../../src/ledger/migrations/migrations.ts';
import type { LeasedRecord } from '../../src/ledger/sync/records.ts';
import { readCluster } from './cluster.ts';
import { startPostgres } from './postgres.ts';

const KEY = Symbol.for('sluice.test.ledger');
const shared = globalThis as { [KEY]?: Promise<Database> };

/**
 * The database of this process, with the ledger's tables, emptied: for a file whose tests change no table.
 * Its `close` does nothing, as it ends with the run.
 */
export async function testLedger(): Promise<Database> {
  shared[KEY] ??= open();
  const db = await shared[KEY];
  await emptyLedger(db);
  return db;
}

async function open(): Promise<Database> {
  const { url } = await startPostgres();
  const db = await openPostgres(url, console.error);
  await migrate(db);
  return { ...db, close: async () => undefined };
}

/** The ledger as it is inside a process without PostgreSQL: PGlite, in memory. */
export async function embeddedLedger(): Promise<Database> {
  const db = await openPglite('memory://', await readCluster());
  await migrate(db);
  return db;
}

/** Leaves the tables as a migration makes them. Only those that a test has filled: truncating all takes PGlite 30 ms. */
export async function emptyLedger(db: Database): Promise<void> {
  const tables = await db.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'sluice_migrations'",
  );
  const checks = tables.map(({ name }) => `select '${name}' as name where exists (select 1 from ${name})`);
  const filled = await db.query<{ name: string }>(checks.join(' union all '));
  if (filled.length > 0)
    await db.query(`truncate ${filled.map(({ name }) => name).join(', ')} restart identity cascade`);
  await db.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false) from pg_sequences
      where schemaname = 'public' and last_value is not null`,
  );
}

/** A record on which no batch works. */
export function unleased(id: number): LeasedRecord {
  return { id, holder: null };
}
