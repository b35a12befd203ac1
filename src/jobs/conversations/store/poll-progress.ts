// How far a poller is: the current sweep, older pages still to read, the watermark, and what may be missing.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { PollerName } from '../contract/poll.ts';
import { LISTING_UNREADABLE } from './unread.ts';

/** The position of a page-by-page reading of the conversation list. Times are the service's epoch milliseconds. */
export interface ListCursor {
  /** The reading ends at the first item strictly older; null means at the end of the list. */
  readonly floor: number | null;
  /** Newest time on page 1. */
  readonly top: number | null;
  /** The next page to request. */
  readonly window: { readonly pageNumber: number; readonly pageSize: number };
  /** Largest page size to request. */
  readonly size: number;
  /** Oldest time read, and the ids seen at it; null when no item was read. */
  readonly oldest: number | null;
  readonly ties: readonly number[];
  /** Items read without a gap, from the first. */
  readonly read: number;
  /** Items of the whole list, as counted by the last page that connected to the one before. */
  readonly count: number;
  readonly calls: number;
  readonly maxCalls: number;
  /** Steps back since an older item was found; pages in a row without an older item; gaps in the order. */
  readonly back: number;
  readonly idle: number;
  readonly holes: number;
  /** It started long enough after the watermark last moved to rule out a late commit below the watermark. */
  readonly late: boolean;
  /** Number of changed conversations and of gaps, over all of its pages. */
  readonly changed: number;
  readonly gaps: number;
  /** Set while it rereads unreadable items: the fingerprint of the current assumptions. */
  readonly rereads: string | null;
}

export interface PollProgress {
  readonly since: Date | null;
  readonly watermark: Date | null;
  /** Everything up to the watermark is imported, including late commits. */
  readonly settled: boolean;
  /** Milliseconds since the watermark last moved; null when it never has. */
  readonly still_ms: number | null;
  /** Number of finished polls. */
  readonly polls: number;
  readonly sweep: ListCursor | null;
  readonly history: ListCursor | null;
  /** Fingerprint of the assumptions under which it has read messages; null when it has read none yet. */
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

/** Stores the position of the sweep, which continues with another page. */
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

/**
 * The starting point that the poller's first poll has found. Earlier messages are not published; null when there were
 * none.
 */
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
  /** Null when the watermark does not move. */
  readonly watermark: Date | null;
  /** Nothing is missing. */
  readonly complete: boolean;
  readonly news: boolean;
  /** No late commit happened, and none is possible. */
  readonly settled: boolean;
  /** The list was read without a gap down to this time. Null: to its end. Undefined: something of it is missing. */
  readonly readDownTo: Date | null | undefined;
}

/** Ends a poll. The watermark never moves back. Items of the list that had no id are read again by now, or still a gap. */
export async function endSweep(
  tx: Queryable,
  { account, poller }: PollerName,
  { watermark, complete, news, settled, readDownTo }: SweepEnd,
): Promise<void> {
  await tx.query(
    `with readable as (
       delete from poll_gaps
        where account = $1 and poller = $2 and conversation_id = 0 and code = '${LISTING_UNREADABLE}' and $7
          and ($8::timestamptz is null or floor >= $8::timestamptz))
     update pollers set sweep = null, watermark = greatest(watermark, $3::timestamptz), polls = polls + 1, polled_at = now(),
            moved_at = case when watermark is null or watermark < $3::timestamptz then now() else moved_at end, settled = $6,
            complete_at = case when $4 then now() else complete_at end, news_at = case when $5 then now() else news_at end
      where account = $1 and poller = $2`,
    [account, poller, watermark, complete, news, settled, readDownTo !== undefined, readDownTo ?? null],
  );
}

/** Stores the position in the older pages; null when there are none left. */
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

/** Counts published messages. */
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

/** What may be missing. `reason` says why and what it means, without personal data. */
export interface Gap {
  readonly code: string;
  readonly reason: string;
  /** Null means the list of conversations. */
  readonly conversation?: number | null;
  /** Between these times of the service. */
  readonly after?: Date | null;
  readonly before?: Date | null;
  /** Set when something exists that could not be read. */
  readonly unread?: Unread;
}

/**
 * Something unreadable. It is read again under other assumptions, and until then counts against reaching the person.
 */
export interface Unread {
  /** Fingerprint of the assumptions under which it could not be read. */
  readonly assumed: string;
  /** Key of the assumption whose override may make it readable. */
  readonly assumption: string | null;
  /** The person of the conversation; null when unknown. */
  readonly personKey: string | null;
  /** A list item is newer than this time; null means anywhere. */
  readonly floor: Date | null;
}

/**
 * Records a gap. A gap of the same kind at the same place is counted, and its period grows. Only two skipped
 * stretches of the list are two gaps.
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
