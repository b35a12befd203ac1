// How far a poller is: the sweep under way, the older pages still to be read, the watermark, and what may be missing.

import { toJson } from '../../contracts/stored-json.ts';
import type { PollerName } from '../../contracts/wire/poll.ts';
import type { Queryable } from '../database.ts';

/** A walk down the list of conversations, page by page. Instants are epoch milliseconds of the service. */
export interface ListCursor {
  /** Ends at the first item strictly older; null: at the end of the list. */
  readonly floor: number | null;
  /** Newest instant of page 1. */
  readonly top: number | null;
  /** What to ask for next. */
  readonly window: { readonly pageNumber: number; readonly pageSize: number };
  /** Largest page to ask for. */
  readonly size: number;
  /** Oldest instant read, and the ids seen at it; null: no item was read. */
  readonly oldest: number | null;
  readonly ties: readonly number[];
  /** Places read without a gap, from the first. */
  readonly read: number;
  /** Items of the whole list, as the last page that joined counted them. */
  readonly count: number;
  readonly calls: number;
  readonly maxCalls: number;
  /** Steps back since something older was found; pages in a row that brought nothing older; gaps of the order. */
  readonly back: number;
  readonly idle: number;
  readonly holes: number;
  /** It began so long after the watermark last moved that nothing can be committed below it any more. */
  readonly late: boolean;
  /** Conversations that have changed, and gaps, in all of its pages. */
  readonly changed: number;
  readonly gaps: number;
  /** Set on the way down to what was unread: the fingerprint of the assumptions that it is read by now. */
  readonly rereads: string | null;
}

export interface PollProgress {
  readonly since: Date | null;
  readonly watermark: Date | null;
  /** All up to the watermark is imported, whatever was committed late. */
  readonly settled: boolean;
  /** Milliseconds since the watermark last moved; null: it never has. */
  readonly still_ms: number | null;
  /** Polls that have ended. */
  readonly polls: number;
  readonly sweep: ListCursor | null;
  readonly history: ListCursor | null;
  /** Fingerprint of the assumptions by which it has read messages; null: it has read none yet. */
  readonly proven: string | null;
  /** Conversations in a row that could not be read. */
  readonly unread_row: number;
}

/** @throws Error when the poller was never opened */
export async function getProgress(
  db: Queryable,
  { account, poller }: PollerName,
  lock: '' | 'for update' = '',
): Promise<PollProgress> {
  const [row] = await db.query<PollProgress>(
    `select since, watermark, settled, polls, sweep, history, proven, unread_row, (1000 * extract(epoch from now() - moved_at))::float8 as still_ms
       from pollers where account = $1 and poller = $2 ${lock}`,
    [account, poller],
  );
  if (row === undefined) throw new Error(`the poller ${poller} of ${account} was never opened`);
  return row;
}

/** The sweep goes on with another page. */
export async function saveSweep(
  tx: Queryable,
  { account, poller }: PollerName,
  sweep: ListCursor,
): Promise<void> {
  await tx.query('update pollers set sweep = $3::jsonb where account = $1 and poller = $2', [
    account,
    poller,
    toJson(sweep),
  ]);
}

/** Where the poller begins, found out by its first poll: messages before are not published; null: none was there before. */
export async function beginAt(
  tx: Queryable,
  { account, poller }: PollerName,
  since: Date | null,
): Promise<void> {
  await tx.query('update pollers set since = $3::timestamptz where account = $1 and poller = $2', [
    account,
    poller,
    since,
  ]);
}

export interface SweepEnd {
  /** Null: it stays where it is. */
  readonly watermark: Date | null;
  /** Nothing is missing. */
  readonly complete: boolean;
  readonly news: boolean;
  /** Nothing was committed late, and nothing will be. */
  readonly settled: boolean;
}

/** A poll is done. The watermark never moves back. */
export async function endSweep(
  tx: Queryable,
  { account, poller }: PollerName,
  { watermark, complete, news, settled }: SweepEnd,
): Promise<void> {
  await tx.query(
    `update pollers set sweep = null, watermark = greatest(watermark, $3::timestamptz), polls = polls + 1, polled_at = now(),
            moved_at = case when watermark is null or watermark < $3::timestamptz then now() else moved_at end, settled = $6,
            complete_at = case when $4 then now() else complete_at end, news_at = case when $5 then now() else news_at end
      where account = $1 and poller = $2`,
    [account, poller, watermark, complete, news, settled],
  );
}

/** Where the reading of older pages is; null: there are none. */
export async function saveHistory(
  tx: Queryable,
  { account, poller }: PollerName,
  history: ListCursor | null,
): Promise<void> {
  await tx.query('update pollers set history = $3::jsonb where account = $1 and poller = $2', [
    account,
    poller,
    history === null ? null : toJson(history),
  ]);
}

/** Counts messages that were published. */
export async function countMessages(
  tx: Queryable,
  { account, poller }: PollerName,
  messages: number,
): Promise<void> {
  if (messages === 0) return;
  await tx.query('update pollers set messages = messages + $3 where account = $1 and poller = $2', [
    account,
    poller,
    messages,
  ]);
}

/** What may be missing; `reason` says why and what it means, without anything personal. */
export interface Gap {
  readonly code: string;
  readonly reason: string;
  /** Null: the list of conversations. */
  readonly conversation?: number | null;
  /** Between these instants of the service. */
  readonly after?: Date | null;
  readonly before?: Date | null;
  /** Set: something is there that could not be read. */
  readonly unread?: Unread;
}

/** What could not be read is read again under other assumptions, and speaks against the person until then. */
export interface Unread {
  /** Fingerprint of the assumptions by which it could not be read. */
  readonly assumed: string;
  /** Key of the assumption whose override may make it readable. */
  readonly assumption: string | null;
  /** Whose conversation it is; null: nobody knows. */
  readonly personKey: string | null;
  /** An item of the list stands above this instant; null: anywhere. */
  readonly floor: Date | null;
}

/**
 * Notes a gap. One of the same kind in the same place is counted, and its stretch of time grows; only two stretches of
 * the list that were passed over are two gaps.
 * @returns whether it is news
 */
export async function noteGap(tx: Queryable, { account, poller }: PollerName, gap: Gap): Promise<boolean> {
  const { unread } = gap;
  const place = [
    account,
    poller,
    gap.conversation ?? 0,
    gap.code,
    gap.after ?? null,
    gap.before ?? null,
    gap.reason,
    unread?.assumed ?? null,
    unread?.assumption ?? null,
    unread?.personKey ?? null,
    unread?.floor ?? null,
  ];
  const known = await tx.query(
    `update poll_gaps set seen = seen + 1, last_at = now(), reason = $7, assumed = $8, assumption = $9,
            person_key = coalesce($10, person_key), floor = case when floor is null then null else least(floor, $11::timestamptz) end,
            after = least(after, $5::timestamptz), before = greatest(before, $6::timestamptz)
      where account = $1 and poller = $2 and conversation_id = $3 and code = $4
        and (code <> 'LIST_GAP' or (after is not distinct from $5 and before is not distinct from $6))
     returning id`,
    place,
  );
  if (known.length > 0) return false;
  await tx.query(
    `insert into poll_gaps
       (account, poller, conversation_id, code, after, before, reason, assumed, assumption, person_key, floor)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    place,
  );
  return true;
}
