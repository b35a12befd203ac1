// Messages that Sluice sent, as operators see them.
import type { DeliveryEntry, DeliveryFilter } from '../contracts/delivery.ts';
import type { Queryable } from './database.ts';

const iso = (column: string, name: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "${name}"`;

/** The newest first. */
export async function listDeliveries(db: Queryable, filter: DeliveryFilter): Promise<DeliveryEntry[]> {
  const { event = null, ids = null, account = null, open = null, limit } = filter;
  return await db.query<DeliveryEntry>(
    `select event_id as event, account, message_id as "messageId", conversation_id as conversation, status, ack,
            ${iso('sent_at', 'sentAt')}, ${iso('checked_at', 'checkedAt')}, ${iso('next_at', 'nextAt')},
            ${iso('deadline', 'deadline')}, end_code as "endCode"
       from deliveries
      where ($1::text is null or event_id = $1) and ($2::text[] is null or message_id = any($2))
        and ($3::text is null or account = $3) and ($4::boolean is null or (next_at is not null) = $4)
      order by sent_at desc, message_id limit $5`,
    [event, ids, account, open, limit],
  );
}
