// What came of those that a campaign has reached: stamped into its members from what pollers saw, from opt-outs and from
// the events that follow a trigger.
import type { Queryable } from './database.ts';

/**
 * So long before the trigger was written down a message of the account may have been made by it: the flow runs before its
 * call is answered, and the service has a clock of its own. Seconds.
 */
const EARLY_SECONDS = 60;
/** What was read so long before the last stamping is looked at again: its transaction may have come to its end after it. */
const OVERLAP = "interval '5 minutes'";

interface Stamping {
  readonly run_id: string;
  readonly account: string;
  readonly campaign: string;
  /** Nothing that was read before this is news, by the database's clock. */
  readonly since: Date;
}

/**
 * Brings the results of the run's members up to date: replied, delivered, read, opted out, moved and tagged. Only what was
 * read since the last stamping is looked at, so that it may be done as often as one likes; what is stamped stays.
 *
 * A result belongs to the last campaign that reached the person before it. Delivered and read are stamped with `at`: the
 * service shows no time of them.
 */
export async function stampResults(tx: Queryable, run: string, at: Date): Promise<void> {
  // Two of them at once would wait for each other's rows.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 724314))', [run]);
  const [stamping] = await tx.query<Stamping>(
    `select c.run_id, c.account, c.campaign, coalesce(c.stamped_at, r.started_at) - ${OVERLAP} as since
       from campaigns c join runs r on r.id = c.run_id where c.run_id = $1`,
    [run],
  );
  if (stamping === undefined) throw new Error(`the ledger has no run ${run} of a campaign`);
  await stampMessages(tx, stamping, at);
  await stampOptOuts(tx, stamping);
  await stampEvents(tx, stamping);
  await tx.query('update campaigns set stamped_at = now() where run_id = $1', [run]);
}

/**
 * A reading of a conversation is what brings messages and their status words, so a conversation that was not read since
 * has no news. Messages are forgotten when there are many; `inbound_at` then still tells of a reply.
 */
async function stampMessages(tx: Queryable, { run_id, account, since }: Stamping, at: Date): Promise<void> {
  await tx.query(
    `with looked as materialized (
       select id, person_key, inbound_at from conversations where account = $2 and looked_at >= $3
     ), reached as materialized (
       select m.id, l.id as conversation, l.inbound_at, coalesce(t.at, m.triggered_at) as since,
              (select min(n.at) from campaign_touches n
                where n.account = $2 and n.key = m.key and n.member_id <> m.id
                  and n.at > coalesce(t.at, m.triggered_at)) as until
         from looked l
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
              -- What the next campaign set off belongs to that one.
              and coalesce(at < r.until - make_interval(secs => case when from_me then ${EARLY_SECONDS} else 0 end), true)) x
        group by r.id
     )
     update campaign_members m
        set replied_at = coalesce(m.replied_at, s.replied),
            delivered_at = coalesce(m.delivered_at, case when s.delivered then $4::timestamptz end),
            read_at = coalesce(m.read_at, case when s.read then $4::timestamptz end)
       from seen s
      where m.id = s.id and (m.replied_at is null and s.replied is not null
         or m.delivered_at is null and s.delivered or m.read_at is null and s.read)`,
    [run_id, account, since, at],
  );
}

async function stampOptOuts(tx: Queryable, { run_id, account }: Stamping): Promise<void> {
  await tx.query(
    `update campaign_members m set opted_out_at = o.at
       from opt_outs o
      where o.account = $2 and o.at >= coalesce((select started_at from campaigns where run_id = $1), o.at)
        and m.run_id = $1 and m.key = o.key and m.opted_out_at is null and m.state in ('triggered', 'unknown')
        and o.at >= coalesce((select t.at from campaign_touches t where t.member_id = m.id), m.triggered_at)
        and not exists (
          select 1 from campaign_touches n
           where n.account = $2 and n.key = m.key and n.member_id <> m.id and n.at <= o.at
             and n.at > coalesce((select t.at from campaign_touches t where t.member_id = m.id), m.triggered_at))`,
    [run_id, account],
  );
}

/** Events that came to nothing stay open here: an operator may have them tried again. */
async function stampEvents(tx: Queryable, { run_id }: Pick<Stamping, 'run_id'>): Promise<void> {
  await tx.query(
    `with pending as materialized (
       select id, unnest(events) as event from campaign_members
        where run_id = $1 and cardinality(events) > (moved_at is not null)::int + (tagged_at is not null)::int
     ), done as (
       select p.id, min(e.ended_at) filter (where e.action = 'stage') as moved,
              min(e.ended_at) filter (where e.action = 'tags') as tagged
         from pending p join events e on e.id = p.event
        where e.state = 'ended' and e.outcome in ('done', 'unchanged')
        group by p.id
     )
     update campaign_members m
        set moved_at = coalesce(m.moved_at, d.moved), tagged_at = coalesce(m.tagged_at, d.tagged)
       from done d
      where m.id = d.id
        and (m.moved_at is null and d.moved is not null or m.tagged_at is null and d.tagged is not null)`,
    [run_id],
  );
}

/** Stamps what events have done before they are forgotten, `days` after their end. */
export async function stampBeforeForgetting(tx: Queryable, days: number): Promise<void> {
  const [old] = await tx.query(
    `select 1 from events where state = 'ended' and ended_at < now() - make_interval(secs => $1::float8 * 86400) limit 1`,
    [days],
  );
  if (old === undefined) return;
  const runs = await tx.query<{ run_id: string }>(
    `select distinct run_id from campaign_members
      where cardinality(events) > (moved_at is not null)::int + (tagged_at is not null)::int order by run_id`,
  );
  for (const { run_id } of runs) {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 724314))', [run_id]);
    await stampEvents(tx, { run_id });
  }
}
