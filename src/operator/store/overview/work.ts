// Work that waits and runs that run, with what is needed to tell when they end. Numbers above a bound are estimates:
// counting a million records takes longer than the whole overview may.
import { pollerSyncNameSql } from '../../../core/ids.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { PlanNote } from '../../../jobs/campaigns/contract/plan.ts';
import type { EventRequest } from '../../../jobs/events/contract/intake.ts';

/** Up to this number, records and members of a run are counted one by one. */
const COUNTED = 1000;
/** The count of events and of conversations ends here. */
const MOST = 1000;
/** Runs shown. */
const RUNS = 200;

/** Whole minutes that make up the current pace. */
export const PACE_MINUTES = 10;
/** Of these, the latest. They show a change of the pace. */
export const LATEST_MINUTES = 3;
const PACE = `minute >= date_trunc('minute', now()) - interval '${PACE_MINUTES} minutes' and minute < date_trunc('minute', now())`;

export interface RunningRow {
  readonly run: string;
  readonly kind: 'sync' | 'retry' | 'campaign';
  readonly account: string;
  readonly sync: string;
  readonly state: string;
  /** Of a sync, as its run began with it. Null: not stated, which is `backfill`. */
  readonly lane: 'lead' | 'backfill' | null;
  readonly startedAt: string;
  readonly ageSeconds: number;
  readonly sourceProgress: number | null;
  /** Records of the run, or members that are to be triggered; null: not known yet. */
  readonly total: number | null;
  /** Records that had nothing to do from the start. */
  readonly same: number;
  /** Records or members that wait or are under way. */
  readonly pending: number;
  readonly exact: boolean;
  readonly calls: number;
  /** Calls that a campaign's plan took. */
  readonly planningCalls: number;
  /** Calls of the last {@link PACE_MINUTES} minutes, and of the last {@link LATEST_MINUTES}. */
  readonly recentCalls: number;
  readonly latestCalls: number;
  /** Of a campaign. With a code, Sluice paused it; without one, a person. */
  readonly paused: { readonly by: string; readonly reason: string; readonly code?: string } | null;
  readonly blocked: PlanNote | null;
}

/**
 * Pending records of the run `r`. New ones are taken in the order of their ids, so those that are left are a range of
 * ids, and the beginning of the range shows how dense it is.
 */
const RECORDS = `
  select case when f.n <= ${COUNTED} then f.n else round((l.hi - f.lo + 1)::float8 * (f.n - 1) / (f.hi - f.lo)) end + w.n as n,
         f.n <= ${COUNTED} and w.n <= ${COUNTED} as exact
    from (select count(*) as n, min(id) as lo, max(id) as hi from (
            select id from run_records where run_id = r.id and status = 'pending' and due_at = '-infinity'
             order by id limit ${COUNTED + 1}) ids) f,
         (select max(id) as hi from (
            select id from run_records where run_id = r.id and status = 'pending' and due_at = '-infinity'
             order by id desc limit 1) ids) l,
         (select count(*) as n from (
            select 1 from run_records where run_id = r.id and status = 'pending' and due_at > '-infinity' and due_at < 'infinity'
             limit ${COUNTED + 1}) ids) w`;

/** Members of the run `r` that no wave has taken yet, as planned, and those left in the open wave. */
const MEMBERS = `
  select greatest(0, (c.plan ->> 'eligible')::int - w.taken) + o.n as n, o.n <= ${COUNTED} as exact
    from (select coalesce(sum(size) filter (where kind <> 'retry'), 0) as taken,
                 max(wave) filter (where ended_at is null) as wave
            from campaign_waves where run_id = r.id) w,
         lateral (select count(*) as n from (
            select 1 from campaign_members where run_id = r.id and wave = w.wave and state = 'waiting'
             limit ${COUNTED + 1}) ids) o`;

/**
 * Runs of syncs and campaigns under way, the newest first.
 * @param account null: all
 * @param run only this one @default all
 */
export async function readRunning(
  db: Queryable,
  account: string | null,
  run: string | null = null,
): Promise<RunningRow[]> {
  return await db.query<RunningRow>(
    `with pace as (
       select run_id, sum(calls)::int as calls,
              sum(calls) filter (where minute >= date_trunc('minute', now()) - interval '${LATEST_MINUTES} minutes')::int as latest
         from call_minutes where ${PACE} and ($2::text is null or run_id = $2) group by 1)
     select r.id as run, r.kind, r.account, r.sync, coalesce(c.state, r.status) as state,
            r.spec -> 'options' ->> 'lane' as lane,
            ${isoText('r.started_at')} as "startedAt", extract(epoch from now() - r.started_at)::float8 as "ageSeconds",
            r.source_progress as "sourceProgress",
            case when c.run_id is not null then (c.plan ->> 'eligible')::int
                 when r.status = 'planning' then null
                 else r.rows_read - r.rows_rejected - r.rows_merged end as total,
            r.rows_same as same, coalesce(m.n, p.n, 0)::int as pending, coalesce(m.exact, p.exact, true) as exact,
            r.calls, coalesce((c.plan -> 'calls' ->> 'planning')::int, 0) as "planningCalls",
            coalesce(pace.calls, 0) as "recentCalls", coalesce(pace.latest, 0) as "latestCalls", c.paused, c.blocked
       from runs r
       left join campaigns c on c.run_id = r.id
       left join pace on pace.run_id = r.id
       left join lateral (${RECORDS}) p on c.run_id is null and r.status <> 'planning'
       left join lateral (${MEMBERS}) m on c.state = 'running'
      where r.finished_at is null and r.kind in ('sync', 'retry', 'campaign') and ($1::text is null or r.account = $1)
        and ($2::text is null or r.id = $2)
      order by r.started_at desc limit ${RUNS}`,
    [account, run],
  );
}

export interface WaitingRow {
  readonly kind: 'events' | 'conversations';
  readonly account: string;
  /** Route or poller. */
  readonly name: string;
  /** Of events. */
  readonly action: EventRequest['type'] | null;
  readonly count: number;
  readonly exact: boolean;
  /** Of the oldest. Null: not known. */
  readonly since: string | null;
  /** Events that ended in the last {@link PACE_MINUTES} minutes, or calls of the poller. */
  readonly recent: number;
}

/** Events and conversations that wait. */
export async function readWaiting(db: Queryable, account: string | null): Promise<WaitingRow[]> {
  return await db.query<WaitingRow>(
    `with open as (
       select account, route, action, accepted_at from events where state = 'accepted' and ($1::text is null or account = $1)
        limit ${MOST}
     ), ended as (
       select account, route, action, count(*) as n from events
        where state = 'ended' and ended_at > now() - interval '${PACE_MINUTES} minutes' group by 1, 2, 3
     ), todo as (
       select account, poller, todo_since from conversations where todo_at is not null and ($1::text is null or account = $1)
        limit ${MOST}
     )
     select 'events' as kind, o.account, o.route as name, o.action, o.n::int as count,
            (select count(*) < ${MOST} from open) as exact, ${isoText('o.since')} as since,
            coalesce(e.n, 0)::int as recent
       from (select account, route, action, count(*) as n, min(accepted_at) as since from open group by 1, 2, 3) o
       left join ended e using (account, route, action)
     union all
     select 'conversations', t.account, t.poller, null, t.n::int, (select count(*) < ${MOST} from todo), ${isoText('t.since')},
            coalesce((select sum(m.calls) from call_minutes m join runs r on r.id = m.run_id
                       where ${PACE} and r.account = t.account and r.sync = ${pollerSyncNameSql('t.poller')}), 0)::int
       from (select account, poller, count(*) as n, min(todo_since) as since from todo group by 1, 2) t
      order by 1, 2, 3, 4`,
    [account],
  );
}
