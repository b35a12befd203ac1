// Operator queries about messages that Sluice sent.
import type { DeliveryEntry, DeliveryFilter } from '../../contracts/wire/delivery.ts';
import type { Queryable } from '../database.ts';
import { isoText } from '../iso-text.ts';
import { shortHash } from '../short-hash.ts';

const iso = (column: string, name: string) => `${isoText(column)} as "${name}"`;

/** Newest first. */
export async function listDeliveries(db: Queryable, filter: DeliveryFilter): Promise<DeliveryEntry[]> {
  const { event = null, account = null, open = null, limit } = filter;
  const rows = await db.query<Omit<DeliveryEntry, 'message'> & { readonly id: string }>(
    `select event_id as event, account, message_id as id, conversation_id as conversation, status, ack,
            ${iso('sent_at', 'sentAt')}, ${iso('checked_at', 'checkedAt')}, ${iso('next_at', 'nextAt')},
            ${iso('deadline', 'deadline')}, end_code as "endCode"
       from deliveries
      where ($1::text is null or event_id = $1) and ($2::text is null or account = $2)
        and ($3::boolean is null or (next_at is not null) = $3)
      order by sent_at desc, message_id limit $4`,
    [event, account, open, limit],
  );
  return rows.map(({ id, ...row }) => ({ ...row, message: shortHash(id) }));
}
