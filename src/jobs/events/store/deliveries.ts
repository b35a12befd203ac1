// Messages that Sluice sent. It follows them until they are read, have failed, or three days have passed.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { DELIVERY_DEADLINE_MS, isFinalStatus, movesOn, nextCheck } from './delivery-status.ts';

export interface DeliveryRow {
  readonly account: string;
  readonly message_id: string;
  readonly event_id: string;
  readonly conversation_id: number | null;
  readonly status: string;
  readonly ack: number | null;
  /** The status last published to sinks. If it is behind `status`, the new one still has to be published. */
  readonly published: string | null;
  readonly sent_at: Date;
  readonly checks: number;
  readonly checked_at: Date | null;
  /** When to check or publish next; null when it is over. */
  readonly next_at: Date | null;
  readonly deadline: Date;
  /** The conversation's history does not show the message, so Sluice checks it separately. */
  readonly alone: boolean;
  readonly end_code: string | null;
}

export interface FollowInput {
  readonly account: string;
  /** The event that sent the messages. */
  readonly event: string;
  /** Null when not known yet. */
  readonly conversation: number | null;
  readonly messages: readonly { readonly id: string; readonly status: string; readonly ack: number | null }[];
  /** @default now */
  readonly sentAt?: Date;
}

/**
 * Follows these messages from now on. Already followed ones do not change. Call it in the transaction that records
 * what was sent; `wakeDelivery` comes after it. A message that failed at once is not checked, only published.
 * @param now
 * @default the clock of this process
 */
export async function followMessages(tx: Queryable, input: FollowInput, now = new Date()): Promise<void> {
  const { account, event, conversation, messages } = input;
  const sentAt = input.sentAt ?? now;
  const deadline = new Date(sentAt.getTime() + DELIVERY_DEADLINE_MS);
  const rows = messages.map(({ id, status, ack }) => {
    const over = isFinalStatus(status);
    const next_at = over ? now : (nextCheck({ status, sentAt, deadline }, now) ?? now);
    return { message_id: id, status, ack, published: over ? null : status, next_at };
  });
  await tx.query(
    `insert into deliveries (account, event_id, conversation_id, sent_at, deadline, message_id, status, ack, published, next_at)
     select $1, $2, $3::bigint, $4::timestamptz, $5::timestamptz, message_id, status, ack, published, next_at
       from jsonb_to_recordset($6::jsonb)
         as r(message_id text, status text, ack int, published text, next_at timestamptz)
     on conflict (account, message_id) do nothing`,
    [account, event, conversation, sentAt, deadline, toJson(rows)],
  );
}

export interface SeenStatus {
  /** The service's id of the message, not its key. */
  readonly messageId: string;
  /** Null when the item has no status. */
  readonly status: string | null;
  readonly ack: number | null;
}

/**
 * Takes the statuses of followed messages from a page that was read anyway, which saves a check. Call it in the
 * page's transaction, before the page is written into `messages`: the caller publishes the change of a message that
 * is already there, and the delivery watch publishes any other change. (If it is called later, both publish it, under
 * one event id.) `movesOn` decides whether a status is news.
 * @returns messages that are or were followed: id of the message → id of the event that sent it
 */
export async function noteSeenStatuses(
  tx: Queryable,
  account: string,
  conversation: number,
  seen: readonly SeenStatus[],
  now = new Date(),
): Promise<ReadonlyMap<string, string>> {
  if (seen.length === 0) return new Map();
  const rows = await tx.query<DeliveryRow & { page_status: string | null; on_page: boolean }>(
    `select d.*, m.status as page_status, m.key is not null as on_page
       from deliveries d
       left join messages m on m.account = d.account and m.conversation_id = $3 and m.key = 'id:' || d.message_id
                           and m.item is null
      where d.account = $1 and d.message_id = any($2) order by d.message_id for update of d`,
    [account, seen.map(({ messageId }) => messageId), conversation],
  );
  const byId = new Map(seen.map((each) => [each.messageId, each]));
  const changed = rows.flatMap((row) => {
    const { status, ack } = byId.get(row.message_id) as SeenStatus;
    if (status === null) return [];
    const callerPublishes = row.on_page && movesOn(row.page_status, status) && movesOn(row.published, status);
    const published = callerPublishes ? status : row.published;
    return [{ ...sighted({ ...row, conversation_id: conversation, published }, { status, ack }, now) }];
  });
  await saveDeliveries(tx, changed);
  return new Map(rows.map(({ message_id, event_id }) => [message_id, event_id]));
}

/**
 * The row after its status was seen, advanced or unchanged. A status that must still be published is due at once and
 * needs no call. A finished row does not change.
 */
export function sighted(
  row: DeliveryRow,
  seen: { readonly status: string; readonly ack: number | null },
  now: Date,
): DeliveryRow {
  const news = movesOn(row.status, seen.status);
  const status = news ? seen.status : row.status;
  const ack = news || seen.status === row.status ? (seen.ack ?? row.ack) : row.ack;
  const after = { ...row, status, ack, checked_at: now };
  if (row.next_at === null) return after;
  if (isUnpublished(after)) return { ...after, next_at: now };
  return scheduled(after, now);
}

/** Sets the time of the next check, or the reason why it is over. */
export function scheduled(row: DeliveryRow, now: Date): DeliveryRow {
  if (isFinalStatus(row.status)) return { ...row, next_at: null };
  const { status, sent_at: sentAt, deadline } = row;
  const next_at = nextCheck({ status, sentAt, deadline }, now);
  return next_at === null ? { ...row, next_at, end_code: 'DEADLINE' } : { ...row, next_at };
}

/** A status can be published only once its conversation is known, because that is where an event has its place. */
export function isUnpublished(row: Pick<DeliveryRow, 'conversation_id' | 'published' | 'status'>): boolean {
  return row.conversation_id !== null && movesOn(row.published, row.status);
}

/** Whether one of the messages that the event sent is still followed. */
export async function isFollowed(db: Queryable, event: string): Promise<boolean> {
  const rows = await db.query(
    'select 1 from deliveries where event_id = $1 and next_at is not null limit 1',
    [event],
  );
  return rows.length > 0;
}

export async function saveDeliveries(tx: Queryable, rows: readonly DeliveryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `update deliveries d
        set conversation_id = r.conversation_id, status = r.status, ack = r.ack, published = r.published, checks = r.checks,
            checked_at = r.checked_at, next_at = r.next_at, alone = r.alone, end_code = r.end_code
       from jsonb_to_recordset($1::jsonb)
         as r(account text, message_id text, conversation_id bigint, status text, ack int, published text, checks int,
              checked_at timestamptz, next_at timestamptz, alone boolean, end_code text)
      where d.account = r.account and d.message_id = r.message_id`,
    [toJson(rows)],
  );
}
