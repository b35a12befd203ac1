// Checks of followed messages: which one is next, what a check has shown, and what must be published.
import type { Queryable } from '../../../core/sql/database.ts';
import { type DeliveryRow, isUnpublished, saveDeliveries, scheduled, sighted } from './deliveries.ts';
import { type Announcing, publishStatuses } from './delivery-publication.ts';
import { CHECK_SPREAD, isFinalStatus } from './delivery-status.ts';

/** Messages published in one transaction. */
const PUBLISHED_AT_ONCE = 200;
/** The account may refuse the last check. Sluice retries it for this many hours after the deadline. */
const LAST_CHECK_HOURS = 24;

/**
 * Publishes statuses of followed messages that other readings have seen, and ends those that are over. It makes no
 * API call.
 * @param besides checks under way; they do not affect when to come back
 * @returns sinks that have something to send, and when to check or come back; null when nothing else is followed
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
  // A status cannot be published while the message's conversation is unknown.
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

/** The next check: of one message, or of the newest page of a conversation. */
export type DueCheck = MessageCheck | PageCheck;
export interface PageCheck {
  readonly conversation: number;
}
export interface MessageCheck {
  readonly message: string;
  /** A page of this conversation may show it too; null when none is known, or when its page did not show it. */
  readonly shownIn: number | null;
}

/** Messages and conversations to leave out. */
export interface Excluded {
  readonly messages: readonly string[];
  readonly conversations: readonly number[];
}

const NOBODY: Excluded = { messages: [], conversations: [] };

/** Rows to read for a few checks, because many may be of one conversation. */
const DUE_ROWS = 50;

/**
 * The checks that have been due longest, at most `limit`. A message whose status was seen but not published needs
 * none: `settleDeliveries` is next. If other messages of the conversation are due as well, or so soon that a check
 * now replaces theirs, the conversation's newest page shows all of them in one call.
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

/** What a check shows about one message. */
export type Shown =
  | { readonly status: string; readonly ack: number | null }
  /** The service does not have the message, perhaps not yet. */
  | 'absent'
  /** The page does not show the message's status, so it is checked separately. */
  | 'unshown'
  /** The check showed nothing. The next one follows the schedule. */
  | 'nothing'
  /** No later check can show anything. */
  | { readonly end: string };

/**
 * Records what a check has shown. `settleDeliveries` publishes it.
 * @param shown results by message id
 * @param account settleSeconds: for this long after sending, the service may not have the message yet
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
  // A page shows other messages than those it was read for, at no cost.
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
