// Finds rows of syncs that have no record of their own, because they were rejected or merged, by who they are about.
import type { Queryable } from '../../core/sql/database.ts';
import { isoText } from '../../core/sql/iso-text.ts';
import { wordsOf } from './people-search.ts';

/** What an operator typed, as it can be read. See `PeopleQuery`. */
export interface RowQuery {
  readonly accounts: readonly string[];
  readonly keys: readonly string[];
  readonly whole: boolean;
  readonly email: string | null;
  readonly name: string | null;
  /** Digits of the number as it was written; null for other texts. */
  readonly digits: string | null;
  /** The last eight of the digits; null: there are fewer. */
  readonly tail: string | null;
}

/** A row without a record of its own. */
export interface FoundRow {
  readonly account: string;
  readonly sync: string;
  readonly run: string;
  readonly row: number;
  readonly at: string;
  /** What the query matched. */
  readonly by: readonly ('phone' | 'email' | 'name')[];
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

/** Rows per thing that matched, before the newest are chosen. A common name may have tens of thousands. */
const MATCHES = 500;

/** Newest run first, then in the order of the source. */
export async function searchRows(db: Queryable, query: RowQuery, limit: number): Promise<FoundRow[]> {
  const { accounts, keys, whole, email, digits, tail, name } = query;
  const words = name === null ? null : await wordsOf(db, name, whole);
  const from = email?.toLowerCase() ?? null;
  const written = digits === null ? keys : [...keys, digits];
  const matches: string[] = [];
  // Checked row by row, as people are: see `OF_ACCOUNTS`.
  const match = (by: string, where: string) =>
    matches.push(
      `(select run_id, row_no, '${by}' as by from row_identities
         where ${where} and account || '' = any($1) limit ${MATCHES})`,
    );
  const values: unknown[] = [accounts, limit];
  const value = (each: unknown) => `$${values.push(each)}`;
  if (written.length > 0)
    match('phone', `number is not null and sluice_digits(number) = any(${value(written)})`);
  if (tail !== null && !whole) match('phone', `number is not null and sluice_tail(number) = ${value(tail)}`);
  if (from !== null) {
    const [first, last] = [value(from), value(whole ? from : `${from}\u{10ffff}`)];
    match('email', `email is not null and lower(email) ~>=~ ${first} and lower(email) ~<=~ ${last}`);
  }
  if (words !== null) {
    const fits = whole ? ` and sluice_words(name) <@ sluice_words(${value(name)})` : '';
    match(
      'name',
      `name is not null and array_to_tsvector(sluice_words(name)) @@ ${value(words)}::tsquery${fits}`,
    );
  }
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
      order by u.started_at desc, i.row_no limit $2`,
    values,
  );
}
