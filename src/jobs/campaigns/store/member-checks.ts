// Members just before their triggers, with everything that the ledger knows about them. Many are leased at once,
// checked again, and given the right to trigger, each with one statement.

import { MEMBER_VARIABLES } from '../../../core/encryption/columns.ts';
import { decryptRow, decryptRows } from '../../../core/encryption/values.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { optOutsOf } from '../../../core/store/opt-outs.ts';
import { isOpen, isServed, unreadOf } from '../../conversations/store/rules.ts';
import { type Facts, factsOfPerson } from '../../conversations/store/window-facts.ts';
import { lockedMembers, MEMBER_COLUMNS, type MemberName, type MemberRow } from './members.ts';

export interface OpenConversation {
  readonly id: number;
  /** A person serves it: it is open, has an owner, and the chatbot does not handle it (API text, Conversation). */
  readonly served: boolean;
}

export interface MemberCheck extends MemberRow {
  /** The run continues and is not paused. */
  readonly running: boolean;
  /** A check has confirmed that a trigger of the run had its effect. */
  readonly verified: boolean;
  readonly optedOut: boolean;
  /** How often campaigns have reached the person since then, not counting this member's own trigger. */
  readonly touches: number;
  /** The last of these; null if there is none. `at` is in ISO 8601. */
  readonly lastTouch: { readonly campaign: string; readonly at: string } | null;
  /** The first of the given campaigns that has ever reached the person. */
  readonly reachedBy: string | null;
  /** Counts how often campaigns were about to reach the person. Each right to trigger increases it. */
  readonly reached: number;
  /** The person's open conversation as a poller last saw it. Of several, the one that somebody serves. */
  readonly open: OpenConversation | null;
  /** Why something of the person's conversations could not be read; null when everything could. */
  readonly unread: string | null;
  /** Messages of the person's conversations still have to be read. */
  readonly behind: boolean;
  /** Pollers of the account that wait for an operator. */
  readonly blockedPollers: readonly { readonly poller: string; readonly isShape: boolean }[];
  /** The contact's id as the ledger knows it, whatever id the member came with. */
  readonly known: number | null;
  /** Facts that decide about the 24-hour window; null when it does not matter. */
  readonly window: Facts | null;
  /** A digest of all of this, which changes when any of it changes. */
  readonly digest: string;
}

/** What to find out about members of one run. */
export interface MemberQuestion {
  readonly account: string;
  readonly run: string;
  /** Touches after this time count. */
  readonly since: Date;
  /** Checks whether one of these campaigns has ever reached the person. */
  readonly campaigns: readonly string[];
  /** Null when the 24-hour window does not matter; otherwise nothing before this time counts. */
  readonly windowAfter: Date | null;
}

const paramsOf = ({ account, run, since, campaigns }: MemberQuestion) => [account, run, since, campaigns];

/**
 * Columns of {@link MemberCheck}, including the digest.
 * @param who a table of {@link MEMBER_COLUMNS}; the parameters $1 to $4 are those of `paramsOf`
 * @param after parameter of `windowAfter`
 */
const probe = (who: string, question: MemberQuestion, after: string): string => `
  select seen.*, md5((to_jsonb(seen) - 'age')::text) as digest from (
    select who.*, (select state = 'running' and paused is null from campaigns where run_id = $2) as running,
           (select verified is not null from campaigns where run_id = $2) as verified,
           exists (select 1 from ${optOutsOf('o', '$1', 'who.key')}) as "optedOut",
           (select count(*)::int from campaign_touches t
             where t.account = $1 and t.key = who.key and t.at > $3 and t.member_id <> who.id) as touches,
           (select jsonb_build_object('campaign', campaign, 'at', ${isoText('t.at')}) from campaign_touches t
             where t.account = $1 and t.key = who.key and t.at > $3 and t.member_id <> who.id
             order by t.at desc limit 1) as "lastTouch",
           (select campaign from campaign_touches t
             where t.account = $1 and t.key = who.key and t.campaign = any($4) and t.member_id <> who.id
             order by t.at limit 1) as "reachedBy",
           coalesce((select times from campaign_reached r where r.account = $1 and r.key = who.key), 0) as reached,
           (select to_jsonb(o) from (
              select id, ${isServed('c')} as served
                from conversations c
               where account = $1 and person_key = who.key and ${isOpen('c')}
               order by served desc, updated_at desc limit 1) o) as open,
           ${unreadOf('$1', 'who.key')} as unread,
           exists (select 1 from conversations c where c.account = $1 and c.person_key = who.key
             and (c.todo_at is not null or c.reading is not null)) as behind,
           (select coalesce(jsonb_agg(jsonb_build_object('poller', poller, 'isShape', block_shape is not null)), '[]')
              from pollers where account = $1 and block_code is not null) as "blockedPollers",
           (select remote_id from people where account = $1 and key = who.key limit 1) as known,
           ${question.windowAfter === null ? 'null::jsonb' : `(select to_jsonb(f) from (${factsOfPerson('who.key', after)}) f)`} as window
      from ${who} who) seen`;

/** @throws Error when the run has no such member */
export async function readMember(db: Queryable, question: MemberQuestion, id: number): Promise<MemberCheck> {
  const { run, windowAfter } = question;
  const who = `(select ${MEMBER_COLUMNS} from campaign_members where run_id = $2 and id = $5)`;
  const [row] = await db.query<MemberCheck>(
    probe(who, question, '$6'),
    windowAfter === null ? [...paramsOf(question), id] : [...paramsOf(question), id, windowAfter],
  );
  if (row === undefined) throw new Error(`the run ${run} has no member ${id}`);
  return decryptRow(db, MEMBER_VARIABLES, row);
}

export interface Lease {
  readonly holder: string;
  /** By the workers' clock. */
  readonly until: Date;
}

/**
 * Leases the next due members of the open wave. Those with the fewest failures come first, so that a member that
 * keeps failing delays nobody.
 * @param zones zones of the members with open windows, joined by a comma
 */
export async function takeMembers(
  db: Queryable,
  question: MemberQuestion,
  { zones, limit, at }: { readonly zones: readonly string[]; readonly limit: number; readonly at: Date },
  { holder, until }: Lease,
): Promise<MemberCheck[]> {
  const { windowAfter } = question;
  const rows = await db.query<MemberCheck>(
    `with due as materialized (
       select m.id from campaign_members m join campaigns c on c.run_id = m.run_id
        where c.run_id = $2 and c.state = 'running' and c.paused is null and ${OPEN_WAVE}
          and coalesce(m.not_before <= $5, true) and coalesce(m.due_at <= $5, true) and m.zones = any($6)
        order by m.attempts, m.id limit $7 for update of m skip locked
     ), taken as (
       update campaign_members set holder = $8, due_at = $9 where id in (select id from due) returning ${MEMBER_COLUMNS}
     )
     ${probe('taken', question, '$10')}`,
    [...paramsOf(question), at, zones, limit, holder, until, ...(windowAfter === null ? [] : [windowAfter])],
  );
  return decryptRows(db, MEMBER_VARIABLES, rows).sort(
    (one, other) => one.attempts - other.attempts || one.id - other.id,
  );
}

/** Members that wait in the open wave of the run `$2`. */
const OPEN_WAVE = `m.run_id = $2 and m.state = 'waiting'
  and m.wave = (select wave from campaign_waves where run_id = $2 and ended_at is null order by wave limit 1)`;

/**
 * Takes the right to trigger and counts the person as reached. Exactly one caller gets it, only while the run
 * continues, and only if everything that was checked is unchanged. If two campaigns want one person at once, the
 * second one finds the increased count, in whatever order their statements run.
 * @param checked the facts that the checks used
 * @returns the current member; `sending` is the number of the sending, which identifies this right, or null when the
 *   right is not available
 */
export async function takeRight(
  db: Queryable,
  question: MemberQuestion,
  checked: MemberCheck,
  { campaign, at }: { readonly campaign: string; readonly at: Date },
): Promise<MemberCheck & { readonly sending: number | null }> {
  const { run, windowAfter } = question;
  const who = `(select ${MEMBER_COLUMNS} from campaign_members where run_id = $2 and id = $5)`;
  const [row] = await db.query<MemberCheck & { sending: number | null }>(
    `with run as materialized (
       select 1 from campaigns where run_id = $2 and state = 'running' and paused is null for share
     ), seen as materialized (${probe(who, question, '$10')}
     ), counted as (
       insert into campaign_reached as r (account, key, times)
       select $1, key, 1 from seen cross join run where digest = $6
       on conflict (account, key) do update set times = r.times + 1 where r.times = $7
       returning 1
     ), taken as (
       update campaign_members
          set state = 'sending', sends = sends + 1, sent_at = clock_timestamp(), code = null, reason = null,
              not_before = null
        where run_id = $2 and id = $5 and state = 'waiting' and exists (select 1 from counted) returning id, key, sends
     ), touched as (
       insert into campaign_touches (member_id, account, key, campaign, run_id, at)
       select id, $1, key, $8, $2, $9 from taken
       on conflict (member_id) do update set at = excluded.at
     )
     select seen.*, (select sends from taken) as sending from seen`,
    [
      ...paramsOf(question),
      checked.id,
      checked.digest,
      checked.reached,
      campaign,
      at,
      ...(windowAfter === null ? [] : [windowAfter]),
    ],
  );
  if (row === undefined) throw new Error(`the run ${run} has no member ${checked.id}`);
  return decryptRow(db, MEMBER_VARIABLES, row);
}

/** Renews the lease of the members that the holder still has. */
export async function renewMembers(db: Queryable, ids: readonly number[], lease: Lease): Promise<void> {
  await db.query(
    `with chosen as (${lockedMembers('id = any($1) and holder = $2')})
     update campaign_members set due_at = $3 where id in (select id from chosen)`,
    [ids, lease.holder, lease.until],
  );
}

/** Makes members that nobody has started due again at once. */
export async function returnMembers(db: Queryable, ids: readonly number[], holder: string): Promise<void> {
  await db.query(
    `with chosen as (${lockedMembers('id = any($1) and holder = $2')})
     update campaign_members set holder = null, due_at = null where id in (select id from chosen)`,
    [ids, holder],
  );
}

/** Makes the member due again at that time. */
export async function deferMember(
  db: Queryable,
  { run, id }: MemberName,
  holder: string,
  until: Date,
): Promise<void> {
  await db.query(
    `update campaign_members set holder = null, due_at = $4
      where run_id = $1 and id = $2 and holder = $3 and state = 'waiting'`,
    [run, id, holder, until],
  );
}

/** When the next unleased member of the open wave with these zones is due; null when there is none. */
export async function nextDue(
  db: Queryable,
  run: string,
  zones: readonly string[],
  at: Date,
): Promise<Date | null> {
  const [row] = await db.query<{ due: Date | null }>(
    `select min(coalesce(greatest(m.not_before, m.due_at), 'epoch')) as due from campaign_members m
      where ${OPEN_WAVE.replaceAll('$2', '$1')} and m.zones = any($2) and (m.holder is null or m.due_at <= $3)
        and exists (select 1 from campaigns where run_id = $1 and state = 'running' and paused is null)`,
    [run, zones, at],
  );
  return row?.due ?? null;
}
