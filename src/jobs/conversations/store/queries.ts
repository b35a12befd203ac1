// Conversations as operators see them. Names, numbers and texts are personal: the caller masks them.

import { CONVERSATION_ITEM, MESSAGE_ITEM } from '../../../core/encryption/columns.ts';
import { decryptValue } from '../../../core/encryption/values.ts';
import { pageOf } from '../../../core/page.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { ConversationSummary, KnownMessage } from '../contract/conversations.ts';

export interface ConversationFilter {
  readonly account?: string | undefined;
  readonly poller?: string | undefined;
  readonly status?: string | undefined;
  /** Only those that wait for an answer. */
  readonly waiting?: boolean | undefined;
}

interface Page {
  readonly limit: number;
  /** `next` of the page before. */
  readonly before?: string | null;
}

/** The contact wrote last, as far as the ledger knows. A message that waits to be published counts. */
const IS_WAITING = `(inbound_at is not null and item->'state'->>'status' <> 'closed' and not exists (
    select 1 from messages m where m.account = c.account and m.conversation_id = c.id
       and coalesce(m.from_me, (m.item->>'fromMe')::boolean) and coalesce(m.at, (m.item->>'at')::timestamptz) >= c.inbound_at))`;

const SUMMARY = `account, id, poller, item->'state'->>'status' as status, channel,
  json_build_object('id', connection_id, 'name', item->'state'->'connection'->>'name') as connection,
  (item->'state'->'contact'->>'id')::bigint as "contactId", item->'state'->'contact'->>'name' as name,
  item->'state'->'contact'->>'number' as number, (item->'state'->>'chatbot')::boolean as chatbot,
  (item->'state'->>'userId')::bigint as "userId", (item->'state'->>'queueId')::bigint as "queueId",
  item->'lastMessage' as "lastMessage", ${isoText('updated_at')} as "updatedAt", ${isoText('inbound_at')} as "inboundAt",
  ${isoText(`case when ${IS_WAITING} then inbound_at end`)} as "waitingSince", todo_at is not null as todo`;

/** Most recently changed first, or the longest wait first. The cursor is `{time}_{conversation}_{account}`. */
export async function listConversations(
  db: Queryable,
  { account, poller, status, waiting = false }: ConversationFilter,
  { limit, before = null }: Page,
): Promise<{ conversations: ConversationSummary[]; next: string | null }> {
  const [, at = null, id = null, of = null] = /^([^_]+)_(\d+)_(.*)$/s.exec(before ?? '') ?? [];
  const [time, after, order] = waiting ? ['inbound_at', '>', 'asc'] : ['updated_at', '<', 'desc'];
  const rows = await db.query<ConversationSummary & { readonly cursor: string }>(
    `select ${SUMMARY},
            to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '_' || id || '_' || account as cursor
       from conversations c
      where ${waiting ? `${IS_WAITING} and ` : ''}($1::text is null or account = $1) and ($2::text is null or poller = $2)
        and ($3::text is null or item->'state'->>'status' = $3)
        and ($4::timestamptz is null
             or ${time} ${after}= $4::timestamptz
                and (${time}, id, account) ${after} ($4::timestamptz, $5::bigint, $6::text))
      order by ${time} ${order}, id ${order}, account ${order} limit $7`,
    [account ?? null, poller ?? null, status ?? null, at, id, of, limit + 1],
  );
  const { page, next } = pageOf(rows, limit, ({ cursor }) => cursor);
  return { conversations: page.map((row) => decrypted(db, row)), next };
}

export async function findConversation(
  db: Queryable,
  account: string,
  id: number,
): Promise<ConversationSummary | null> {
  const [row] = await db.query<ConversationSummary>(
    `select ${SUMMARY} from conversations c where account = $1 and id = $2`,
    [account, id],
  );
  return row === undefined ? null : decrypted(db, row);
}

function decrypted<T extends Pick<ConversationSummary, 'account' | 'id' | 'lastMessage'>>(
  db: Queryable,
  row: T,
): T {
  const { account, id, lastMessage } = row;
  return { ...row, ...decryptValue(db, CONVERSATION_ITEM, [account, id], { lastMessage }) };
}

/** Newest first. A text is there only until the message is published. */
export async function listMessages(
  db: Queryable,
  { account, id }: { readonly account: string; readonly id: number },
  { limit, before = null }: Page,
): Promise<{ messages: KnownMessage[]; next: string | null }> {
  const rows = await db.query<
    Omit<KnownMessage, 'text'> & { key: string; item: { body: string | null } | null }
  >(
    `select seq, key, item, coalesce(${isoText('at')}, item->>'at') as at, coalesce(from_me, (item->>'fromMe')::boolean) as "fromMe",
            coalesce(status, item->>'status') as status, item is null as published
       from messages
      where account = $1 and conversation_id = $2 and ($3::bigint is null or seq < $3::bigint)
      order by seq desc limit $4`,
    [account, id, before, limit + 1],
  );
  const { page, next } = pageOf(rows, limit, ({ seq }) => String(seq));
  const messages = page.map(({ key, item, ...row }) => ({
    ...row,
    text: decryptValue(db, MESSAGE_ITEM, [account, id, key], item)?.body ?? null,
  }));
  return { messages, next };
}
