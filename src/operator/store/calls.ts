// The call log: every call of the API with its outcome, and the calls of each minute. One statement writes many calls.
import type { Queryable } from '../../core/sql/database.ts';

/** A call that has ended. It names people and things by keys and ids of the ledger only. */
export interface EndedCall {
  readonly account: string;
  /** Hash of the token. */
  readonly token: string;
  readonly run_id: string;
  /** 1 (reply) to 5 (backfill). */
  readonly lane: number;
  readonly method: string;
  /** Path template. */
  readonly route: string;
  /** Null: the answer was lost. */
  readonly status: number | null;
  /** Null: the call succeeded. */
  readonly code: string | null;
  readonly request_id: string | null;
  /** As people.key. */
  readonly person_key: string | null;
  readonly event_id: string | null;
  readonly conversation_id: number | null;
  readonly card_id: number | null;
  /** Milliseconds from the wish to call until the call went out, and from there until the answer. */
  readonly wait_ms: number;
  readonly took_ms: number;
}

/** A call and the milliseconds since it went out. The log uses the ledger's clock, as all processes share it. */
export interface AgedCall extends EndedCall {
  readonly age_ms: number;
}

const COLUMNS = `account, token, run_id, lane, method, route, status, code, request_id, person_key, event_id,
  conversation_id, card_id, wait_ms, took_ms`;

const LOG = `
  with made as materialized (
    select now() - make_interval(secs => age_ms / 1000) as at, ${COLUMNS} from json_to_recordset($1::json) as c(
      age_ms float8, account text, token text, run_id text, lane smallint, method text, route text, status smallint,
      code text, request_id text, person_key text, event_id text, conversation_id bigint, card_id bigint, wait_ms int,
      took_ms int)
  ), locked as materialized (
    -- In the order in which an erasure locks them.
    select id from runs where id = any($2) order by id for no key update
  ), counted as (
    update runs r set calls = r.calls + c.calls
      from unnest($2::text[], $3::int[]) c(id, calls) join locked using (id) where r.id = c.id
  ), logged as (
    insert into calls (at, ${COLUMNS}) select at, ${COLUMNS} from made
  )
  insert into call_minutes as m (minute, token, lane, run_id, account, calls, limited, failed, wait_ms, call_limit)
  select date_trunc('minute', at), token, lane, run_id, min(account), count(*),
         count(*) filter (where status = 429), count(*) filter (where code is not null and status is distinct from 429),
         sum(wait_ms), (select s.call_limit from slots s where s.token = made.token)
    from made group by 1, 2, 3, 4
    -- All processes use one order: two statements over the same minutes would otherwise deadlock.
    order by 1, 2, 3, 4
  on conflict (minute, token, lane, run_id) do update
     set calls = m.calls + excluded.calls, limited = m.limited + excluded.limited, failed = m.failed + excluded.failed,
         wait_ms = m.wait_ms + excluded.wait_ms, call_limit = excluded.call_limit`;

/**
 * Writes ended calls to the log and adds started ones to their runs, in one statement.
 * @param started calls since the last time, by run
 */
export async function logCalls(
  db: Queryable,
  ended: readonly AgedCall[],
  started: ReadonlyMap<string, number>,
): Promise<void> {
  await db.query(LOG, [JSON.stringify(ended), [...started.keys()], [...started.values()]]);
}

/**
 * Deletes logged calls that are older than this number of days.
 * @returns the number of rows; a further call may find more
 */
export async function forgetCalls(db: Queryable, days: number, limit = 5000): Promise<number> {
  const rows = await db.query(
    `delete from calls where (at, id) in (
       select at, id from calls where at < now() - make_interval(secs => $1::float8 * 86400) order by at, id limit $2)
     returning 1`,
    [days, limit],
  );
  return rows.length;
}

/**
 * Deletes the numbers of calls of minutes that are older than this number of days.
 * @returns the number of rows; a further call may find more
 */
export async function forgetMinutes(db: Queryable, days: number, limit = 5000): Promise<number> {
  const rows = await db.query(
    `delete from call_minutes where (minute, token, lane, run_id) in (
       select minute, token, lane, run_id from call_minutes
        where minute < now() - make_interval(secs => $1::float8 * 86400) order by minute limit $2)
     returning 1`,
    [days, limit],
  );
  return rows.length;
}
