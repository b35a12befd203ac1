// Conversations as polling knows them: the newest listing of each, whether its messages are to be read, and how far that is.

import { toJson } from '../../contracts/stored-json.ts';
import type { ConversationState } from '../../contracts/wire/conversation-events.ts';
import type { PollerName } from '../../contracts/wire/poll.ts';
import type { Queryable } from '../database.ts';
import { getProgress, type PollProgress } from './poll-progress.ts';

/** What a list shows of a conversation, as far as it matters. */
export interface Listing {
  readonly state: ConversationState;
  readonly lastMessage: string | null;
  /** The service does not show whether a person serves it, and the chatbot does not. */
  readonly mayBeServed: boolean;
  /** Hash of state and last message. */
  readonly fingerprint: string;
  /** Key of the contact, as people.key. */
  readonly personKey: string;
}

/** What the last finished reading of a conversation saw; texts by hash. */
export interface SeenMarks {
  /** Text of the newest message. */
  readonly newest: string | null;
  /** Last message as it was listed then. */
  readonly listed: string | null;
  /** Messages up to this instant are forgotten, ISO 8601: none of them is published again. */
  readonly pruned: string | null;
}

/** A reading back over several pages. */
export interface Reading {
  /** The listing that it began with. */
  readonly fingerprint: string;
  /** What to ask for next. */
  readonly page: number;
  readonly size: number;
  /** Messages of the conversation, as the last page counted them. */
  readonly count: number;
  /** How many of the newest places are read; 0: it begins anew. */
  readonly read: number;
  readonly lookAlikes: LookAlikes;
  /** Counts up with every page, so that an attempt that outlived its time is known. */
  readonly step: number;
  readonly restarts: number;
  /** Pages in a row that brought nothing. */
  readonly idle: number;
  readonly newest: NewestMark;
  /** Goes down to the end, past messages that are known: something was unread under other assumptions. */
  readonly deep: boolean;
  /** Messages so far that could not be read. */
  readonly odd: number;
}

/** Messages without an id at the old end of what is read, whose likes may follow on the next page. */
export interface LookAlikes {
  /** Their instant, epoch milliseconds; null: they show none. */
  readonly at: number | null;
  /** Key without number → how many. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What the newest page of a reading showed; texts by hash, times in ISO 8601. */
export interface NewestMark {
  readonly text: string | null;
  readonly at: string | null;
  /** The newest message of the contact. */
  readonly inboundAt: string | null;
  /** The answer came a second after the newest message at least, by the service's clock: nothing hides behind it. */
  readonly settled: boolean;
  /** It shows the text that the list shows as last message. */
  readonly showsListed: boolean;
}

export interface ConversationRow {
  readonly id: number;
  readonly poller: string;
  readonly fingerprint: string;
  readonly item: { readonly state: ConversationState; readonly lastMessage: string | null };
  readonly published: ConversationState | null;
  readonly todo: boolean;
  readonly tries: number;
  readonly reading: Reading | null;
  readonly covered_at: Date | null;
  readonly inbound_at: Date | null;
  readonly seen: SeenMarks | null;
  /** Key of the contact, as people.key. */
  readonly personKey: string;
}

const ROW = `id, poller, person_key as "personKey", fingerprint, item, published, todo_at is not null as todo, tries, reading, covered_at, inbound_at, seen`;

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
  return new Map(rows.map((row) => [row.id, row]));
}

/** Null when the ledger does not know it. @param lock until the transaction ends */
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
  return row ?? null;
}

/**
 * Locks what a reading writes until the transaction ends: the poller's row before the conversation's. Pages of the list
 * lock in the same order, so that the two never wait for each other.
 */
export async function lockReading(
  tx: Queryable,
  { conversation, ...poller }: PollerName & { readonly conversation: number },
): Promise<{ progress: PollProgress; now: ConversationRow | null }> {
  const progress = await getProgress(tx, poller, 'for update');
  return { progress, now: await getConversation(tx, poller.account, conversation, 'for update') };
}

/** A listing to write down. */
export interface Change {
  readonly listing: Listing;
  /** Its messages are to be read. */
  readonly todo: boolean;
  /** Counts as published: it stood like this before anything was to be published. */
  readonly published: boolean;
}

/** Writes down listings that differ from what is known. What was to be read before stays so, with its time. */
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
      item: { state, lastMessage, mayBeServed },
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

/** Conversations of a poller whose messages are to be read, now or later. */
export async function countTodo(db: Queryable, account: string, poller: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    'select count(*)::int as n from conversations where account = $1 and poller = $2 and todo_at is not null',
    [account, poller],
  );
  return row?.n ?? 0;
}

/** A page of a reading is done, the next one is not. */
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
  /** `done`: nothing to read any more. `again`: the listing has changed meanwhile. Else: after so many seconds. */
  readonly next: 'done' | 'again' | { readonly afterSeconds: number };
  readonly published: ConversationState;
  /** The newest message of the contact that was seen, and the newest instant that nothing can hide behind; ISO 8601. */
  readonly inboundAt: string | null;
  readonly coveredAt: string | null;
  readonly seen: SeenMarks;
}

/** A reading has come to its end. */
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

/** One more failure of reading it. @returns how many there were */
export async function countTry(db: Queryable, account: string, id: number): Promise<number> {
  const [row] = await db.query<{ tries: number }>(
    'update conversations set tries = tries + 1 where account = $1 and id = $2 returning tries',
    [account, id],
  );
  return row?.tries ?? 1;
}

/** It is read again after so many seconds. */
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
