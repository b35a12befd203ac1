// The gauges of tokens, and the calls of each minute.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';

export interface TokenRow {
  readonly token: string;
  readonly limit: number;
  /** Calls in the service's current window. */
  readonly used: number;
  /** Those of other programs, and all that were made before our first one. */
  readonly others: number;
  readonly windowEndsAt: string | null;
  /** Calls in that window, by number of the lane. */
  readonly lanes: Readonly<Record<string, number>>;
  readonly foreign: number;
  readonly limited: number;
  readonly blockedUntil: string | null;
  readonly marks: readonly { readonly scope: string; readonly code: string; readonly at: string }[];
}

/**
 * The tokens that have made a call. A refusal stands until the service accepts the token. That it lacks a scope is forgotten
 * after a day, since perhaps nothing needs the scope any more.
 */
export async function readTokens(db: Queryable, tokens: readonly string[]): Promise<TokenRow[]> {
  return await db.query<TokenRow>(
    `with lanes as (
       select token, json_object_agg(lane, n) as lanes
         from (select token, c.lane, count(*) as n from calls c join slots s using (token)
                where c.at > now() - interval '60 seconds' and s.window_ends > now()
                  and c.at >= s.window_ends - interval '60 seconds' and token = any($1) group by 1, 2) l group by 1
     ), hour as (
       select token, sum(limited)::int as limited from call_minutes
        where minute > now() - interval '1 hour' and token = any($1) group by 1
     ), marks as (
       select token, json_agg(json_build_object('scope', scope, 'code', code, 'at', ${isoText('at')}) order by scope) as marks
         from token_marks where token = any($1) and (scope = '' or at > now() - interval '1 day') group by 1
     )
     select s.token, s.call_limit as "limit",
            case when s.window_ends > now()
                 then least(s.call_limit, greatest(0, s.slot_no - 1 + s.window_base + ceil(s.foreign_now)))::int
                 else 0 end as used,
            case when s.window_ends > now()
                 then least(s.call_limit, greatest(0, s.window_base + s.window_before) + ceil(s.foreign_now))::int
                 else 0 end as others,
            case when s.window_ends > now() then ${isoText('s.window_ends')} end as "windowEndsAt",
            coalesce(l.lanes, '{}') as lanes,
            case when s.window_ends > now() - interval '1 minute' then greatest(s.foreign_usual, s.foreign_now)
                 else 0 end as foreign,
            coalesce(h.limited, 0) as limited,
            case when s.blocked_until > now() then ${isoText('s.blocked_until')} end as "blockedUntil",
            coalesce(m.marks, '[]') as marks
       from slots s left join lanes l using (token) left join hour h using (token) left join marks m using (token)
      where s.token = any($1)`,
    [tokens],
  );
}

export interface MinuteRow {
  /** Start of the step, epoch seconds. */
  readonly at: number;
  readonly token: string;
  readonly lane: number;
  readonly calls: number;
  readonly limited: number;
  readonly failed: number;
  readonly limit: number | null;
}

/**
 * Calls by step, token and lane. Steps without calls are missing.
 * @param from epoch seconds; a multiple of the step
 * @param stepS length of a step in seconds
 */
export async function readMinutes(
  db: Queryable,
  { tokens, from, stepS }: { tokens: readonly string[]; from: number; stepS: number },
): Promise<MinuteRow[]> {
  return await db.query<MinuteRow>(
    `select (floor(extract(epoch from minute) / $3) * $3)::float8 as at, token, lane, sum(calls)::int as calls,
            sum(limited)::int as limited, sum(failed)::int as failed, max(call_limit) as "limit"
       from call_minutes where minute >= to_timestamp($2) and token = any($1) group by 1, 2, 3 order by 1, 2, 3`,
    [tokens, from, stepS],
  );
}
