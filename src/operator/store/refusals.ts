// Refusals of the ingress: the newest ones, and counts by hour. They contain no content of a delivery.

import { pageOf } from '../../core/page.ts';
import type { Queryable } from '../../core/sql/database.ts';
import { isoText } from '../../core/sql/iso-text.ts';
import type { Refusal, RefusalHour } from '../../jobs/events/contract/refusals.ts';

export interface RefusalCount {
  readonly via: 'http' | 'kafka';
  readonly route: string;
  readonly code: string;
  readonly status: number | null;
  readonly count: number;
}

/** A refusal and the milliseconds since. The ledger's clock gives its time. */
export interface AgedRefusal extends Omit<RefusalCount, 'count'> {
  readonly reason: string;
  readonly age_ms: number;
}

/** Maximum number of refusals that are kept one by one. */
export const KEPT_REFUSALS = 1000;

/** Adds counts to the current hour and keeps the newest refusals, in one statement. */
export async function saveRefusals(
  db: Queryable,
  counts: readonly RefusalCount[],
  newest: readonly AgedRefusal[],
): Promise<void> {
  await db.query(
    `with counted as (
       insert into refusal_hours as h (hour, via, route, code, status, count, last_at)
       select date_trunc('hour', now()), via, route, code, status, count, now()
         from json_to_recordset($1::json) as c(via text, route text, code text, status smallint, count int)
        -- All processes use one order: two statements over the same rows would otherwise deadlock.
        order by via, route, code
       on conflict (hour, via, route, code) do update
          set count = h.count + excluded.count, last_at = excluded.last_at, status = excluded.status
     ), added as (
       insert into refusals (at, via, route, code, status, reason)
       select now() - make_interval(secs => age_ms / 1000), via, route, code, status, reason
         from json_to_recordset($2::json)
           as r(age_ms float8, via text, route text, code text, status smallint, reason text)
     )
     delete from refusals where id <= (select max(id) from refusals) - $3`,
    [JSON.stringify(counts), JSON.stringify(newest), KEPT_REFUSALS],
  );
}

export interface RefusalFilter {
  readonly route?: string | undefined;
  readonly codes?: readonly string[] | undefined;
  readonly via?: 'http' | 'kafka' | undefined;
}

const WHERE = `($1::text is null or route = $1) and ($2::text[] is null or code = any($2))
  and ($3::text is null or via = $3)`;
const valuesOf = ({ route, codes, via }: RefusalFilter) => [route ?? null, codes ?? null, via ?? null];

/** Newest first. @param before `next` of the page before */
export async function listRefusals(
  db: Queryable,
  filter: RefusalFilter,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<{ refusals: Refusal[]; next: string | null }> {
  const rows = await db.query<Refusal>(
    `select id, ${isoText('at')} as at, via, route, code, status, reason from refusals
      where ${WHERE} and ($4::bigint is null or id < $4::bigint) order by id desc limit $5`,
    [...valuesOf(filter), before, limit + 1],
  );
  const { page, next } = pageOf(rows, limit, ({ id }) => String(id));
  return { refusals: page, next };
}

/**
 * Counts from the hour of a time on, newest hour first.
 * @param since null: 24 hours ago
 * @returns `since`: the beginning of the first hour that is counted
 */
export async function countRefusals(
  db: Queryable,
  filter: RefusalFilter,
  { since, limit }: { readonly since: string | null; readonly limit: number },
): Promise<{ readonly since: string; readonly hours: RefusalHour[] }> {
  const [first] = await db.query<{ since: string }>(
    `select ${isoText("date_trunc('hour', coalesce($1::timestamptz, now() - interval '1 day'))")} as since`,
    [since],
  );
  const from = (first as { since: string }).since;
  const hours = await db.query<RefusalHour>(
    `select ${isoText('hour')} as hour, via, route, code, status, count, ${isoText('last_at')} as "lastAt"
       from refusal_hours where ${WHERE} and hour >= $4::timestamptz
      order by hour desc, count desc, route, code limit $5`,
    [...valuesOf(filter), from, limit],
  );
  return { since: from, hours };
}

/**
 * Deletes counts that are older than this number of days.
 * @returns the number of rows; a further call may find more
 */
export async function forgetRefusals(db: Queryable, days: number, limit = 5000): Promise<number> {
  const rows = await db.query(
    `delete from refusal_hours where (hour, via, route, code) in (
       select hour, via, route, code from refusal_hours
        where hour < now() - make_interval(secs => $1::float8 * 86400) order by hour limit $2) returning 1`,
    [days, limit],
  );
  return rows.length;
}
