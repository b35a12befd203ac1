// Who the rows are about that have no record of their own, because they were rejected or merged, so that a search finds
// them.

import { toJson } from '../../../core/json/stored-json.ts';
import type { RowIdentity } from '../../../core/record.ts';
import type { Queryable } from '../../../core/sql/database.ts';

export interface IdentifiedRow extends RowIdentity {
  readonly row: number;
}

/** Rows that are known already stay as they are: the first reading is the row's own. */
export async function addIdentities(
  tx: Queryable,
  run: { readonly id: string; readonly account: string },
  rows: readonly IdentifiedRow[],
): Promise<void> {
  const known = rows.filter(({ name, email, number }) => (name ?? email ?? number) !== null);
  if (known.length === 0) return;
  await tx.query(
    `insert into row_identities (run_id, row_no, account, name, email, number)
     select $1, r.row, $2, r.name, r.email, r.number
       from jsonb_to_recordset($3::jsonb) as r(row int, name text, email text, number text)
     on conflict do nothing`,
    [run.id, run.account, toJson(known)],
  );
}

/** Deletes what is known of rows that were not rejected. Their merge entries are deleted with it. */
export async function dropMergedIdentities(tx: Queryable, runId: string): Promise<void> {
  await tx.query(
    `delete from row_identities i where run_id = $1 and not exists (
       select 1 from row_problems p where p.run_id = $1 and p.row_no = i.row_no and p.kind = 'reject')`,
    [runId],
  );
}
