// Unreadable parts of conversations: gaps with the fingerprint of the assumptions that failed. A new fingerprint
// makes Sluice read them again. Until then it draws no conclusion about the person.

import type { Queryable } from '../../../core/sql/database.ts';
import type { PollerName } from '../contract/poll.ts';

/** An item of the list, as opposed to the messages of a conversation. */
export const LISTING_UNREADABLE = 'LISTING_UNREADABLE';

/**
 * Adopts the assumptions that the worker now uses. What was unreadable under others must be read again.
 * @returns the number of conversations affected
 */
export async function adoptAssumptions(
  tx: Queryable,
  { account, poller }: PollerName,
  assumed: string,
): Promise<number> {
  const changed = await tx.query(
    `update pollers set assumed = $3, unread_row = 0
      where account = $1 and poller = $2 and assumed is distinct from $3 returning 1`,
    [account, poller, assumed],
  );
  if (changed.length === 0) return 0;
  const again = await tx.query(
    `update conversations c set todo_at = now(), todo_since = coalesce(c.todo_since, now()), tries = 0
      where c.account = $1 and c.poller = $2 and c.id in (
        select conversation_id from poll_gaps
         where account = $1 and poller = $2 and assumed <> $3 and code <> '${LISTING_UNREADABLE}')
     returning 1`,
    [account, poller, assumed],
  );
  return again.length;
}

/** Whether anything of the conversation was unreadable under other assumptions than these. */
export async function isUnreadUnderOthers(
  db: Queryable,
  account: string,
  conversation: number,
  assumed: string,
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from poll_gaps
      where account = $1 and conversation_id = $2 and assumed <> $3 and code <> '${LISTING_UNREADABLE}' limit 1`,
    [account, conversation, assumed],
  );
  return rows.length > 0;
}

/** Whether anything of the conversation is unreadable. */
export async function hasUnread(db: Queryable, account: string, conversation: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 from poll_gaps
      where account = $1 and conversation_id = $2 and assumed is not null and code <> '${LISTING_UNREADABLE}' limit 1`,
    [account, conversation],
  );
  return rows.length > 0;
}

/** Clears the gaps of a conversation whose messages have all been read. */
export async function clearUnread(tx: Queryable, account: string, conversation: number): Promise<void> {
  await tx.query(
    `delete from poll_gaps
      where account = $1 and conversation_id = $2 and assumed is not null and code <> '${LISTING_UNREADABLE}'`,
    [account, conversation],
  );
}

/**
 * How far down the list contains items that were unreadable under other assumptions than these.
 * @returns undefined when there are none; null when they may be anywhere in the list
 */
export async function unreadFloor(
  db: Queryable,
  { account, poller }: PollerName,
  assumed: string,
): Promise<Date | null | undefined> {
  const [row] = await db.query<{ n: number; floor: Date | null; anywhere: boolean }>(
    `select count(*)::int as n, min(floor) as floor, coalesce(bool_or(floor is null), false) as anywhere from poll_gaps
      where account = $1 and poller = $2 and assumed <> $3 and code = '${LISTING_UNREADABLE}'`,
    [account, poller, assumed],
  );
  if (row === undefined || row.n === 0) return undefined;
  return row.anywhere ? null : row.floor;
}

/** The list was read down to all of them. Items that are still unreadable already have the new fingerprint. */
export async function endReread(
  tx: Queryable,
  { account, poller }: PollerName,
  assumed: string,
): Promise<void> {
  await tx.query(
    `delete from poll_gaps where account = $1 and poller = $2 and assumed <> $3 and code = '${LISTING_UNREADABLE}'`,
    [account, poller, assumed],
  );
}

/** Clears the gap of a list item that is now readable. */
export async function clearUnlisted(
  tx: Queryable,
  account: string,
  conversations: readonly number[],
): Promise<void> {
  if (conversations.length === 0) return;
  await tx.query(
    `delete from poll_gaps
      where account = $1 and conversation_id = any($2) and assumed is not null and code = '${LISTING_UNREADABLE}'`,
    [account, conversations],
  );
}

/** A conversation was read, so the assumptions hold and the count of unreadable ones in a row ends. */
export async function noteRead(
  tx: Queryable,
  { account, poller }: PollerName,
  assumed: string,
): Promise<void> {
  await tx.query(
    `update pollers set proven = $3, unread_row = 0
      where account = $1 and poller = $2 and (proven is distinct from $3 or unread_row > 0)`,
    [account, poller, assumed],
  );
}

/**
 * Counts a conversation that could not be read, once even if it is tried again and again. Call it before its gap is
 * recorded.
 */
export async function countUnread(
  tx: Queryable,
  { account, poller, conversation }: PollerName & { readonly conversation: number },
  assumed: string,
): Promise<void> {
  await tx.query(
    `update pollers set unread_row = unread_row + 1
      where account = $1 and poller = $2 and not exists (
        select 1 from poll_gaps
         where account = $1 and conversation_id = $3 and assumed = $4 and code <> '${LISTING_UNREADABLE}')`,
    [account, poller, conversation, assumed],
  );
}
