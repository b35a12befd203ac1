// Finds rows of syncs that have no record of their own, because they were rejected or merged, by who they are about.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { type IdentityQuery, type MatchedBy, matchesOf } from './identity-match.ts';

/** A row without a record of its own. */
export interface FoundRow {
  readonly account: string;
  readonly sync: string;
  readonly run: string;
  readonly row: number;
  readonly at: string;
  /** What the query matched. */
  readonly by: readonly MatchedBy[];
  readonly name: string | null;
  readonly email: string | null;
  readonly number: string | null;
  /** Why it was rejected, its number before other fields; null for a merged row. */
  readonly rejected: {
    readonly column: string | null;
    readonly field: string;
    readonly value: string | null;
    readonly code: string;
    readonly reason: string;
  } | null;
  /** The person that represents a merged row, and their row: null when that is one of an earlier run. */
  readonly merged: { readonly key: string; readonly into: number | null } | null;
}

const ROWS = {
  from: 'row_identities',
  id: 'run_id, row_no',
  ofAccounts: (accounts: string) => `account || '' = any(${accounts})`,
  name: 'name',
  email: 'email',
  number: 'number',
};

/** Newest run first, then in the order of the source. */
export async function searchRows(db: Queryable, query: IdentityQuery, limit: number): Promise<FoundRow[]> {
  const values: unknown[] = [limit];
  const matches = await matchesOf(db, query, ROWS, (value) => `$${values.push(value)}`);
  if (matches.length === 0) return [];
  return await db.query<FoundRow>(
    `with found as materialized (
       select run_id, row_no, array_agg(distinct by) as by from (${matches.join(' union all ')}) f group by run_id, row_no)
     select i.account, u.sync, u.id as run, i.row_no as row, ${isoText('u.started_at')} as at, f.by,
            i.name, i.email, i.number, p.rejected,
            case when p.rejected is null then json_build_object('key', m.key, 'into', m.into_row) end as merged
       from found f
       join row_identities i on i.run_id = f.run_id and i.row_no = f.row_no
       join runs u on u.id = f.run_id
       left join merged_rows m on m.run_id = f.run_id and m.row_no = f.row_no
       left join lateral (
         select json_build_object('column', source_column, 'field', field, 'value', value, 'code', code,
                                  'reason', reason) as rejected
           from row_problems where run_id = f.run_id and row_no = f.row_no and kind = 'reject'
          order by field <> 'contact.number', field, code limit 1) p on true
      where p.rejected is not null or m.key is not null
      order by u.started_at desc, i.row_no limit $1`,
    values,
  );
}
