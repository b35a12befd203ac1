// Why a person got no message, as far as the ledger knows.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { optOutsOf } from '../../../core/store/opt-outs.ts';
import type { WhyReason } from '../../contract/people.ts';
import { queryNamed } from '../named-parameters.ts';
import { wordsOf } from './people-search.ts';
import { namesOf, type Person } from './person.ts';
import { READ_WHOLE } from './row-later.ts';

interface Part {
  readonly code: string;
  readonly at?: string;
  readonly campaign?: string;
  readonly run?: string;
  readonly event?: string;
  /** SQL of a code and a reason. */
  readonly problem?: readonly [code: string, reason: string];
  readonly from: string;
}

const part = (rank: number, { code, at, campaign, run, event, problem, from }: Part): string =>
  `select ${rank} as rank, ${code} as code, ${at ?? 'null::timestamptz'} as at, ${campaign ?? 'null'} as campaign, ${run ?? 'null'} as run,
          ${event ?? 'null'} as event, ${
            problem === undefined
              ? 'null::jsonb'
              : `case when ${problem[0]} is not null then jsonb_build_object('code', ${problem[0]}, 'reason', coalesce(${problem[1]}, '')) end`
          } as problem
     from ${from}`;

/** The newest run of each campaign, with the person as a member. */
const NEWEST = `(
  select distinct on (campaign) * from campaigns
   where account = :account and state not in ('planning', 'failed', 'void') order by campaign, as_of desc) c
  left join lateral (select * from campaign_members where run_id = c.run_id and key = :key limit 1) m on true`;

/**
 * Members whose number could not be read, with the end of the person's number, their address, or all words of their name.
 * A name of one word is too common.
 */
const ROWS_OF_NAME = `(
  select id from campaign_members where row_number is not null and sluice_tail(row_number) = :tail
  union all select id from campaign_members where row_email is not null and lower(row_email) = lower(:email)
  union all select id from campaign_members
   where row_name is not null and array_to_tsvector(sluice_words(row_name)) @@ :words::tsquery
     and sluice_words(row_name) <@ sluice_words(:name) and cardinality(sluice_words(:name)) > 1)`;

const LEFT_OUT_ROW = `from campaign_members x where x.run_id = c.run_id and x.key is null
  and (x.contact_id = any(:contacts::bigint[]) or x.id in ${ROWS_OF_NAME})`;

const MEMBER = { campaign: 'c.campaign', run: 'c.run_id' };
const KNOWN = '(:key::text is not null)';

/** The newest run of each sync that rejected a row whose number ends as the person's does. */
const REJECTED = `(
  select distinct on (r.sync) r.id, r.sync, r.seq, r.started_at, p.code, p.reason
    from row_problems p join runs r on r.id = p.run_id
   where p.field = 'contact.number' and p.kind = 'reject' and sluice_tail(p.value) = :tail and r.account = :account
     and r.kind <> 'plan'
   order by r.sync, r.seq desc, p.row_no) u`;
const LATER = 'from runs l where l.account = :account and l.sync = u.sync and l.seq > u.seq';
/** Later runs that had the person in a row. */
const REPAIRED = `${LATER} and l.kind <> 'plan' and (
  exists (select 1 from run_records where run_id = l.id and key = :key and row_no > 0 and status not in ('failed', 'unknown'))
  or exists (select 1 from merged_rows where run_id = l.id and key = :key))`;
/** Later runs that read the whole source, which no longer had such a row. */
const READ_WITHOUT = `${LATER} and ${READ_WHOLE}`;

const PARTS: readonly Part[] = [
  {
    code: `'OPTED_OUT'`,
    at: 'o.at',
    problem: ['o.via', `''`],
    from: optOutsOf('o', ':account', ':key'),
  },
  {
    code: `'NUMBER_REJECTED'`,
    at: 'u.started_at',
    run: 'u.id',
    problem: ['u.code', 'u.reason'],
    from: `${REJECTED} where not exists (select 1 ${REPAIRED}) and not exists (select 1 ${READ_WITHOUT})`,
  },
  {
    ...MEMBER,
    code: `case m.state when 'excluded' then 'LEFT_OUT' when 'holdout' then 'CONTROL_GROUP' when 'skipped' then 'SKIPPED'
             when 'failed' then 'TRIGGER_FAILED' when 'unknown' then 'TRIGGER_UNKNOWN' when 'cancelled' then 'CANCELED'
             else 'WAITING' end`,
    at: 'coalesce(m.ended_at, m.not_before, c.planned_at, c.as_of)',
    problem: ['m.code', 'm.reason'],
    from: `${NEWEST} where m.state in ('excluded', 'holdout', 'skipped', 'failed', 'unknown', 'cancelled', 'waiting', 'sending')`,
  },
  {
    ...MEMBER,
    code: `'CAMPAIGN_PAUSED'`,
    problem: [`coalesce(c.paused ->> 'code', 'PAUSED')`, `c.paused ->> 'reason'`],
    from: `${NEWEST} where m.state = 'waiting' and c.state = 'running' and c.paused is not null`,
  },
  {
    ...MEMBER,
    code: `'CAMPAIGN_BLOCKED'`,
    problem: [`c.blocked ->> 'code'`, `c.blocked ->> 'reason'`],
    from: `${NEWEST} where m.state = 'waiting' and c.state = 'running' and c.blocked is not null`,
  },
  {
    ...MEMBER,
    code: `'ROW_LEFT_OUT'`,
    at: 'coalesce(c.planned_at, c.as_of)',
    problem: ['x.code', 'x.reason'],
    from: `${NEWEST}, lateral (select x.code, x.reason ${LEFT_OUT_ROW} order by x.id limit 1) x where m.id is null`,
  },
  {
    ...MEMBER,
    code: `'NOT_IN_AUDIENCE'`,
    at: 'coalesce(c.planned_at, c.as_of)',
    // The members of old runs are deleted; what is left is that it reached the person.
    from: `${NEWEST} where m.id is null and c.report is null and ${KNOWN}
        and not exists (select 1 from campaign_touches t
                         where t.account = :account and t.key = :key and t.run_id = c.run_id)
        and not exists (select 1 ${LEFT_OUT_ROW})`,
  },
  {
    code: `'SYNC_FAILED'`,
    at: 'coalesce(r.ended_at, u.started_at)',
    run: 'u.id',
    problem: ['r.code', 'r.reason'],
    from: `runs u, lateral (select * from run_records where run_id = u.id and key = :key limit 10) r
      where u.account = :account and r.status in ('failed', 'unknown') and r.event_id is null
        and r.ended_at >= coalesce((select synced_at from people where account = :account and id = :person), r.ended_at)`,
  },
  {
    code: `case when e.state = 'ended' then 'EVENT_FAILED' else 'EVENT_BLOCKED' end`,
    at: 'coalesce(e.ended_at, e.accepted_at)',
    event: 'e.id',
    problem: ['coalesce(e.block_code, e.code)', 'coalesce(e.block_reason, e.reason)'],
    from: `events e where e.account = :account and e.subject = any(:subjects::text[])
       and (e.state = 'ended' and e.outcome in ('failed', 'unknown') or e.state <> 'ended' and e.block_code is not null)`,
  },
  {
    code: `'DELIVERY_FAILED'`,
    at: 'd.sent_at',
    event: 'd.event_id',
    problem: ['d.end_code', `''`],
    from: `deliveries d where d.account = :account and d.conversation_id = any(:conversations::bigint[]) and d.status = 'failed'`,
  },
  {
    code: `'NO_CONTACT'`,
    from: `(select 1) one where ${KNOWN} and cardinality(:contacts::bigint[]) = 0`,
  },
  {
    code: `'NUMBER_REPAIRED'`,
    at: 'l.started_at',
    run: 'l.id',
    from: `${REJECTED}, lateral (select l.id, l.started_at ${REPAIRED} order by l.seq limit 1) l`,
  },
];

/** Maximum number of reasons; each kind shows its newest ones. */
const MOST = 50;

/** The most general reasons first, the newest of a kind first. */
export async function readWhy(db: Queryable, person: Person): Promise<WhyReason[]> {
  const { name, email } = person;
  const words = name === null ? null : await wordsOf(db, name, true);
  return await queryNamed<WhyReason>(
    db,
    `select code, ${isoText('at')} as at, campaign, run, event, problem from (
       ${PARTS.map((each, rank) => `(${part(rank, each)})`).join('\n union all ')}) reasons
      order by rank, reasons.at desc nulls last limit ${MOST}`,
    { ...namesOf(person), name, email, words },
  );
}
