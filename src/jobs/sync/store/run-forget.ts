// Deletes old runs of syncs: first their rows, much later the runs themselves. The last run of a sync stays whole,
// because the next one continues from it.
import type { Queryable } from '../../../core/sql/database.ts';

/** A later run has taken over what this one left: it has ended, and its counts are kept apart from its records. */
const OVER = `r.kind in ('sync', 'retry') and r.counts is not null
  and r.finished_at < now() - make_interval(secs => $1::float8 * 86400)
  and exists (select 1 from runs l where l.account = r.account and l.sync = r.sync and l.seq > r.seq
                 and l.kind in ('sync', 'retry') and l.finished_at is not null)`;

/** Tables with rows of a run, and the columns that name one row. */
const ROWS = {
  run_records: 'id',
  row_identities: 'run_id, row_no',
  row_problems: 'run_id, row_no, field, code',
  missing_tags: 'run_id, tag, row_no',
  run_warnings: 'run_id, step, subject, code',
  merged_rows: 'run_id, row_no',
} as const;

/** Runs whose rows one call deletes. */
const RUNS = 20;

/**
 * Deletes the rows of runs that ended more than `days` ago: records, problems and warnings.
 * @returns the number of rows and of runs that have none left; a further call may find more
 */
export async function forgetRunRows(db: Queryable, days: number, limit = 5000): Promise<number> {
  const runs = await db.query<{ id: string }>(
    `select r.id from runs r where ${OVER} and not r.rows_deleted order by r.finished_at limit ${RUNS}`,
    [days],
  );
  if (runs.length === 0) return 0;
  const ids = runs.map(({ id }) => id);
  let left = limit;
  for (const [table, columns] of Object.entries(ROWS)) {
    const rows = await db.query(
      `delete from ${table} where (${columns}) in (
         select ${columns} from ${table} where run_id = any($1) limit $2) returning 1`,
      [ids, left],
    );
    left -= rows.length;
    if (left <= 0) return limit;
  }
  await db.query('update runs set rows_deleted = true where id = any($1)', [ids]);
  return limit - left + ids.length;
}

/**
 * Deletes runs that ended more than `days` ago, once {@link forgetRunRows} has deleted their rows.
 * @returns the number of runs; a further call may find more
 */
export async function forgetRuns(db: Queryable, days: number, limit = 5000): Promise<number> {
  const rows = await db.query(
    `delete from runs where id in (
       select r.id from runs r where ${OVER} and r.rows_deleted order by r.finished_at limit $2) returning 1`,
    [days, limit],
  );
  return rows.length;
}
