// Conversations as polling knows them: stores listings, and the progress of reading their messages.

import { CONVERSATION_ITEM } from '../../../core/encryption/columns.ts';
import { decryptValue, encryptValue } from '../../../core/encryption/values.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { ConversationState } from '../contract/events.ts';
import type { PollerName } from '../contract/poll.ts';
import { getProgress, type PollProgress } from './poll-progress.ts';
import type { ConversationRow, Listing, Reading, SeenMarks } from './rows.ts';

const ROW = `id, poller, person_key as "personKey", fingerprint, item, published, todo_at is not null as todo, tries, reading, covered_at, inbound_at, erased_at, seen`;

export async function findConversations(
  db: Queryable,
  account: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ConversationRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<ConversationRow>(
    `select ${ROW} from conversations where account = $1 and id = any($2)`,
    [account, ids],
  );
  return new Map(rows.map((row) => [row.id, decrypted(db, account, row)]));
}

/**
 * Returns null when the ledger does not know it.
 * @param lock whether to lock it until the transaction ends
 */
export async function getConversation(
  db: Queryable,
  account: string,
  id: number,
  lock: '' | 'for update' = '',
): Promise<ConversationRow | null> {
  const [row] = await db.query<ConversationRow>(
    `select ${ROW} from conversations where account = $1 and id = $2 ${lock}`,
    [account, id],
  );
  return row === undefined ? null : decrypted(db, account, row);
}

function decrypted(db: Queryable, account: string, row: ConversationRow): ConversationRow {
  return { ...row, item: decryptValue(db, CONVERSATION_ITEM, [account, row.id], row.item) };
}

/**
 * Locks the rows that a reading writes until the transaction ends: the poller's row before the conversation's. Pages
 * of the list use the same order, so the two never deadlock.
 */
export async function lockReading(
  tx: Queryable,
  { conversation, ...poller }: PollerName & { readonly conversation: number },
): Promise<{ progress: PollProgress; now: ConversationRow | null }> {
  const progress = await getProgress(tx, poller, 'for update');
  return { progress, now: await getConversation(tx, poller.account, conversation, 'for update') };
}

/** A listing to store. */
export interface Change {
  readonly listing: Listing;
  /** Its messages must be read. */
  readonly todo: boolean;
  /** The listing counts as published, because it is older than the first thing to publish. */
  readonly published: boolean;
}

/**
 * Stores listings that differ from the known ones. A conversation that already had to be read still has to be, at its
 * time.
 */
export async function saveListings(
  tx: Queryable,
  { account, poller }: { account: string; poller: string },
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(
    ({ listing: { state, lastMessage, mayBeServed, fingerprint, personKey }, todo, published }) => ({
      id: state.id,
      connection: state.connection.id,
      channel: state.channel,
      person: personKey,
      updated: state.updatedAt,
      fingerprint,
      item: encryptValue(tx, CONVERSATION_ITEM, [account, state.id], { state, lastMessage, mayBeServed }),
      published: published ? state : null,
      todo,
    }),
  );
  await tx.query(
    `insert into conversations
       (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, published, todo_at, todo_since)
     select $1, id, $2, connection, channel, person, updated, fingerprint, item, nullif(published, 'null'),
            case when todo then now() end, case when todo then now() end
       from jsonb_to_recordset($3::jsonb) as r(id bigint, connection bigint, channel text, person text,
            updated timestamptz, fingerprint text, item jsonb, published jsonb, todo boolean)
      order by id
     on conflict (account, id) do update
       set poller = excluded.poller, connection_id = excluded.connection_id, channel = excluded.channel,
           person_key = excluded.person_key, updated_at = excluded.updated_at, fingerprint = excluded.fingerprint, item = excluded.item,
           todo_at = coalesce(excluded.todo_at, conversations.todo_at),
           todo_since = coalesce(conversations.todo_since, excluded.todo_since),
           tries = case when excluded.todo_at is null then conversations.tries else 0 end`,
    [account, poller, toJson(rows)],
  );
}

/** Number of a poller's conversations whose messages must be read, now or later. */
export async function countTodo(db: Queryable, account: string, poller: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    'select count(*)::int as n from conversations where account = $1 and poller = $2 and todo_at is not null',
    [account, poller],
  );
  return row?.n ?? 0;
}

/** Stores a finished page of a reading. The next page is still to come. */
export async function saveReading(
  tx: Queryable,
  account: string,
  id: number,
  reading: Reading | null,
): Promise<void> {
  await tx.query('update conversations set reading = $3::jsonb where account = $1 and id = $2', [
    account,
    id,
    reading === null ? null : toJson(reading),
  ]);
}

export interface ReadEnd {
  /**
   * `done`: nothing left to read. `again`: the listing has changed meanwhile. Else: read again after this many
   * seconds.
   */
  readonly next: 'done' | 'again' | { readonly afterSeconds: number };
  readonly published: ConversationState;
  /** The contact's newest message that was seen, and the newest time that no unread message can share; ISO 8601. */
  readonly inboundAt: string | null;
  readonly coveredAt: string | null;
  readonly seen: SeenMarks;
}

/** Ends a reading. */
export async function endReading(tx: Queryable, account: string, id: number, end: ReadEnd): Promise<void> {
  const after = typeof end.next === 'object' ? end.next.afterSeconds : null;
  await tx.query(
    `update conversations
        set reading = null, published = $3::jsonb, seen = $4::jsonb, read_at = now(),
            inbound_at = greatest(inbound_at, $5::timestamptz), covered_at = greatest(covered_at, $6::timestamptz),
            todo_at = case when $7 then null when $8::float8 is null then now() else now() + make_interval(secs => $8::float8) end,
            todo_since = case when $7 then null else coalesce(todo_since, now()) end,
            tries = case when $8::float8 is null then 0 else tries + 1 end
      where account = $1 and id = $2`,
    [
      account,
      id,
      toJson(end.published),
      toJson(end.seen),
      end.inboundAt,
      end.coveredAt,
      end.next === 'done',
      after,
    ],
  );
}

/**
 * Counts one more failure to read it.
 * @returns the number of failures
 */
export async function countTry(db: Queryable, account: string, id: number): Promise<number> {
  const [row] = await db.query<{ tries: number }>(
    'update conversations set tries = tries + 1 where account = $1 and id = $2 returning tries',
    [account, id],
  );
  return row?.tries ?? 1;
}

/** Reads it again after this many seconds. */
export async function postponeReading(
  tx: Queryable,
  account: string,
  id: number,
  seconds: number,
): Promise<void> {
  await tx.query(
    'update conversations set todo_at = now() + make_interval(secs => $3::float8) where account = $1 and id = $2',
    [account, id, seconds],
  );
}

/**
 * The person of an erased conversation has written again at `inboundAt`. The next poll lists the conversation once more
 * and stores who it is.
 */
export async function endForgetting(
  tx: Queryable,
  { account, conversation }: { readonly account: string; readonly conversation: number },
  inboundAt: Date,
): Promise<void> {
  await tx.query(
    `with found as (
       update conversations set inbound_at = $3, fingerprint = '', reading = null, todo_at = null, todo_since = null
        where account = $1 and id = $2 returning account, poller, updated_at)
     update pollers p set watermark = least(p.watermark, found.updated_at), settled = false
       from found where p.account = found.account and p.poller = found.poller`,
    [account, conversation, inboundAt],
  );
}
