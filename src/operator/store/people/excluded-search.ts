// Finds members of campaigns that are no person, because their number could not be read, by who they are about.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { type IdentityQuery, type MatchedBy, matchesOf } from './identity-match.ts';

/** A member that a campaign excluded because its number could not be read. */
export interface FoundExcluded {
  readonly account: string;
  readonly campaign: string;
  readonly run: string;
  readonly member: number;
  /** Row of the source, from 1; null for cards and contacts of the service. */
  readonly row: number | null;
  readonly at: string;
  readonly by: readonly MatchedBy[];
  readonly name: string | null;
  readonly email: string | null;
  /** As it was written. */
  readonly number: string | null;
  readonly code: string;
  readonly reason: string;
}

const MEMBERS = {
  from: 'campaign_members m',
  id: 'id',
  ofAccounts: (accounts: string) =>
    `key is null and exists (select 1 from campaigns c where c.run_id = m.run_id and c.account = any(${accounts}))`,
  name: 'row_name',
  email: 'row_email',
  number: 'row_number',
};

/** Newest run first, then in the order of the audience. */
export async function searchExcluded(
  db: Queryable,
  query: IdentityQuery,
  limit: number,
): Promise<FoundExcluded[]> {
  const values: unknown[] = [limit];
  const matches = await matchesOf(db, query, MEMBERS, (value) => `$${values.push(value)}`);
  if (matches.length === 0) return [];
  return await db.query<FoundExcluded>(
    `with found as materialized (
       select id, array_agg(distinct by) as by from (${matches.join(' union all ')}) f group by id)
     select c.account, c.campaign, c.run_id as run, m.id::float8 as member, m.row_no as row,
            ${isoText('coalesce(c.planned_at, c.as_of)')} as at, f.by,
            m.row_name as name, m.row_email as email, m.row_number as number, m.code, coalesce(m.reason, '') as reason
       from found f
       join campaign_members m on m.id = f.id
       join campaigns c on c.run_id = m.run_id
      order by c.as_of desc, m.id limit $1`,
    values,
  );
}
