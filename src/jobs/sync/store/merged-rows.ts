// Rows whose person another row already represents: they were merged into it, or left out in its favor.
import { plainArray, type Queryable } from '../../../core/sql/database.ts';

export interface MergedRow {
  readonly row: number;
  readonly key: string;
  /** The row that represents the person; null when that is a record that the previous run left undone. */
  readonly into: number | null;
}

export async function addMerged(tx: Queryable, runId: string, rows: readonly MergedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `insert into merged_rows (run_id, row_no, key, into_row)
     select $1, row, key, into_row from unnest($2::text::int[], $3::text::text[], $4::text::int[]) as m(row, key, into_row)`,
    [
      runId,
      plainArray(rows.map(({ row }) => row)),
      plainArray(rows.map(({ key }) => key)),
      plainArray(rows.map(({ into }) => into ?? 'NULL')),
    ],
  );
}

/**
 * Deletes the merge entries of these people.
 * @returns their rows by person, in the order of the source
 */
export async function takeBackMerged(
  tx: Queryable,
  runId: string,
  keys: readonly string[],
): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>(keys.map((key) => [key, []]));
  if (keys.length === 0) return found;
  const rows = await tx.query<{ key: string; row: number }>(
    'delete from merged_rows where run_id = $1 and key = any($2) returning key, row_no as row',
    [runId, keys],
  );
  for (const { key, row } of rows.toSorted((a, b) => a.row - b.row)) found.get(key)?.push(row);
  return found;
}

/** A page of merged rows after row `after`, in the order of the source. */
export async function pageOfMerged(
  db: Queryable,
  runId: string,
  page: { after: number; row: number | null; limit: number },
): Promise<MergedRow[]> {
  return await db.query(
    `select row_no as row, key, into_row as into from merged_rows
      where run_id = $1 and row_no > $2 and ($3::int is null or row_no = $3) order by row_no limit $4`,
    [runId, page.after, page.row, page.limit],
  );
}
