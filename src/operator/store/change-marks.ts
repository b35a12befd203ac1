// Marks by topic: when a mark differs from the one before, what the topic shows has changed. One statement reads all
// of them, from ends of indexes and from tables with few rows.
import type { Queryable } from '../../core/sql/database.ts';

export const TOPICS = [
  'overview',
  'syncs',
  'campaigns',
  'events',
  'conversations',
  'sinks',
  'audit',
  'settings',
] as const;
export type Topic = (typeof TOPICS)[number];

/** Opaque; compare for equality. `overview` is not read, because it changes with every other one. */
export type Marks = Readonly<Record<Exclude<Topic, 'overview'> | 'calls', string>>;

const MARKS = `
  with open as materialized (
    select id, kind, status, calls, pages from runs where finished_at is null
  ), finished as materialized (
    select max(finished_at) as at from runs where finished_at is not null
  )
  select
    (select max(at)::text from calls) as calls,
    (select concat_ws(' ', count(*), sum(calls), sum(pages), count(*) filter (where status = 'planning'),
                      (select at from finished))
       from open where kind in ('sync', 'retry', 'plan')) as syncs,
    (select concat_ws(' ', count(*), sum(o.calls), md5(string_agg(concat_ws(' ', c.state, c.paused, c.blocked, c.pace,
                        c.approved_by, c.verified is null, c.plan is null,
                        (select count(*) + count(ended_at) from campaign_waves w where w.run_id = c.run_id)), ','
                        order by c.run_id)), (select at from finished))
       from open o join campaigns c on c.run_id = o.id where o.kind = 'campaign') as campaigns,
    concat_ws(' ', (select max(seq) from events), (select max(ended_at) from events where state = 'ended'),
      (select count(*) from (
         select 1 from events where state = 'accepted' and block_code is not null limit 1000) b)) as events,
    concat_ws(' ', (select concat_ws(' ', count(*), sum(polls), sum(messages), max(moved_at), max(paused_at), count(block_code))
                      from pollers),
      (select max(id) from poll_gaps),
      (select sum(calls) from open where kind = 'poll')) as conversations,
    (select concat_ws(' ', sum(s.sent), max(s.failed_at), count(s.open_until), sum(d.n), sum(w.last))
       from sink_states s,
            lateral (select count(*) as n from (
              select 1 from outbox where sink = s.sink and state = 'dead' limit 1000) b) d,
            lateral (select max(seq) as last from outbox where sink = s.sink) w) as sinks,
    (select max(id)::text from operator_audit) as audit,
    (select concat_ws(' ', count(*), max(last_login_at), md5(string_agg(concat_ws(' ', id, role, display_name,
                        disabled_at, unix_user), ',' order by id))) from users) as settings`;

export async function readMarks(db: Queryable): Promise<Marks> {
  const [row] = await db.query<Marks>(MARKS);
  return row as Marks;
}

/** Topics that differ. */
export function changedTopics(before: Marks, now: Marks): Topic[] {
  const keys = Object.keys(now) as (keyof Marks)[];
  const changed = keys.filter((key) => before[key] !== now[key]);
  return changed.length === 0 ? [] : ['overview', ...changed.filter((key) => key !== 'calls')];
}
