// Looking at messages that are followed: which one next, what a check has shown, and what is to be published.
import type { Queryable } from '../database.ts';
import { type DeliveryRow, isUnpublished, saveDeliveries, scheduled, sighted } from './deliveries.ts';
import { type Announcing, publishStatuses } from './delivery-publication.ts';
import { CHECK_SPREAD, isFinalStatus } from './delivery-status.ts';

/** Messages published in one transaction. */
const PUBLISHED_AT_ONCE = 200;
/** An account may refuse the last check: it is tried for so long after the deadline. */
const LAST_CHECK_HOURS = 24;

/**
 * Tells what others have seen of messages that are followed, and ends what is over; none of it needs a call.
 * @param besides checks that are in hand: they do not decide when to come back
 * @returns sinks that have something to do, and when to come back: to check, or here; null: nothing else is followed
 */
export async function settleDeliveries(
  tx: Queryable,
  announcing: Announcing,
  now: Date,
  besides: Excluded = NOBODY,
): Promise<{ sinks: string[]; nextAt: Date | null }> {
  const { account } = announcing;
  const due = await tx.query<DeliveryRow>(
    `select * from deliveries
      where account = $1 and next_at <= $2
        and (status in ('read', 'failed') or (conversation_id is not null and published is distinct from status))
      order by message_id limit ${PUBLISHED_AT_ONCE} for update`,
    [account, now],
  );
  const news = due.filter(isUnpublished);
  const sinks = await publishStatuses(tx, announcing, news, now);
  const published = news.map((row) => scheduled({ ...row, published: row.status }, now));
  // Nobody can be published of a message whose conversation is not known.
  const over = due.filter((row) => !isUnpublished(row) && isFinalStatus(row.status));
  await saveDeliveries(tx, [...published, ...over.map((row) => scheduled(row, now))]);
  await tx.query(
    `update deliveries set next_at = null, end_code = 'DEADLINE'
      where account = $1 and next_at <= $2::timestamptz
        and deadline < $2::timestamptz - interval '${LAST_CHECK_HOURS} hours'`,
    [account, now],
  );
  const [next] = await tx.query<{ at: Date | null }>(
    `select min(next_at) as at from deliveries
      where account = $1 and next_at is not null
        and message_id <> all($2) and (conversation_id is null or conversation_id <> all($3))`,
    [account, besides.messages, besides.conversations],
  );
  return { sinks, nextAt: next?.at ?? null };
}

/** The next check: at one message, or at the newest page of a conversation. */
export type DueCheck = MessageCheck | PageCheck;
export interface PageCheck {
  readonly conversation: number;
}
export interface MessageCheck {
  readonly message: string;
  /** A page of this conversation may show it, too; null: none is known, or its page did not. */
  readonly shownIn: number | null;
}

/** Messages and conversations that are left out. */
export interface Excluded {
  readonly messages: readonly string[];
  readonly conversations: readonly number[];
}

const NOBODY: Excluded = { messages: [], conversations: [] };

/** Rows that are read to find a few checks: many may be of one conversation. */
const DUE_ROWS = 50;

/**
 * The checks that have been due longest, at most `limit`. A message whose status was seen and is still to be published
 * needs none: `settleDeliveries` is next. When others of a message's conversation are due as well, or so
 * soon that a check now replaces theirs, the conversation's newest page shows them all for one call.
 */
export async function dueChecks(
  db: Queryable,
  account: string,
  now: Date,
  limit: number,
  besides: Excluded = NOBODY,
): Promise<DueCheck[]> {
  const rows = await db.query<
    Pick<DeliveryRow, 'message_id' | 'conversation_id' | 'alone' | 'status' | 'published'> & {
      together: boolean;
    }
  >(
    `select message_id, conversation_id, alone, status, published,
            (select count(*) > 1 and not bool_or(o.alone) from deliveries o
              where o.account = d.account and o.conversation_id = d.conversation_id
                and o.next_at <= $2::timestamptz + ($2::timestamptz - o.sent_at) * ${CHECK_SPREAD}) as together
       from deliveries d
      where account = $1 and next_at <= $2 and status not in ('read', 'failed')
        and message_id <> all($3) and (conversation_id is null or conversation_id <> all($4))
      order by next_at, message_id limit ${DUE_ROWS}`,
    [account, now, besides.messages, besides.conversations],
  );
  const dueChecks = new Map<string, DueCheck>();
  for (const row of rows) {
    if (isUnpublished(row)) continue;
    const { message_id: message, conversation_id: conversation, alone, together } = row;
    if (together && conversation !== null) dueChecks.set(`page ${conversation}`, { conversation });
    else dueChecks.set(`message ${message}`, { message, shownIn: alone ? null : conversation });
  }
  return [...dueChecks.values()].slice(0, limit);
}

/** What a check says of one message. */
export type Shown =
  | { readonly status: string; readonly ack: number | null }
  /** The service does not have it: it may not have it yet. */
  | 'absent'
  /** A page that does not tell how far it is: it is asked for by itself. */
  | 'unshown'
  /** The check came to nothing; the next one comes by the schedule. */
  | 'nothing'
  /** No look will ever tell. */
  | { readonly end: string };

/**
 * Writes down what a check has shown; `settleDeliveries` tells it.
 * @param shown of a message by its id
 * @param account settleSeconds: so long after sending the service may not have the message yet
 */
export async function recordCheck(
  tx: Queryable,
  account: { readonly name: string; readonly settleSeconds: number },
  check: DueCheck,
  shown: (messageId: string) => Shown,
  now: Date,
): Promise<void> {
  const { name, settleSeconds } = account;
  const isPage = 'conversation' in check;
  const rows = await tx.query<DeliveryRow>(
    `select * from deliveries
      where account = $1 and ${isPage ? 'conversation_id' : 'message_id'} = $2 and next_at is not null
      order by message_id for update`,
    [name, isPage ? check.conversation : check.message],
  );
  const after = rows.map((row) => afterCheck(row, shown(row.message_id), { isPage, settleSeconds }, now));
  await saveDeliveries(tx, after);
}

function afterCheck(
  row: DeliveryRow,
  shown: Shown,
  { isPage, settleSeconds }: { readonly isPage: boolean; readonly settleSeconds: number },
  now: Date,
): DeliveryRow {
  const age = now.getTime() - row.sent_at.getTime();
  // What a page shows beside those that it was read for is free.
  const isDue = !isPage || (row.next_at as Date).getTime() <= now.getTime() + age * CHECK_SPREAD;
  const checked = { ...row, checks: row.checks + (isDue ? 1 : 0) };
  if (typeof shown === 'object' && 'status' in shown) return sighted(checked, shown, now);
  if (!isDue) return row;
  if (typeof shown === 'object') return { ...checked, next_at: null, end_code: shown.end };
  if (shown === 'nothing' || (shown === 'absent' && age <= settleSeconds * 1000))
    return scheduled(checked, now);
  if (isPage) return { ...row, alone: true };
  return { ...checked, next_at: null, end_code: 'NOT_FOUND' };
}
