// Publishes the status of messages: each status once, whoever sees it first.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { statusEvent } from '../../conversations/contract/envelope.ts';
import type { AnnounceRule } from '../../outbox/contract/announce.ts';
import { putOutbox } from '../../outbox/store/outbox.ts';
import type { DeliveryRow } from './deliveries.ts';
import { movesOn } from './delivery-status.ts';

/** The account's conversations and the sinks that receive events about them. */
export interface Announcing {
  readonly account: string;
  readonly rules: readonly AnnounceRule[];
}

/**
 * Puts `message.status` of each message into the outbox, and stores the status in `messages`, so that the poller does
 * not publish the same change again. All messages have a conversation.
 * @returns sinks that have something to send
 */
export async function publishStatuses(
  tx: Queryable,
  { account, rules }: Announcing,
  rows: readonly DeliveryRow[],
  now: Date,
): Promise<string[]> {
  if (rows.length === 0) return [];
  await markPublished(tx, account, rows);
  const found = await tx.query<{ id: number; connection: number }>(
    'select id, connection_id as connection from conversations where account = $1 and id = any($2)',
    [account, rows.map(({ conversation_id }) => conversation_id)],
  );
  const connections = new Map(found.map(({ id, connection }) => [id, connection]));
  const published = rows.map((row) => {
    const conversation = row.conversation_id as number;
    const { message_id: id, event_id, status, published: previous, ack } = row;
    const change = { key: keyOf(row), id, status, previous, ack, event: event_id };
    return {
      event: statusEvent({ account, conversation }, change, now.toISOString()),
      connection: connections.get(conversation) ?? null,
    };
  });
  return await putOutbox(tx, account, rules, published);
}

async function markPublished(tx: Queryable, account: string, rows: readonly DeliveryRow[]): Promise<void> {
  const known = await tx.query<{ conversation_id: number; key: string; status: string | null }>(
    `select conversation_id, key, status from messages
      where account = $1 and (conversation_id, key) in
            (select c, k from unnest($2::bigint[], $3::text[]) as published(c, k))
      order by conversation_id, key for update`,
    [account, rows.map(({ conversation_id }) => conversation_id), rows.map(keyOf)],
  );
  const statuses = new Map(rows.map((row) => [`${row.conversation_id} ${keyOf(row)}`, row.status]));
  const news = known.flatMap(({ conversation_id, key, status }) => {
    const published = statuses.get(`${conversation_id} ${key}`) as string;
    return movesOn(status, published) ? [{ conversation_id, key, status: published }] : [];
  });
  if (news.length === 0) return;
  await tx.query(
    `update messages m set status = r.status
       from jsonb_to_recordset($2::jsonb) as r(conversation_id bigint, key text, status text)
      where m.account = $1 and m.conversation_id = r.conversation_id and m.key = r.key`,
    [account, toJson(news)],
  );
}

/** The message's position in a conversation: `HistoryMessage.key`. */
function keyOf({ message_id }: DeliveryRow): string {
  return `id:${message_id}`;
}
