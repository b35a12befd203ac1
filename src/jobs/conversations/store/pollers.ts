// Pollers: when each began, whether it is paused or blocked, what to read next, and its status.

import { pollerSyncNameSql } from '../../../core/ids.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import { pageOf } from '../../../core/page.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { ShapeDetails } from '../../sync/contract/run.ts';
import type { OutlookInput, PollBlock, PollerName, PollOutlook } from '../contract/poll.ts';
import type { PollerStatus, PollGap } from '../contract/pollers.ts';

export interface PollerRow {
  readonly paused: boolean;
  readonly blocked: PollBlock | null;
}

interface BlockColumns {
  readonly block_code: string | null;
  readonly block_reason: string | null;
  readonly block_shape: ShapeDetails | null;
}

function blockOf({ block_code, block_reason, block_shape }: BlockColumns): PollBlock | null {
  return block_code === null ? null : { code: block_code, reason: block_reason ?? '', shape: block_shape };
}

/**
 * Creates the poller's row at its first start. Later starts continue from it.
 * @param from as configured: `now`, `all`, or a time
 */
export async function openPoller(
  db: Queryable,
  { account, poller, run, from }: PollerName & { run: string; from: string },
): Promise<PollerRow> {
  const [row] = await db.query<BlockColumns & { readonly paused: boolean }>(
    `insert into pollers (account, poller, run_id, since)
     values ($1, $2, $3, case $4 when 'all' then null when 'now' then now() else $4::timestamptz end)
     on conflict (account, poller) do update set run_id = excluded.run_id
     returning paused_at is not null as paused, block_code, block_reason, block_shape`,
    [account, poller, run, from],
  );
  if (row === undefined) throw new Error(`the poller ${poller} of ${account} has no row`);
  return { paused: row.paused, blocked: blockOf(row) };
}

/** Records that somebody paused it. */
export async function pausePoller(
  db: Queryable,
  { account, poller, by, reason }: PollerName & { by: string; reason: string },
): Promise<void> {
  await db.query(
    'update pollers set paused_by = $3, paused_reason = $4, paused_at = now() where account = $1 and poller = $2',
    [account, poller, by, reason],
  );
}

export async function resumePoller(db: Queryable, { account, poller }: PollerName): Promise<void> {
  await db.query(
    `update pollers set paused_by = null, paused_reason = null, paused_at = null,
            block_code = null, block_reason = null, block_shape = null
      where account = $1 and poller = $2`,
    [account, poller],
  );
}

/** Sets why it waits for an operator; null when it no longer does. */
export async function blockPoller(
  db: Queryable,
  { account, poller, block }: PollerName & { readonly block: PollBlock | null },
): Promise<void> {
  await db.query(
    'update pollers set block_code = $3, block_reason = $4, block_shape = $5 where account = $1 and poller = $2',
    [
      account,
      poller,
      block?.code ?? null,
      block?.reason ?? null,
      block === null || block.shape === null ? null : toJson(block.shape),
    ],
  );
}

/** Which conversations to read next, at most `limit`. */
export async function pollOutlook(
  db: Queryable,
  { account, poller, limit, old }: OutlookInput,
): Promise<PollOutlook> {
  const of = `from conversations c join pollers p using (account, poller)
    where c.account = $1 and c.poller = $2 and (c.updated_at < p.started_at) = $3`;
  const rows = await db.query<{ id: number }>(
    `select c.id ${of} and c.todo_at <= now() order by c.todo_since, c.id limit $4`,
    [account, poller, old, limit],
  );
  const [later] = await db.query<{ ms: number | null }>(
    `select (1000 * extract(epoch from min(c.todo_at) - now()))::float8 as ms ${of} and c.todo_at > now()`,
    [account, poller, old],
  );
  const ms = later?.ms ?? null;
  return { reads: rows.map(({ id }) => id), nextMs: ms === null ? null : Math.ceil(ms) };
}

/** A poller of the ledger. */
export type StoredPoller = Omit<PollerStatus, 'configured' | 'trouble'>;

/** Pollers for operators, ordered by name. */
export async function describePollers(
  db: Queryable,
  names: readonly string[] | null,
): Promise<StoredPoller[]> {
  type Row = Omit<StoredPoller, 'state' | 'blocked' | 'paused'> &
    BlockColumns & {
      readonly paused_by: string | null;
      readonly paused_reason: string | null;
      readonly paused_at: string | null;
    };
  const rows = await db.query<Row>(
    `select p.account, p.poller, p.block_code, p.block_reason, p.block_shape, p.paused_by, p.paused_reason, ${isoText('p.paused_at')} as paused_at,
            ${isoText('p.since')} as since, ${isoText('p.watermark')} as watermark, p.history is not null as history,
            c.conversations, c.todo, c."lagSeconds", p.polls, p.messages,
            (select coalesce(sum(r.calls), 0)::int from runs r where r.account = p.account and r.sync = ${pollerSyncNameSql('p.poller')}) as calls,
            (select count(*)::int from poll_gaps g where g.account = p.account and g.poller = p.poller) as gaps,
            (select count(distinct conversation_id)::int from poll_gaps g
              where g.account = p.account and g.poller = p.poller and g.assumed is not null) as unread,
            ${isoText('p.polled_at')} as "polledAt", ${isoText('p.news_at')} as "newsAt", ${isoText('p.started_at')} as "startedAt"
       from pollers p, lateral (
         select count(*)::int as conversations, count(todo_at)::int as todo,
                extract(epoch from now() - min(todo_since) filter (where todo_at is not null))::float8 as "lagSeconds"
           from conversations where account = p.account and poller = p.poller) c
      where $1::text[] is null or p.poller = any($1)
      order by p.account, p.poller`,
    [names],
  );
  return rows.map(
    ({ block_code, block_reason, block_shape, paused_by, paused_reason, paused_at, ...row }) => {
      const blocked = blockOf({ block_code, block_reason, block_shape });
      const paused =
        paused_at === null ? null : { by: paused_by ?? '', reason: paused_reason ?? '', at: paused_at };
      const state = paused !== null ? 'paused' : blocked !== null ? 'blocked' : 'polling';
      return { ...row, state, blocked, paused };
    },
  );
}

export interface GapPage {
  /** Null: of all pollers. */
  readonly pollers: readonly PollerName[] | null;
  readonly limit: number;
  /** `next` of the page before. */
  readonly before: string | null;
}

/** Newest first. */
export async function listGaps(
  db: Queryable,
  { pollers, limit, before }: GapPage,
): Promise<{ gaps: PollGap[]; next: string | null }> {
  const rows = await db.query<PollGap>(
    `select account, poller, id, nullif(conversation_id, 0) as conversation, code, reason, ${isoText('after')} as after,
            ${isoText('before')} as before, seen, ${isoText('at')} as at
       from poll_gaps
      where ($1::text[] is null or (account, poller) in (select * from unnest($1::text[], $2::text[])))
        and ($3::bigint is null or id < $3::bigint)
      order by id desc limit $4`,
    [
      pollers?.map(({ account }) => account) ?? null,
      pollers?.map(({ poller }) => poller) ?? null,
      before,
      limit + 1,
    ],
  );
  const { page, next } = pageOf(rows, limit, ({ id }) => String(id));
  return { gaps: page, next };
}
