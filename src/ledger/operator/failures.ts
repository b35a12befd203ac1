// What failed in a period, of all kinds, by code.
import type { Queryable } from '../database.ts';
import { isoText } from '../iso-text.ts';
import type { Period } from './call-log.ts';

export interface FailureRow {
  readonly kind: 'run' | 'record' | 'row' | 'event' | 'member' | 'call' | 'outbox' | 'poller';
  readonly account: string;
  /** Name among the names of syncs for runs, records, rows and members. */
  readonly name: string;
  readonly run: string | null;
  readonly outcome: 'failed' | 'unknown';
  readonly code: string;
  readonly reason: string | null;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

const NEWEST = (column: string, at: string) =>
  `(array_agg(${column} order by ${at} desc) filter (where ${column} is not null))[1]`;

/** Records, events and members end in the same way. */
const ended = (
  kind: string,
  table: string,
  outcome: string,
  [account, name, run]: readonly string[],
  more = '',
) => `
  select '${kind}', ${account}, ${name}, ${run}, ${outcome}, coalesce(t.code, 'OTHER'), ${NEWEST('t.reason', 't.ended_at')},
         count(*), min(t.ended_at), max(t.ended_at)
    from ${table} t ${run === 'null' ? '' : 'join runs r on r.id = t.run_id'}
   where ${outcome} in ('failed', 'unknown') and t.ended_at >= $1 and t.ended_at < $2 ${more}
   group by ${account}, ${name}, ${run === 'null' ? '' : `${run},`} ${outcome}, coalesce(t.code, 'OTHER')`;

const OF_RUN = ['r.account', 'r.sync', 'r.id'];

/** Each part has the columns kind, account, name, run, outcome, code, reason, count, first and last. $1, $2: period. */
const PARTS = [
  `select 'run', account, sync, id, 'failed', 'RUN_FAILED', error, 1, finished_at, finished_at
     from runs where status = 'failed' and finished_at >= $1 and finished_at < $2`,
  ended('record', 'run_records', 't.status', OF_RUN),
  ended('event', 'events', 't.outcome', ['t.account', 't.route', 'null'], `and t.state = 'ended'`),
  ended('member', 'campaign_members', 't.state', OF_RUN),
  `select 'row', r.account, r.sync, r.id, 'failed', p.code, max(p.reason), count(distinct p.row_no), r.started_at,
          coalesce(r.finished_at, now())
     from runs r join row_problems p on p.run_id = r.id and p.kind = 'reject'
    where r.started_at < $2 and (r.finished_at is null or r.finished_at >= $1) and r.kind in ('sync', 'retry')
    group by r.id, p.code`,
  `select 'call', account, method || ' ' || route, null, case when status is null then 'unknown' else 'failed' end, code,
          null, count(*), min(at), max(at)
     from calls where code is not null and at >= $1 and at < $2
    group by account, method, route, status is null, code`,
  `select 'outbox', account, sink, null, 'failed', coalesce(code, 'OTHER'), ${NEWEST('reason', 'tried_at')}, count(*),
          min(tried_at), max(tried_at)
     from outbox where state = 'dead' and tried_at >= $1 and tried_at < $2 group by account, sink, coalesce(code, 'OTHER')`,
  `select 'poller', account, poller, null, 'failed', code, ${NEWEST('reason', 'last_at')}, count(*), min(at), max(last_at)
     from poll_gaps where last_at >= $1 and last_at < $2 group by account, poller, code`,
];

/** The newest first. */
export async function readFailures(
  db: Queryable,
  { account, since, until }: Period,
  limit: number,
): Promise<FailureRow[]> {
  const columns = 'kind, account, name, run, outcome, code, reason, count, first_at, last_at';
  return await db.query<FailureRow>(
    `select kind, account, name, run, outcome, code, reason, count::int as count, ${isoText('first_at')} as "firstAt",
            ${isoText('last_at')} as "lastAt"
       from (${PARTS.map((part, n) => `select * from (${part}) p${n}(${columns})`).join(' union all ')}) all_kinds(${columns})
      where $3::text is null or account = $3
      order by last_at desc, kind, name, code limit $4`,
    [since, until, account, limit],
  );
}
