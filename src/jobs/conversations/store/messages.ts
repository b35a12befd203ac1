// Imported messages, stored by key only, and complete messages that were read but not published yet.

import { MESSAGE_ITEM } from '../../../core/encryption/columns.ts';
import { decryptRows, encryptValue } from '../../../core/encryption/values.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';

/** One message of a history, stored until it is published. */
export interface StagedMessage {
  readonly key: string;
  readonly id: string | null;
  readonly body: string | null;
  readonly fromMe: boolean;
  /** ISO 8601, UTC. */
  readonly at: string | null;
  readonly status: string | null;
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface KnownMessages {
  /** Key → last seen status. */
  readonly published: ReadonlyMap<string, string | null>;
  /** Keys that are read and not published yet. */
  readonly staged: ReadonlySet<string>;
  /** Whether any message of the conversation was published before. */
  readonly any: boolean;
}

/** Finds which of these messages the ledger has. */
export async function knownMessages(
  db: Queryable,
  account: string,
  conversation: number,
  keys: readonly string[],
): Promise<KnownMessages> {
  const rows = await db.query<{ key: string; status: string | null; staged: boolean }>(
    `select key, status, item is not null as staged from messages
      where account = $1 and conversation_id = $2 and key = any($3)`,
    [account, conversation, keys],
  );
  const [any] = await db.query(
    'select 1 from messages where account = $1 and conversation_id = $2 and item is null limit 1',
    [account, conversation],
  );
  return {
    published: new Map(rows.filter(({ staged }) => !staged).map(({ key, status }) => [key, status])),
    staged: new Set(rows.filter(({ staged }) => staged).map(({ key }) => key)),
    any: any !== undefined,
  };
}

/** Stores messages until older ones have been read. `place` counts back from the newest message. */
export async function stageMessages(
  tx: Queryable,
  account: string,
  conversation: number,
  messages: readonly { readonly message: StagedMessage; readonly place: number }[],
): Promise<void> {
  if (messages.length === 0) return;
  await tx.query(
    `insert into messages (account, conversation_id, key, item, place)
     select $1, $2, r->>'key', r->'item', (r->>'place')::int from jsonb_array_elements($3::jsonb) r
     on conflict do nothing`,
    [
      account,
      conversation,
      toJson(
        messages.map(({ message, place }) => ({
          key: message.key,
          item: encryptValue(tx, MESSAGE_ITEM, [account, conversation, message.key], message),
          place,
        })),
      ),
    ],
  );
}

/** Takes the staged messages, oldest first. */
export async function takeStaged(
  tx: Queryable,
  account: string,
  conversation: number,
): Promise<StagedMessage[]> {
  const rows = await tx.query<{ item: StagedMessage; place: number }>(
    `delete from messages where account = $1 and conversation_id = $2 and item is not null
     returning account, conversation_id, key, item, place`,
    [account, conversation],
  );
  return decryptRows(tx, MESSAGE_ITEM, rows)
    .sort((a, b) => b.place - a.place)
    .map(({ item }) => item);
}

/**
 * Marks messages as published.
 * @param chronological oldest first
 * @returns those that were not marked before
 */
export async function addKnown(
  tx: Queryable,
  account: string,
  conversation: number,
  chronological: readonly StagedMessage[],
): Promise<StagedMessage[]> {
  if (chronological.length === 0) return [];
  const rows = chronological.map(({ key, at, fromMe, status }) => ({ key, at, from_me: fromMe, status }));
  const added = await tx.query<{ key: string }>(
    `insert into messages (account, conversation_id, key, at, from_me, status)
     select $1, $2, r->>'key', (r->>'at')::timestamptz, (r->>'from_me')::boolean, r->>'status'
       from jsonb_array_elements($3::jsonb) with ordinality as rows(r, n) order by n
     on conflict do nothing returning key`,
    [account, conversation, toJson(rows)],
  );
  const keys = new Set(added.map(({ key }) => key));
  // If one page has a key twice, it is one message.
  return chronological.filter(({ key }) => keys.delete(key));
}

/** Stores the last seen statuses of messages. */
export async function saveStatuses(
  tx: Queryable,
  account: string,
  conversation: number,
  seen: readonly { readonly key: string; readonly status: string }[],
): Promise<void> {
  if (seen.length === 0) return;
  await tx.query(
    `update messages m set status = r.status from jsonb_to_recordset($3::jsonb) as r(key text, status text)
      where m.account = $1 and m.conversation_id = $2 and m.key = r.key`,
    [account, conversation, toJson(seen)],
  );
}

/**
 * Deletes all but about the newest `keep` messages. Messages with the same time stay or go together, so that a late
 * one is never mistaken for a deleted one.
 * @returns the newest deleted time; null when none was deleted
 */
export async function pruneMessages(
  tx: Queryable,
  account: string,
  conversation: number,
  keep: number,
): Promise<Date | null> {
  const [row] = await tx.query<{ at: Date | null }>(
    `with edge as materialized (
       select at, seq from messages where account = $1 and conversation_id = $2 and item is null
        order by seq desc offset $3 limit 1),
     gone as (
       delete from messages m using edge
        where m.account = $1 and m.conversation_id = $2 and m.item is null and m.seq < edge.seq
          and (m.at < edge.at or (m.at is null and edge.at is null))
       returning m.at)
     select max(at) as at from gone`,
    [account, conversation, keep - 1],
  );
  return row?.at ?? null;
}
