// What failed in a period, by kind, run and code. Each thing that failed counts once: a call is left out when what it
// was made for shows the failure, and so is a row or a record that a later run had again.
import type { Queryable } from '../../core/sql/database.ts';
import { isoText } from '../../core/sql/iso-text.ts';
import { KEPT_REFUSALS } from '../../jobs/events/contract/refusals.ts';
import type { Failure } from '../contract/failures.ts';
import type { Period } from './call-log.ts';
import { REJECTED_ROWS } from './failed-rows.ts';
import { CODE_FIRST } from './overview/needs.ts';

export interface FoundFailures {
  /** The newest first. The names of runs, records, rows and members are those among the names of syncs. */
  readonly failures: readonly Failure[];
  /** Failures that a later attempt or a correction made good, without calls. They are not among the others. */
  readonly repaired: number;
  /** Failed calls after which the same was done with success. They are not among the others. */
  readonly retriedCalls: number;
}

/** A later run of the same sync that meets a condition. */
const laterRun = (condition: string) =>
  `exists (select 1 from runs l where l.account = r.account and l.sync = r.sync and l.seq > r.seq and ${condition})`;

const WRONG = `('failed', 'unknown')`;

/** Why a failed call is not a failure of its own: `repaired`, or `elsewhere`, when the work that it was for shows it. */
const FATE_OF_CALL = `coalesce(
  (select case when e.state = 'ended' and e.outcome not in ${WRONG} then 'repaired' else 'elsewhere' end
     from events e where e.id = c.event_id),
  (select case when d.status = 'pending' or d.status in ${WRONG} then 'elsewhere' else 'repaired' end
     from run_records d where d.run_id = c.run_id and d.key = c.person_key order by d.status in ${WRONG} desc limit 1),
  (select case when m.state in ('waiting', 'sending') or m.state in ${WRONG} then 'elsewhere' else 'repaired' end
     from campaign_members m where m.run_id = c.run_id and m.key = c.person_key limit 1),
  (select 'repaired' from people p where p.account = c.account and p.key = c.person_key and p.synced_at > c.at limit 1),
  (select 'repaired' from calls l
    where l.account = c.account and l.person_key = c.person_key and l.at > c.at and l.run_id = c.run_id
      and l.method = c.method and l.route = c.route and l.code is null limit 1),
  (select 'repaired' from answered a
    where a.run_id = c.run_id and a.method = c.method and a.route = c.route
      and a.conversation_id is not distinct from c.conversation_id and a.at > c.at))`;

/** Each part has the columns kind, account, name, run, outcome, code, reason, at and fate. $1, $2: period. */
const PARTS = [
  `select 'run', r.account, r.sync, r.id, 'failed', coalesce(substring(r.error from '${CODE_FIRST}'), 'RUN_FAILED'),
          coalesce(regexp_replace(r.error, '${CODE_FIRST}', ''), (select c.reason from campaigns c where c.run_id = r.id)), r.finished_at,
          case when ${laterRun(`(l.status = 'finished' or l.kind = 'campaign' and l.status <> 'failed')`)} then 'repaired' end
     from runs r where r.status = 'failed' and r.finished_at >= $1 and r.finished_at < $2`,
  `select 'record', r.account, r.sync, r.id, t.status, t.code, t.reason, t.ended_at,
          case when exists (select 1 from people p
                             where p.account = r.account and p.key = t.key and p.synced_at > t.ended_at) then 'repaired'
               when ${laterRun(`exists (select 1 from run_records n
                                         where n.run_id = l.id and n.key = t.key and n.status <> 'pending')`)} then 'elsewhere' end
     from run_records t join runs r on r.id = t.run_id
    where t.status in ${WRONG} and t.event_id is null and t.ended_at >= $1 and t.ended_at < $2`,
  `select 'event', t.account, t.route, null, t.outcome, t.code, t.reason, t.ended_at, null
     from events t where t.state = 'ended' and t.outcome in ${WRONG} and t.ended_at >= $1 and t.ended_at < $2`,
  `select 'member', r.account, r.sync, r.id, t.state, t.code, t.reason, t.ended_at, null
     from campaign_members t join runs r on r.id = t.run_id
    where t.state in ${WRONG} and t.ended_at >= $1 and t.ended_at < $2`,
  REJECTED_ROWS,
  `select 'call', c.account, c.method || ' ' || c.route, c.run_id, case when c.status is null then 'unknown' else 'failed' end,
          c.code, null, c.at, ${FATE_OF_CALL}
     from failing c`,
  `select 'outbox', account, sink, null, 'failed', code, reason, tried_at, null
     from outbox where state = 'dead' and tried_at >= $1 and tried_at < $2`,
  `select 'poller', account, poller, null, 'failed', code, reason, last_at, null
     from poll_gaps where last_at >= $1 and last_at < $2`,
  // A request that somebody discarded is dealt with.
  `select 'refusal', account, route, null, 'failed', code, reason, last_at,
          case settled_how when 'replayed' then 'repaired' when 'discarded' then 'elsewhere' end
     from refused_requests where last_at >= $1 and last_at < $2`,
].map((part) => `select *, 1 from (${part}) one`);

/** Of refused requests whose content is not kept, the number by the hour is known. Paths of no route are not for Sluice. */
const REFUSED_BY_HOUR = `select 'refusal', coalesce($5::jsonb ->> route, ''), route, null, 'failed', code, null, last_at, null, count
     from refusal_hours
    where via = 'http' and route <> '-' and code not in (${KEPT_REFUSALS.map((code) => `'${code}'`).join(', ')})
      and hour >= date_trunc('hour', $1::timestamptz) and last_at >= $1 and last_at < $2`;

/** @param accounts of routes: refusals by the hour name only their route */
export async function readFailures(
  db: Queryable,
  { account, since, until }: Period,
  limit: number,
  accounts: Readonly<Record<string, string>> = {},
): Promise<FoundFailures> {
  const columns = 'kind, account, name, run, outcome, code, reason, at, fate, n';
  const [row] = await db.query<FoundFailures>(
    `with failing as materialized (
       select * from calls where code is not null and status is distinct from 429 and at >= $1 and at < $2 and ($3::text is null or account = $3)
     ), answered as materialized (
       select run_id, method, route, conversation_id, max(at) as at from calls
        where code is null and person_key is null and at >= $1 and run_id in (select run_id from failing)
        group by 1, 2, 3, 4
     ), items(${columns}) as (${[...PARTS, REFUSED_BY_HOUR].map((part) => `(${part})`).join(' union all ')}
     ), groups as materialized (
       select kind, account, name, run, outcome, coalesce(code, 'OTHER') as code,
              (array_agg(reason order by at desc) filter (where reason is not null))[1] as reason,
              sum(n)::int as count, min(at) as first_at, max(at) as last_at, fate
         from items where ($3::text is null or account = $3) and fate is distinct from 'elsewhere'
        group by kind, account, name, run, outcome, coalesce(code, 'OTHER'), fate
     )
     select (select coalesce(json_agg(f), '[]') from (
               select kind, account, name, run, outcome, code, reason, count, ${isoText('first_at')} as "firstAt",
                      ${isoText('last_at')} as "lastAt"
                 from groups where fate is null order by last_at desc, kind, name, code limit $4) f) as failures,
            (select coalesce(sum(count), 0)::int from groups where fate = 'repaired' and kind <> 'call') as repaired,
            (select coalesce(sum(count), 0)::int from groups where fate = 'repaired' and kind = 'call') as "retriedCalls"`,
    [since, until, account, limit, JSON.stringify(accounts)],
  );
  return row as FoundFailures;
}
