// Operator commands for campaign runs. Each command takes effect once, by its id.

import { campaignRoute } from '../../../core/ids.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Pause } from '../../../core/pause.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { storable } from './audit.ts';
import { ENDED, type EndedMember, endMany, type MemberNews } from './ended-members.ts';
import { lockedMembers, type MemberRow } from './members.ts';
import { type MovedOn, moveOn } from './waves.ts';

/**
 * Pauses the run, so that nothing is triggered from now on. The first pause is kept.
 * @returns the pause; null when the run is paused already
 */
export async function haltCampaign(
  tx: Queryable,
  run: string,
  { by, reason, code, at, again }: Pause,
): Promise<Pause | null> {
  const [row] = await tx.query<{ paused: Pause }>(
    'update campaigns set paused = $2 where run_id = $1 and paused is null returning paused',
    [run, toJson({ by: storable(by), reason: storable(reason), code, at, again })],
  );
  return row?.paused ?? null;
}

/** @returns false when the run was not paused */
export async function releaseCampaign(tx: Queryable, run: string): Promise<boolean> {
  const rows = await tx.query(
    'update campaigns set paused = null where run_id = $1 and paused is not null returning 1',
    [run],
  );
  return rows.length > 0;
}

export async function approveCampaign(tx: Queryable, run: string, by: string, at: Date): Promise<void> {
  await tx.query(
    `update campaigns set approved_by = coalesce(approved_by, $2), approved_at = coalesce(approved_at, $3)
      where run_id = $1`,
    [run, by, at],
  );
}

/**
 * Changes the pace. An approved plan changes with it and must be approved again.
 * @param pace triggers per minute; 0 means no separate limit
 */
export async function changePace(tx: Queryable, run: string, pace: number): Promise<void> {
  await tx.query(
    `update campaigns set pace = $2, approved_by = case when state <> 'planned' then approved_by end,
            approved_at = case when state <> 'planned' then approved_at end where run_id = $1`,
    [run, pace],
  );
}

/** Records who started the run, and when. */
export async function beginCampaign(tx: Queryable, run: string, by: string, at: Date): Promise<void> {
  await tx.query(
    `update campaigns set started_by = coalesce(started_by, $2), started_at = coalesce(started_at, $3)
      where run_id = $1`,
    [run, by, at],
  );
}

/** Another unfinished run of the same campaign; null when there is none. */
export async function otherRun(
  tx: Queryable,
  { run_id: run, account, campaign }: { run_id: string; account: string; campaign: string },
): Promise<{ readonly run: string; readonly state: string } | null> {
  const [row] = await tx.query<{ run: string; state: string }>(
    `select run_id as run, state from campaigns
      where account = $1 and campaign = $2 and run_id <> $3 and state in ('planning', 'planned', 'running') limit 1`,
    [account, campaign, run],
  );
  return row ?? null;
}

/**
 * Cancels all members that were not triggered yet.
 * @returns their number
 */
export async function cancelMembers(tx: Queryable, run: string, at: Date): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `with chosen as (
       ${lockedMembers("run_id = $1 and state in ('found', 'waiting')")}
     ), ended as (
       update campaign_members set state = 'cancelled', code = null, reason = null, not_before = null, ended_at = $2
        where id in (select id from chosen) returning 1)
     select count(*)::int as n from ended`,
    [run, at],
  );
  return row?.n ?? 0;
}

/**
 * Marks members as unknown if their right to trigger was taken more than `seconds` ago by the database's clock. Their
 * outcome will never arrive, because nothing asks again for members of a canceled run.
 */
export async function giveUpLost(
  tx: Queryable,
  run: string,
  { seconds, code }: { readonly seconds: number; readonly code: string },
  at: Date,
  news: MemberNews,
): Promise<void> {
  await endMany(
    tx,
    news,
    'unknown',
    `with chosen as (
       ${lockedMembers("run_id = $1 and state = 'sending' and coalesce(sent_at < now() - make_interval(secs => $2), true)")}
     ), ended as (
       update campaign_members set state = 'unknown', code = $4, ended_at = $3, holder = null, due_at = null,
              reason = 'the worker that triggered it did not report back'
        where id in (select id from chosen) returning ${ENDED})`,
    [run, seconds, at, code],
  );
}

/** Maximum number of events that are returned when a run is opened. Earlier ones already have workflows. */
const EVENTS_MOST = 2000;

/** Events that follow the campaign's triggers and have no workflow yet: the newest ones, oldest first. */
export async function openAfterEvents(
  db: Queryable,
  { account, campaign }: { readonly account: string; readonly campaign: string },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from events where state = 'received' and account = $1 and route = $2 order by seq desc limit $3`,
    [account, campaignRoute(campaign), EVENTS_MOST],
  );
  return rows.map(({ id }) => id).toReversed();
}

/**
 * Makes failed members with these codes, or with any code, wait again.
 * @returns their number
 */
export async function retryMembers(
  tx: Queryable,
  run: string,
  codes: readonly string[] | null,
): Promise<number> {
  return await moveOn(tx, run, 'failed', '$4::text[] is null or code = any($4)', [codes]);
}

/** Those of these members whose outcome is unknown; null means all of the run. */
export async function unknownMembers(
  tx: Queryable,
  run: string,
  members: readonly number[] | null,
): Promise<Pick<MemberRow, 'id' | 'key' | 'number' | 'card_id'>[]> {
  return await tx.query(
    `select id, key, number, card_id from campaign_members where run_id = $1 and state = 'unknown' and ($2::bigint[] is null or id = any($2))
      order by id for update`,
    [run, members],
  );
}

/** The flow did run, at the time when the right to trigger was taken. */
export async function settleTriggered(
  tx: Queryable,
  run: string,
  members: readonly number[],
  at: Date,
  news: MemberNews,
): Promise<void> {
  const ended = await tx.query<EndedMember>(
    `update campaign_members set state = 'triggered', code = null, reason = null,
            triggered_at = coalesce((select at from campaign_touches where member_id = campaign_members.id), ended_at, $3),
            ended_at = $3
      where run_id = $1 and id = any($2) and state = 'unknown' returning ${ENDED}`,
    [run, members, at],
  );
  if (news.hears('triggered')) news.ended(ended);
}

/** The flow did not run, so it reached nobody. With `again`, the member is triggered once more. */
export async function settleNotTriggered(
  tx: Queryable,
  run: string,
  { members, again }: { readonly members: readonly number[]; readonly again: boolean },
  at: Date,
  news: MemberNews,
): Promise<void> {
  await tx.query('delete from campaign_touches where member_id = any($1)', [members]);
  const as: MovedOn = 'unknown';
  if (again) return void (await moveOn(tx, run, as, 'id = any($4::bigint[])', [members]));
  const ended = await tx.query<EndedMember>(
    `update campaign_members set state = 'failed', code = 'NOT_TRIGGERED', reason = null, ended_at = $3,
            replied_at = null, delivered_at = null, read_at = null, opted_out_at = null
      where run_id = $1 and id = any($2) and state = 'unknown' returning ${ENDED}`,
    [run, members, at],
  );
  if (news.hears('failed')) news.ended(ended);
}
