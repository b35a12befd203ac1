// What of conversations could not be read: gaps with the fingerprint of the assumptions that failed. A new fingerprint has
// them read again; until then nothing is concluded about the person.
import type { PollerName } from '../../contracts/wire/poll.ts';
import type { Queryable } from '../database.ts';

/** An item of the list, as opposed to the messages of a conversation. */
export const LISTING_UNREADABLE = 'LISTING_UNREADABLE';

/**
 * Takes up the assumptions that the worker reads by. What was unread under others is to be read again.
 * @returns how many conversations that concerns
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

/** Was anything of the conversation unread under other assumptions than these? */
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

/** Is anything of the conversation unread? */
export async function hasUnread(db: Queryable, account: string, conversation: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 from poll_gaps
      where account = $1 and conversation_id = $2 and assumed is not null and code <> '${LISTING_UNREADABLE}' limit 1`,
    [account, conversation],
  );
  return rows.length > 0;
}

/** All messages of the conversation have been read. */
export async function clearUnread(tx: Queryable, account: string, conversation: number): Promise<void> {
  await tx.query(
    `delete from poll_gaps
      where account = $1 and conversation_id = $2 and assumed is not null and code <> '${LISTING_UNREADABLE}'`,
    [account, conversation],
  );
}

/**
 * How far down the list items stand that were unread under other assumptions than these.
 * @returns undefined: there are none; null: somewhere in the whole list
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

/** The list was read down to all of them: what is unread still carries the new fingerprint. */
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

/** An item of the list can be read by now. */
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

/** A conversation was read: the assumptions hold, and no row of unread ones goes on. */
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

/** A conversation could not be read; one that is read again and again counts once. To be done before its gap is noted. */
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
