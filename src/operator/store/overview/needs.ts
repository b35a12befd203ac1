// What waits for a person.

import { OPERATOR_ROUTE } from '../../../core/ids.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { KEPT_REFUSALS } from '../../../jobs/events/contract/refusals.ts';
import type { Reviewable } from '../../contract/overview.ts';

/** Failed and refused events are shown for this long. */
const FAILED_FOR = '7 days';

/** Rows by kind, so that one kind does not hide the others. */
export const MOST_OF_A_KIND = 100;

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
    | 'failed-run'
    | 'failed-campaign'
    | 'failed-records'
    | 'rejected-rows'
    | 'failed-events'
    | 'refused-events'
    | 'unread-conversations'
    | 'failing-notices';
  readonly account: string | null;
  /** Name of a sync among runs (`+` before a campaign's, `@` before a route's), or of a poller, route or sink. */
  readonly name: string;
  readonly run: string | null;
  readonly count: number;
  readonly since: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  /** Of how many of them the reason is. Null: not known, or of all. */
  readonly same: number | null;
}

/** Condition that something is newer than what a person has looked at. */
const unseen = (kind: Reviewable, subject: string, at: string): string =>
  `not exists (select 1 from reviewed_needs v where v.kind = '${kind}' and v.subject = ${subject} and v.until >= ${at})`;

/** The last run of each sync that has ended. A later run has made up for what failed before, or shows it again. */
const lastRuns = (kinds: string): string =>
  `(select distinct on (account, sync) * from runs where kind in (${kinds}) and finished_at is not null
     order by account, sync, seq desc) r`;

/** The error of a run that Sluice can name begins with its code. */
export const CODE_FIRST = '^([A-Z][A-Z0-9_]+): ';

/** With `same` as ninth column: of how many rows the code and reason are. */
const REJECTED_ROWS = `select 'rejected-rows', r.account, r.sync, r.id, r.rows_rejected, r.finished_at, p.code, p.reason, p.n as same
     from ${lastRuns(`'sync'`)},
          -- The commonest pair: a code alone may have several reasons.
          lateral (select code, reason, count(*) as n from row_problems where run_id = r.id and kind = 'reject'
                    group by code, reason order by count(*) desc, code, reason limit 1) p
    where r.rows_rejected > 0 and ${unseen('rejected-rows', 'r.id', 'r.finished_at')}`;

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
     from (select run_id, count(*) as n, min(ended_at) as since, max(ended_at) as newest,
                  mode() within group (order by code) as code,
                  (array_agg(reason order by ended_at desc))[1] as reason
             from campaign_members where state = 'failed' group by 1) u
     join runs r on r.id = u.run_id
    where not exists (select 1 from runs l where l.account = r.account and l.sync = r.sync and l.seq > r.seq)
      and ${unseen('failed-members', 'r.id', 'u.newest')}`,
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
           or c.state = 'planned' and c.approved_by is null and r.spec -> 'config' ->> 'approval' = 'second-person'
              and coalesce(jsonb_array_length(c.plan -> 'problems'), 0) = 0)`,
  `select 'blocked-events', account, route, null, count(*), min(accepted_at), max(block_code), max(block_reason)
     from events where state = 'accepted' and block_code is not null group by account, route`,
  `select 'dead-outbox', null, s.sink, null, d.n, f.created_at, f.code, f.reason
     from sink_states s,
          lateral (select count(*) as n from (
            select 1 from outbox where sink = s.sink and state = 'dead' limit 1000) ids) d,
          lateral (select created_at, code, reason from outbox where sink = s.sink and state = 'dead' order by seq limit 1) f`,
  // A later run that went well has made up for it.
  `select 'failed-run', r.account, r.sync, r.id, 1, r.finished_at,
          coalesce(substring(r.error from '${CODE_FIRST}'), 'RUN_FAILED'), regexp_replace(r.error, '${CODE_FIRST}', '')
     from runs r
    where r.kind in ('sync', 'retry') and r.finished_at > now() - interval '1 day' and r.status = 'failed'
      and not exists (select 1 from runs l where l.account = r.account and l.sync = r.sync and l.seq > r.seq
                         and l.status = 'finished')
      and ${unseen('failed-run', 'r.id', 'r.finished_at')}`,
  // A later plan has made up for it.
  `select 'failed-campaign', r.account, r.sync, r.id, 1, r.finished_at, 'RUN_FAILED', c.reason
     from runs r join campaigns c on c.run_id = r.id
    where r.finished_at > now() - interval '1 day' and r.status = 'failed'
      and not exists (select 1 from runs l where l.account = r.account and l.sync = r.sync and l.seq > r.seq
                         and l.status <> 'failed')
      and ${unseen('failed-campaign', 'r.id', 'r.finished_at')}`,
  `select 'failed-records', r.account, r.sync, r.id, f.n, r.finished_at, f.code, f.reason
     from ${lastRuns(`'sync', 'retry'`)},
          lateral (select count(*) as n, mode() within group (order by code) as code,
                          (array_agg(reason order by id desc))[1] as reason
                     from run_records where run_id = r.id and status = 'failed' and event_id is null) f
    where f.n > 0 and ${unseen('failed-records', 'r.id', 'r.finished_at')}`,
  REJECTED_ROWS,
  `select 'failed-events', account, route, null, count(*), min(ended_at), mode() within group (order by code),
          (array_agg(reason order by ended_at desc))[1]
     from events e
    where state = 'ended' and outcome = 'failed' and ended_at > now() - interval '${FAILED_FOR}'
      -- A flow that nobody's route or campaign triggers is a test of a campaign: its dialog shows what became of it.
      and not (route = '${OPERATOR_ROUTE}' and action = 'flow')
      and ${unseen('failed-events', 'e.route', 'e.ended_at')} group by account, route`,
  // Requests whose content is kept count once each, as in their list, until somebody has replayed or discarded them.
  // Of the others only the number by the hour is known. Deliveries to a path of no route are not for Sluice.
  `select 'refused-events', null, route, null, sum(n), min(since), mode() within group (order by code),
          (array_agg(reason order by last_at desc))[1]
     from (
       select route, code, reason, 1 as n, first_at as since, last_at
         from refused_requests k
        where settled_how is null and last_at > now() - interval '${FAILED_FOR}'
          and ${unseen('refused-events', 'k.route', 'k.last_at')}
       union all
       select route, code,
              (select k.reason from refusals k
                where k.via = 'http' and k.route = h.route and k.code = h.code order by k.id desc limit 1),
              count,
              coalesce((select min(k.at) from refusals k
                         where k.via = 'http' and k.route = h.route and k.code = h.code and k.at >= h.hour), h.hour),
              last_at
         from refusal_hours h
        where via = 'http' and route <> '-' and code not in (${KEPT_REFUSALS.map((code) => `'${code}'`).join(', ')})
          and last_at > now() - interval '${FAILED_FOR}' and ${unseen('refused-events', 'h.route', 'h.last_at')}
     ) open group by route`,
  // Each is read again when the assumptions about answers change, or when the service shows it in another form.
  `select 'unread-conversations', account, poller, null, count(*), min(at), mode() within group (order by code),
          (array_agg(reason order by last_at desc))[1]
     from poll_gaps g
    where assumed is not null and ${unseen('unread-conversations', 'g.poller', 'g.at')} group by account, poller`,
  `select 'failing-notices', null, channel, null, failures, failing_since, code, reason
     from notice_channels where failures > 0`,
];

/**
 * @param account null: all
 * @returns `at`: by the ledger's clock, which all times of the needs come from
 */
export async function readNeeds(
  db: Queryable,
  account: string | null,
): Promise<{ readonly at: string; readonly needs: readonly NeedRow[] }> {
  const columns = 'kind, account, name, run, count, since, code, reason';
  const parts = PARTS.map(
    (
      part,
      n,
    ) => `(select ${columns}, ${part === REJECTED_ROWS ? 'same' : 'null::bigint'} as same from (${part}) p${n}(${columns})
       where $1::text is null or account is null or account = $1 order by since desc nulls last limit ${MOST_OF_A_KIND})`,
  );
  const [row] = await db.query<{ at: string; needs: readonly NeedRow[] }>(
    `select ${isoText('now()')} as at, coalesce((select json_agg(found) from (
       select kind, account, name, run, count::int as count, ${isoText('since')} as since, code, reason, same::int as same
         from (${parts.join(' union all ')}) needs order by needs.since nulls last, account, name) found), '[]') as needs`,
    [account],
  );
  return row as { at: string; needs: readonly NeedRow[] };
}

/** Identities of who made these plans, by run. */
export async function readAuthors(
  db: Queryable,
  runs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ run: string; author: string }>(
    'select run_id as run, planned_by as author from campaigns where run_id = any($1)',
    [runs],
  );
  return new Map(rows.map(({ run, author }) => [run, author]));
}

/** Failures of the subject up to this time were looked at. An earlier time than before changes nothing. */
export async function reviewNeed(
  db: Queryable,
  { kind, subject, until }: { readonly kind: Reviewable; readonly subject: string; readonly until: string },
): Promise<void> {
  await db.query(
    `with old as (delete from reviewed_needs where until < now() - interval '1 year')
     insert into reviewed_needs as v (kind, subject, until) values ($1, $2, $3)
     on conflict (kind, subject) do update set until = greatest(v.until, excluded.until)`,
    [kind, subject, until],
  );
}
