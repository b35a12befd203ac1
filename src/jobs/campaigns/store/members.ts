// One member of a campaign: who has the right to trigger its flow, and the outcome. The row itself is the intent.

import { MEMBER_VARIABLES } from '../../../core/encryption/columns.ts';
import { decryptRow } from '../../../core/encryption/values.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { MemberCode, MemberState } from '../constants.ts';
import type { CampaignState } from '../contract/batches.ts';
import { ENDED, type EndedMember } from './ended-members.ts';

export interface MemberRow {
  readonly id: number;
  readonly run_id: string;
  /** The person: number with the Brazilian ninth digit; null when the number cannot be read. */
  readonly key: string | null;
  /** E.164 without plus, as the service or the source has it. */
  readonly number: string | null;
  readonly contact_id: number | null;
  readonly card_id: number | null;
  /** IANA zones, joined by a comma. */
  readonly zones: string;
  readonly variables: Readonly<Record<string, unknown>> | null;
  readonly state: MemberState;
  readonly code: string | null;
  readonly reason: string | null;
  readonly wave: number | null;
  readonly not_before: Date | null;
  /** How often the member was postponed because a person served the conversation. */
  readonly tries: number;
  /** Transient failures in a row. */
  readonly attempts: number;
  /** The service has no contact with the id that the member came with. */
  readonly contact_gone: boolean;
  readonly rechecked_at: Date | null;
  /** How often the right to trigger was given. */
  readonly sends: number;
  /** Seconds since it was last given, by the database's clock. */
  readonly age: number | null;
  readonly triggered_at: Date | null;
  readonly ticket_id: number | null;
  /** Events that follow the trigger. */
  readonly events: readonly string[];
}

export interface MemberName {
  readonly run: string;
  readonly id: number;
}

/** Columns of {@link MemberRow}. */
export const MEMBER_COLUMNS = `id, run_id, key, number, contact_id, card_id, zones, variables, state, code, reason, wave, not_before, tries, attempts,
  contact_gone, rechecked_at, sends, extract(epoch from clock_timestamp() - sent_at)::float8 as age, triggered_at, ticket_id, events`;

/**
 * Ids of the members that a statement changes, locked in the order of their ids. A batch changes its members without
 * locking their run, so two statements over many members could otherwise deadlock.
 * @param where condition over campaign_members
 */
export const lockedMembers = (where: string): string =>
  `select id from campaign_members where ${where} order by id for update`;

/** @throws Error when the run has no such member */
export async function getMember(db: Queryable, { run, id }: MemberName): Promise<MemberRow> {
  const [row] = await db.query<MemberRow>(
    `select ${MEMBER_COLUMNS} from campaign_members where run_id = $1 and id = $2`,
    [run, id],
  );
  if (row === undefined) throw new Error(`the run ${run} has no member ${id}`);
  return decryptRow(db, MEMBER_VARIABLES, row);
}

/**
 * The run's state, fixed until the transaction ends: whoever pauses or cancels the run waits until then. Locked
 * before the rows of members, as everywhere.
 */
async function shareState(tx: Queryable, run: string): Promise<CampaignState | null> {
  const [row] = await tx.query<{ state: CampaignState }>(
    'select state from campaigns where run_id = $1 for share',
    [run],
  );
  return row?.state ?? null;
}

export interface MemberEnd {
  readonly state: 'triggered' | 'skipped' | 'failed' | 'unknown';
  readonly code?: MemberCode | (string & {}) | null;
  readonly reason?: string | null;
  readonly ticketId?: number | null;
}

/**
 * Ends a member: a waiting one, or with `sends` the one with that sending. A late answer settles a sending that was
 * given up as unknown. A trigger that took effect is recorded even if the member was settled otherwise.
 * @returns the member; null when its state has changed: nothing changes then
 */
export async function endMember(
  tx: Queryable,
  { run, id }: MemberName,
  end: MemberEnd,
  at: Date,
  sends: number | null = null,
): Promise<EndedMember | null> {
  const { state, code = null, reason = null, ticketId = null } = end;
  const [row] = await tx.query<EndedMember>(
    `update campaign_members
        set state = $3, code = $4, reason = $5, ticket_id = coalesce($6::bigint, ticket_id), ended_at = $7,
            triggered_at = case when $3 = 'triggered' then $7 else triggered_at end, not_before = null,
            holder = null, due_at = null
      where run_id = $1 and id = $2
        and case when $8::int is null then state = 'waiting'
                 else sends = $8 and state <> 'triggered'
                      and ($3 = 'triggered' or state = 'sending' or state = 'unknown' and $3 <> 'unknown') end
     returning ${ENDED}`,
    [run, id, state, code, reason, ticketId, at, sends],
  );
  return row ?? null;
}

export interface Release {
  /** The member is tried again then, and that counts as one try. */
  readonly retryAt?: Date;
  /** The service no longer has the contact under its id. */
  readonly forgetContact?: boolean;
}

/**
 * Gives the right back after a call that was certainly refused. If the run was canceled meanwhile, the member is
 * canceled too.
 * @returns the member's state; null when the member's state has changed: nothing changes then
 */
export async function releaseMember(
  tx: Queryable,
  { run, id }: MemberName,
  sends: number,
  at: Date,
  { retryAt, forgetContact = false }: Release = {},
): Promise<'waiting' | 'cancelled' | null> {
  const state = (await shareState(tx, run)) === 'running' ? 'waiting' : 'cancelled';
  const rows = await tx.query(
    `update campaign_members
        set state = $3, ended_at = case when $3 = 'cancelled' then $4::timestamptz end, not_before = $5,
            tries = tries + case when $5::timestamptz is null then 0 else 1 end,
            attempts = case when $5 is null then attempts else 0 end, failing_since = case when $5 is null then failing_since end,
            contact_id = case when $6::boolean then null else contact_id end, contact_gone = contact_gone or $6
      where run_id = $1 and id = $2 and state = 'sending' and sends = $7 returning 1`,
    [run, id, state, at, retryAt ?? null, forgetContact, sends],
  );
  return rows.length > 0 ? state : null;
}

/**
 * Postpones a waiting member.
 * @returns false when it no longer waits
 */
export async function putOff(tx: Queryable, { run, id }: MemberName, retryAt: Date): Promise<boolean> {
  const rows = await tx.query(
    `update campaign_members set not_before = $3, tries = tries + 1
      where run_id = $1 and id = $2 and state = 'waiting' returning 1`,
    [run, id, retryAt],
  );
  return rows.length > 0;
}

export async function noteMemberEvents(
  tx: Queryable,
  { run, id }: MemberName,
  events: readonly string[],
): Promise<void> {
  await tx.query('update campaign_members set events = $3 where run_id = $1 and id = $2', [run, id, events]);
}

/** What a check of the contact has shown, with its tags at that time. */
export interface SeenMember {
  readonly contactId: number;
  readonly number: string;
  readonly at: Date;
}

export async function noteMemberSeen(
  tx: Queryable,
  { run, id }: MemberName,
  seen: SeenMember,
): Promise<void> {
  await tx.query(
    `update campaign_members
        set contact_id = $3, number = $4, rechecked_at = $5, attempts = 0, failing_since = null
      where run_id = $1 and id = $2`,
    [run, id, seen.contactId, seen.number, seen.at],
  );
}

/** The service has no contact with this id, so the next check searches by number. */
export async function forgetMemberContact(tx: Queryable, { run, id }: MemberName): Promise<void> {
  await tx.query(
    'update campaign_members set contact_id = null, contact_gone = true where run_id = $1 and id = $2',
    [run, id],
  );
}

/** Failures in a row of a waiting member. */
export interface MemberFailures {
  readonly count: number;
  /** The service has accepted another member's trigger since the first of these failures. */
  readonly alone: boolean;
}

/**
 * Counts one more transient failure.
 * @returns null when the member no longer waits
 */
export async function countMemberFailure(
  db: Queryable,
  { run, id }: MemberName,
  at: Date,
): Promise<MemberFailures | null> {
  const [row] = await db.query<MemberFailures>(
    `update campaign_members m set attempts = attempts + 1, failing_since = coalesce(failing_since, $3)
      where run_id = $1 and id = $2 and state = 'waiting'
     returning attempts as count,
               exists (select 1 from campaign_members o where o.run_id = $1 and o.triggered_at > m.failing_since) as alone`,
    [run, id, at],
  );
  return row ?? null;
}

/**
 * Removes the touch of a trigger that was certainly refused, because it reached nobody. Every trigger that went out,
 * or may have, is a touch. An account's frequency cap counts them over all of its campaigns.
 */
export async function dropTouch(tx: Queryable, member: number): Promise<void> {
  await tx.query('delete from campaign_touches where member_id = $1', [member]);
}
