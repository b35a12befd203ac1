// What waits for a person.
import type { Queryable } from '../../database.ts';
import { isoText } from '../../iso-text.ts';

/** Rows by kind, so that one kind does not hide the others. */
const MOST = 100;

export interface NeedRow {
  readonly kind:
    | 'unknown-records'
    | 'unknown-events'
    | 'unknown-members'
    | 'failed-members'
    | 'blocked-poller'
    | 'paused-poller'
    | 'blocked-campaign'
    | 'paused-campaign'
    | 'approval'
    | 'blocked-events'
    | 'dead-outbox'
    | 'failed-run';
  readonly account: string | null;
  /** Name of a sync among runs (`+` before a campaign's, `@` before a route's), or of a poller, route or sink. */
  readonly name: string;
  readonly run: string | null;
  readonly count: number;
  readonly since: string | null;
  readonly code: string | null;
  readonly reason: string | null;
}

/** Each part has the columns kind, account, name, run, count, since, code and reason. */
const PARTS = [
  `select 'unknown-records', r.account, r.sync, r.id, u.n, u.since, null, null
     from (select run_id, count(*) as n, min(ended_at) as since from run_records where status = 'unknown' group by 1) u
     join runs r on r.id = u.run_id`,
  `select 'unknown-events', account, route, null, count(*), min(ended_at), max(code), max(reason)
     from events where state = 'ended' and outcome = 'unknown' group by account, route`,
  `select 'unknown-members', r.account, r.sync, r.id, u.n, u.since, null, null
     from (select run_id, count(*) as n, min(ended_at) as since from campaign_members where state = 'unknown' group by 1) u
     join runs r on r.id = u.run_id`,
  // Of the newest run of each campaign, with the code of most of them.
  `select 'failed-members', r.account, r.sync, r.id, u.n, u.since, u.code, u.reason
     from (select run_id, count(*) as n, min(ended_at) as since, mode() within group (order by code) as code,
                  (array_agg(reason order by ended_at desc))[1] as reason
             from campaign_members where state = 'failed' group by 1) u
     join runs r on r.id = u.run_id
    where not exists (select 1 from runs l where l.account = r.account and l.sync = r.sync and l.seq > r.seq)`,
  `select case when paused_at is null then 'blocked-poller' else 'paused-poller' end, account, poller, null, 1,
          paused_at, block_code, coalesce(paused_reason, block_reason)
     from pollers where paused_at is not null or block_code is not null`,
  `select case when c.state = 'planned' then 'approval' when c.paused is not null then 'paused-campaign'
               else 'blocked-campaign' end,
          c.account, r.sync, c.run_id, 1, case when c.state = 'planned' then c.planned_at end, c.blocked ->> 'code',
          coalesce(c.paused ->> 'reason', c.blocked ->> 'reason')
     from runs r join campaigns c on c.run_id = r.id
    where r.finished_at is null and r.kind = 'campaign'
      and (c.state = 'running' and (c.paused is not null or c.blocked is not null)
           or c.state = 'planned' and c.approved_by is null and r.spec -> 'config' ->> 'approval' = 'second-person')`,
  `select 'blocked-events', account, route, null, count(*), min(accepted_at), max(block_code), max(block_reason)
     from events where state = 'accepted' and block_code is not null group by account, route`,
  `select 'dead-outbox', null, s.sink, null, d.n, f.created_at, f.code, f.reason
     from sink_states s,
          lateral (select count(*) as n from (
            select 1 from outbox where sink = s.sink and state = 'dead' limit 1000) ids) d,
          lateral (select created_at, code, reason from outbox where sink = s.sink and state = 'dead' order by seq limit 1) f`,
  // A later run that went well has made up for it.
  `select 'failed-run', r.account, r.sync, r.id, 1, r.finished_at, 'RUN_FAILED', r.error
     from runs r
    where r.finished_at > now() - interval '1 day' and r.status = 'failed'
      and not exists (select 1 from runs l where l.account = r.account and l.sync = r.sync and l.seq > r.seq
                         and l.status = 'finished')`,
];

/** @param account null: all */
export async function readNeeds(db: Queryable, account: string | null): Promise<NeedRow[]> {
  const columns = 'kind, account, name, run, count, since, code, reason';
  const parts = PARTS.map(
    (part, n) => `(select * from (${part}) p${n}(${columns})
       where $1::text is null or account is null or account = $1 order by since desc nulls last limit ${MOST})`,
  );
  return await db.query<NeedRow>(
    `select kind, account, name, run, count::int as count, ${isoText('since')} as since, code, reason
       from (${parts.join(' union all ')}) needs(${columns}) order by since nulls last, account, name`,
    [account],
  );
}
