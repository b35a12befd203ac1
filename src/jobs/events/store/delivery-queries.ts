// Messages that Sluice sent, as operators see them.

import { pageOf } from '../../../core/page.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';
import type { DeliveryEntry } from '../contract/events.ts';

const iso = (column: string, name: string) => `${isoText(column)} as "${name}"`;

export interface DeliveryFilter {
  readonly event?: string | undefined;
  readonly account?: string | undefined;
  readonly conversation?: number | undefined;
  /** Messages that are still followed (true), or no longer (false). */
  readonly open?: boolean | undefined;
}

export interface DeliveryPage {
  readonly messages: DeliveryEntry[];
  /** Null: these are all. */
  readonly next: string | null;
}

/** Newest first. @param before `next` of the page before */
export async function listDeliveries(
  db: Queryable,
  { event, account, conversation, open }: DeliveryFilter,
  { limit, before = null }: { readonly limit: number; readonly before?: string | null },
): Promise<DeliveryPage> {
  const [sentBefore = null, hash = null] = before === null ? [] : before.split('_', 2);
  type Row = Omit<DeliveryEntry, 'message'> & { readonly id: string; readonly cursor: string };
  const rows = await db.query<Row>(
    `select event_id as event, account, message_id as id, conversation_id as conversation, status, ack,
            ${iso('sent_at', 'sentAt')}, ${iso('checked_at', 'checkedAt')}, ${iso('next_at', 'nextAt')},
            ${iso('deadline', 'deadline')}, end_code as "endCode",
            to_char(sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '_' || md5(message_id) as cursor
       from deliveries
      where ($1::text is null or event_id = $1) and ($2::text is null or account = $2)
        and ($3::boolean is null or (next_at is not null) = $3)
        and ($7::bigint is null or conversation_id = $7)
        and ($4::timestamptz is null
             or sent_at <= $4::timestamptz and (sent_at < $4::timestamptz or md5(message_id) < $5::text))
      order by sent_at desc, md5(message_id) desc limit $6`,
    [event ?? null, account ?? null, open ?? null, sentBefore, hash, limit + 1, conversation ?? null],
  );
  const { page, next } = pageOf(rows, limit, ({ cursor }) => cursor);
  return { messages: page.map(({ id, ...row }) => ({ ...row, message: shortHash(id) })), next };
}
