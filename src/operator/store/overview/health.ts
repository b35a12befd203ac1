// Health as the ledger shows it: calls of the last minutes, pollers and sinks.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { AccountHealth, PollerHealth, SinkHealth } from '../../contract/health.ts';

/** SQL of the seconds since a time, null without one: `greatest` alone ignores a null and would give 0. */
export function secondsSince(time: string): string {
  return `case when ${time} is not null then greatest(0, extract(epoch from now() - ${time}))::float8 end`;
}

/** The backlog of a sink is counted up to here. */
const MOST = 1000;

export interface LedgerHealth {
  readonly lastFlushAt: string | null;
  readonly accounts: readonly AccountHealth[];
  readonly pollers: readonly PollerHealth[];
}

/** @param account null: all */
export async function readHealth(db: Queryable, account: string | null): Promise<LedgerHealth> {
  const [row] = await db.query<LedgerHealth>(
    `with last as (
       select account, status, code, at, max(at) filter (where code is null) over (partition by account) as success
         from calls where at > now() - interval '5 minutes' and ($1::text is null or account = $1)),
     recent as (
       select account, count(*) as calls, count(*) filter (where code is not null and status is distinct from 429) as failed, max(at) as last,
              count(*) filter (where code is not null and (status is null or status >= 500 or status = 401)
                                 and (success is null or at > success)) as unanswered,
              max(success) as success,
              (array_agg(code order by at desc) filter (where code is not null and status is distinct from 429))[1] as code
         from last group by 1)
     select (select ${isoText('max(at)')} from calls) as "lastFlushAt",
            coalesce((select json_agg(json_build_object('account', account, 'calls', calls, 'failed', failed, 'unanswered', unanswered,
                        'lastCallAt', ${isoText('last')}, 'lastSuccessAt', ${isoText('success')}, 'lastCode', code) order by account)
                        from recent), '[]') as accounts,
            coalesce((select json_agg(json_build_object('account', account, 'poller', poller,
                        'state', case when paused_at is not null then 'paused' when block_code is not null then 'blocked'
                                      else 'polling' end,
                        'polledAt', ${isoText('polled_at')},
                        'lagSeconds', ${secondsSince('complete_at')}, 'startedAt', ${isoText('started_at')}) order by account, poller)
                        from pollers where $1::text is null or account = $1), '[]') as pollers`,
    [account],
  );
  return row as LedgerHealth;
}

/** All sinks that are configured or have a state, by name. */
export async function readSinks(db: Queryable, configured: readonly string[]): Promise<SinkHealth[]> {
  return await db.query<SinkHealth>(
    `select n.sink, case when s.open_until is null then 'closed' else 'open' end as circuit, s.code, s.reason, w.n::int as waiting,
            w.n < ${MOST} as exact, d.n::int as dead,
            ${secondsSince('o.at')} as "lagSeconds", ${isoText('s.sent_at')} as "sentAt"
       from (select unnest($1::text[]) as sink union select sink from sink_states) n
       left join sink_states s on s.sink = n.sink,
       lateral (select count(*) as n from (
         select 1 from outbox where sink = n.sink and state = 'waiting' limit ${MOST}) ids) w,
       lateral (select count(*) as n from (
         select 1 from outbox where sink = n.sink and state = 'dead' limit ${MOST}) ids) d,
       lateral (select least(
         (select created_at from outbox where sink = n.sink and state = 'waiting' and next_at is null order by seq limit 1),
         (select created_at from outbox where sink = n.sink and state = 'waiting' and next_at is not null order by next_at limit 1)
       ) as at) o
      order by n.sink`,
    [configured],
  );
}
