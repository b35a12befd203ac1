// The ledger of tests: one database a process in the PostgreSQL of the run, with the tables made once and emptied after.
// PGlite would take more than half of the computing of all tests. The suites of the ledger and the budget run on both.
import { type Database, openPglite, openPostgres } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import type { LeasedRecord } from '../../../src/jobs/sync/store/record-rows.ts';
import { until } from '../until.ts';
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

/**
 * Leaves the tables as a migration makes them. Truncating makes new files: 120 ms for `runs` and what refers to it, where
 * deleting a few rows takes 1 ms. What is deleted stays in the file, so a table of several pages is truncated after all.
 */
export async function emptyLedger(db: Database): Promise<void> {
  // What a test before has left under way may lock the tables in another order.
  await until('what the test before began in the ledger has ended', async () => {
    const [row] = await db.query<{ busy: number }>(
      `select count(*)::int as busy from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
          and state <> 'idle'`,
    );
    return row?.busy === 0;
  });
  await db.query(EMPTY);
}

/** Tables that refer to others are younger than those: their rows go first. */
const EMPTY = `do $empty$
declare
  filled text[];
  large text[];
  name text;
begin
  select array_agg(oid::regclass::text order by oid desc),
      array_agg(oid::regclass::text) filter (where pg_relation_size(oid) > 131072)
    into filled, large from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in ('sluice_migrations', 'ledger_keys')
      and pg_relation_size(oid) > 0;
  if filled is not null then
    execute format('lock table %s in exclusive mode', array_to_string(filled, ', '));
    if large is not null then
      execute format('truncate %s restart identity cascade', array_to_string(large, ', '));
    end if;
    foreach name in array filled loop
      execute format('delete from %s', name);
    end loop;
  end if;
  perform setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false) from pg_sequences
    where schemaname = 'public' and last_value is not null;
end $empty$`;

/** A record on which no batch works. */
export function unleased(id: number): LeasedRecord {
  return { id, holder: null };
}
