// Reads the call log, and what the calls of a period were spent on.
import type { Queryable } from '../../core/sql/database.ts';
import { isoText } from '../../core/sql/iso-text.ts';

export type CallOutcome = 'ok' | 'failed' | 'limited' | 'lost';

export interface CallFilter {
  readonly account?: string | undefined;
  /** Id in `people`. */
  readonly person?: number | undefined;
  readonly run?: string | undefined;
  readonly request?: string | undefined;
  readonly event?: string | undefined;
  readonly outcome?: CallOutcome | undefined;
  readonly status?: number | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** The last call of the page before. */
  readonly before?: { readonly at: string; readonly id: number } | undefined;
  readonly limit: number;
}

export interface CallRow {
  readonly id: number;
  readonly at: string;
  /** With microseconds: the place in the log. */
  readonly place: string;
  readonly account: string;
  readonly token: string;
  readonly run: string;
  readonly lane: number;
  readonly method: string;
  readonly route: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly person: string | null;
  readonly personId: number | null;
  readonly event: string | null;
  readonly conversation: number | null;
  readonly card: number | null;
  readonly waitMs: number;
  readonly tookMs: number;
}

/**
 * Written so that the index of failed calls serves all but `ok`. Everywhere, a call failed if it had no success,
 * except 429: Sluice waits and calls again. A lost answer counts.
 */
const OUTCOMES: Readonly<Record<CallOutcome, string>> = {
  ok: 'c.code is null',
  failed: 'c.code is not null and c.status is distinct from 429',
  limited: 'c.status = 429 and c.status >= 400',
  lost: 'c.status is null',
};

/** Newest first. */
export async function listCalls(db: Queryable, filter: CallFilter): Promise<CallRow[]> {
  const values: unknown[] = [];
  const param = (value: unknown) => `$${values.push(value)}`;
  const { account, person, run, request, event, outcome, status, since, until, before, limit } = filter;
  const where = ['true'];
  if (account !== undefined) where.push(`c.account = ${param(account)}`);
  if (person !== undefined)
    where.push(
      `(c.account, c.person_key) = (select account, key from people where id = ${param(person)}::bigint)`,
    );
  // The times of a run or an event bound the part of the log that is read.
  if (run !== undefined) {
    const id = param(run);
    where.push(
      `c.run_id = ${id}`,
      `c.at >= (select started_at - interval '1 minute' from runs where id = ${id})`,
    );
    where.push(
      `c.at <= (select coalesce(finished_at + interval '1 minute', 'infinity') from runs where id = ${id})`,
    );
  }
  if (event !== undefined) {
    const id = param(event);
    where.push(`c.event_id = ${id}`);
    where.push(`c.at >= (select received_at - interval '1 minute' from events where id = ${id})`);
    where.push(
      `c.at <= (select coalesce(ended_at + interval '1 minute', 'infinity') from events where id = ${id})`,
    );
  }
  if (request !== undefined) where.push(`c.request_id = ${param(request)}`);
  if (outcome !== undefined) where.push(OUTCOMES[outcome]);
  if (status !== undefined)
    where.push(`c.status = ${param(status)}${status >= 400 ? ' and c.status >= 400' : ''}`);
  if (since !== undefined) where.push(`c.at >= ${param(since)}::timestamptz`);
  if (until !== undefined) where.push(`c.at < ${param(until)}::timestamptz`);
  if (before !== undefined)
    where.push(`(c.at, c.id) < (${param(before.at)}::timestamptz, ${param(before.id)}::bigint)`);
  return await db.query<CallRow>(
    `select c.id, ${isoText('c.at')} as at, to_char(c.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place,
            c.account, c.token, c.run_id as run, c.lane, c.method, c.route, c.status, c.code, c.request_id as "requestId",
            c.person_key as person, p.id as "personId", c.event_id as event, c.conversation_id as conversation,
            c.card_id as card, c.wait_ms as "waitMs", c.took_ms as "tookMs"
       from (select * from calls c where ${where.join(' and ')} order by c.at desc, c.id desc limit ${param(limit)}) c
       left join people p on p.account = c.account and p.key = c.person_key
      order by c.at desc, c.id desc`,
    values,
  );
}

/** A period and, optionally, one account. Times are ISO 8601. */
export interface Period {
  readonly account: string | null;
  readonly since: string;
  readonly until: string;
}

export interface SpendingRow {
  readonly account: string;
  /** Name among the names of syncs; null when the ledger does not know the run. */
  readonly sync: string | null;
  readonly run: string;
  readonly lane: number;
  readonly calls: number;
  readonly limited: number;
  readonly failed: number;
  readonly waitMs: number;
}

/** The calls of a period by run and lane, by whole minutes. */
export async function readSpending(db: Queryable, { account, since, until }: Period): Promise<SpendingRow[]> {
  return await db.query<SpendingRow>(
    `select m.account, r.sync, m.run_id as run, m.lane, m.calls, m.limited, m.failed, m.wait_ms as "waitMs"
       from (select account, run_id, lane, sum(calls)::int as calls, sum(limited)::int as limited,
                    sum(failed)::int as failed, sum(wait_ms)::float8 as wait_ms
               from call_minutes
              where minute >= date_trunc('minute', $1::timestamptz) and minute < $2 and ($3::text is null or account = $3)
              group by 1, 2, 3) m
       left join runs r on r.id = m.run_id
      order by m.account, m.run_id, m.lane`,
    [since, until, account],
  );
}
