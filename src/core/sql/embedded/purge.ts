// Removes deleted rows from the files of the embedded database.
import type { Database } from '../database.ts';

/**
 * A deleted or changed row stays in the table's file, in its indexes and in the write-ahead log until PostgreSQL reuses
 * the place. This writes the tables again and removes the old log. Other statements wait meanwhile.
 * @param tables names of tables
 */
export async function purgeTables(db: Database, tables: readonly string[]): Promise<void> {
  if (db.kind !== 'pglite') return;
  for (const table of tables) await db.query(`vacuum full ${table}`);
  // A recycled file of the log keeps its old content.
  await db.query('set wal_recycle = off');
  try {
    await db.query('select pg_switch_wal()');
    await db.query('checkpoint');
  } finally {
    await db.query('reset wal_recycle');
  }
}
