// Records the results of triggers in the run's members: from what pollers saw, from opt-outs, and from the events
// that follow a trigger.
import type { Database, Queryable } from '../../../core/sql/database.ts';
import { inEffect } from '../../../core/store/opt-outs.ts';

/**
 * Seconds. A message of the account this long before the recorded trigger may come from it: the flow runs before its
 * call is answered, and the service has its own clock.
 */
const EARLY_SECONDS = 60;
/** Reads this much again before the last update, because a transaction may have committed after it. */
const OVERLAP = "interval '5 minutes'";

/** Conversations, or members with events, per step: about 0.1 s. */
const STEP = 2000;

interface Stamping {
  readonly run_id: string;
  readonly account: string;
}

/** How far an update is: conversations read up to `checked`, members up to the id `member`; null means all. */
interface Place {
  /** The database's own text of a time. A Date would lose its microseconds. */
  readonly checked: string | null;
  readonly member: number | null;
}

/** Where to continue (null when everything is done), and when the step began, as the database's own text. */
interface Step {
  readonly next: Place | null;
  readonly began: string;
}

/**
 * Updates the results of the run's members: replied, delivered, read, opted out, moved and tagged. It only checks
 * what was read since the last update, so it may run at any time. Recorded results do not change. It runs in steps,
 * none of which blocks the ledger for long.
 *
 * A result belongs to the last campaign that reached the person before it. Delivered and read get the time `at`,
 * because the service does not show when they happened.
 */
export async function catchUp(db: Database, run: string, at: Date, size = STEP): Promise<void> {
  for (let place: Place | null = null; ; ) {
    const before: Place | null = place;
    const step: Step = await db.transaction((tx) => stampStep(tx, run, before, at, size));
    place = step.next;
    if (place !== null) continue;
    // This runs outside the step, which locks the run's members. Whoever changes a run locks the run first.
    await db.query(
      'update campaigns set stamped_at = greatest(stamped_at, $2::timestamptz) where run_id = $1',
      [run, step.began],
    );
    return;
  }
}

/** Two concurrent updates would wait for each other's rows. The run is locked first, as everywhere. */
async function lockStamping(tx: Queryable, run: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 724314))', [run]);
  await tx.query('select 1 from campaigns where run_id = $1 for share', [run]);
}

async function stampStep(
  tx: Queryable,
  run: string,
  place: Place | null,
  at: Date,
  size: number,
): Promise<Step> {
  await lockStamping(tx, run);
  const [stamping] = await tx.query<Stamping & { since: string; began: string }>(
    `select c.run_id, c.account, now()::text as began,
            (coalesce(c.stamped_at, r.started_at) - ${OVERLAP})::text as since
       from campaigns c join runs r on r.id = c.run_id where c.run_id = $1`,
    [run],
  );
  if (stamping === undefined) throw new Error(`the ledger has no run ${run} of a campaign`);
  const from = place ?? { checked: stamping.since, member: 0 };
  const next: Place = {
    checked: from.checked === null ? null : await stampMessages(tx, stamping, from.checked, at, size),
    member: from.member === null ? null : await stampEvents(tx, stamping, from.member, size),
  };
  const { began } = stamping;
  if (next.checked !== null || next.member !== null) return { next, began };
  await stampOptOuts(tx, stamping);
  return { next: null, began };
}

/**
 * Messages and their statuses come only from reading a conversation, so a conversation without a newer reading has no
 * news. When there are many messages, old ones are deleted; `inbound_at` then still shows a reply.
 * @returns the time up to which readings are checked; null when all are
 */
async function stampMessages(
  tx: Queryable,
  { run_id, account }: Stamping,
  after: string,
  at: Date,
  size: number,
): Promise<string | null> {
  const [edge] = await tx.query<{ checked: string | null; n: number }>(
    `select max(read_at)::text as checked, count(*)::int as n from (
       select read_at from conversations where account = $1 and read_at > $2::timestamptz
        order by read_at limit $3) next`,
    [account, after, size],
  );
  if (edge === undefined || edge.checked === null) return null;
  await tx.query(
    `with checked as materialized (
       select id, person_key, inbound_at from conversations
        where account = $2 and read_at > $3::timestamptz and read_at <= $4::timestamptz
     ), reached as materialized (
       select m.id, l.id as conversation, l.inbound_at, coalesce(t.at, m.triggered_at) as since,
              (select min(n.at) from campaign_touches n
                where n.account = $2 and n.key = m.key and n.member_id <> m.id
                  and n.at > coalesce(t.at, m.triggered_at)) as until
         from checked l
         join campaign_members m on m.run_id = $1 and m.key = l.person_key
         left join campaign_touches t on t.member_id = m.id
        where m.state in ('triggered', 'unknown') and coalesce(t.at, m.triggered_at) is not null
          and (m.replied_at is null or m.read_at is null)
     ), seen as (
       select r.id,
              min(coalesce(x.replied, case when r.inbound_at > r.since and coalesce(r.inbound_at < r.until, true) then r.inbound_at end)) as replied,
              bool_or(x.delivered) as delivered, bool_or(x.read) as read
         from reached r
         cross join lateral (
           select min(at) filter (where from_me = false and at > r.since) as replied,
                  bool_or(from_me and status in ('delivered', 'read')) as delivered, bool_or(from_me and status = 'read') as read
             from messages
            where account = $2 and conversation_id = r.conversation
              and at >= r.since - make_interval(secs => ${EARLY_SECONDS})
              -- Results after the next campaign's trigger belong to that campaign.
              and coalesce(at < r.until - make_interval(secs => case when from_me then ${EARLY_SECONDS} else 0 end), true)) x
        group by r.id
     )
     update campaign_members m
        set replied_at = coalesce(m.replied_at, s.replied),
            delivered_at = coalesce(m.delivered_at, case when s.delivered then $5::timestamptz end),
            read_at = coalesce(m.read_at, case when s.read then $5::timestamptz end)
       from seen s
      where m.id = s.id and (m.replied_at is null and s.replied is not null
         or m.delivered_at is null and s.delivered or m.read_at is null and s.read)`,
    [run_id, account, after, edge.checked, at],
  );
  return edge.n < size ? null : edge.checked;
}

async function stampOptOuts(tx: Queryable, { run_id, account }: Stamping): Promise<void> {
  await tx.query(
    `update campaign_members m set opted_out_at = o.at
       from opt_outs o
      where o.account = $2 and ${inEffect('o')} and o.at >= coalesce((select started_at from campaigns where run_id = $1), o.at)
        and m.run_id = $1 and m.key = o.key and m.opted_out_at is null and m.state in ('triggered', 'unknown')
        and o.at >= coalesce((select t.at from campaign_touches t where t.member_id = m.id), m.triggered_at)
        and not exists (
          select 1 from campaign_touches n
           where n.account = $2 and n.key = m.key and n.member_id <> m.id and n.at <= o.at
             and n.at > coalesce((select t.at from campaign_touches t where t.member_id = m.id), m.triggered_at))`,
    [run_id, account],
  );
}

/**
 * Events that failed stay open here, because an operator may retry them.
 * @returns the last member that was checked; null when all were
 */
async function stampEvents(
  tx: Queryable,
  { run_id }: Pick<Stamping, 'run_id'>,
  after: number,
  size: number,
): Promise<number | null> {
  const [edge] = await tx.query<{ member: number | null; n: number }>(
    `with pending as materialized (
       select id, events from campaign_members where run_id = $1 and id > $2 and ${PENDING} order by id limit $3
     ), done as (
       select p.id, min(e.ended_at) filter (where e.action = 'stage') as moved,
              min(e.ended_at) filter (where e.action = 'tags') as tagged
         from pending p cross join unnest(p.events) as its(event) join events e on e.id = its.event
        where e.state = 'ended' and e.outcome in ('done', 'unchanged')
        group by p.id
     ), stamped as (
       update campaign_members m
          set moved_at = coalesce(m.moved_at, d.moved), tagged_at = coalesce(m.tagged_at, d.tagged)
         from done d
        where m.id = d.id
          and (m.moved_at is null and d.moved is not null or m.tagged_at is null and d.tagged is not null)
     )
     select max(id) as member, count(*)::int as n from pending`,
    [run_id, after, size],
  );
  return edge === undefined || edge.n < size ? null : edge.member;
}

/** Some events of a member are unfinished or failed. Same expression as the index. */
const PENDING = 'cardinality(events) > (moved_at is not null)::int + (tagged_at is not null)::int';

/** Records the results of events before they are deleted, `days` after their end. */
export async function stampBeforeForgetting(db: Database, days: number): Promise<void> {
  const [old] = await db.query(
    `select 1 from events where state = 'ended' and ended_at < now() - make_interval(secs => $1::float8 * 86400) limit 1`,
    [days],
  );
  if (old === undefined) return;
  const runs = await db.query<{ run_id: string }>(
    `select distinct run_id from campaign_members where ${PENDING} order by run_id`,
  );
  for (const { run_id } of runs) {
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after;
      after = await db.transaction(async (tx) => {
        await lockStamping(tx, run_id);
        return await stampEvents(tx, { run_id }, from, STEP);
      });
    }
  }
}
