// Rows of a run that were rejected, with all reasons of each.
import type { Queryable } from '../../../core/sql/database.ts';

export interface RejectedRow {
  readonly row: number;
  /** Column or field, and reason, of each problem; without values. */
  readonly reason: string;
}

/** In the order of the source. */
export async function listRejectedRows(db: Queryable, runId: string, limit: number): Promise<RejectedRow[]> {
  return await db.query<RejectedRow>(
    `select row_no as row, string_agg(coalesce(source_column, field) || ': ' || reason, '; ' order by field, code) as reason
       from row_problems where run_id = $1 and kind = 'reject'
      group by row_no order by row_no limit $2`,
    [runId, limit],
  );
}
