// Deletes what the ledger remembers of conversations that nobody has written in for long. The conversation stays, with
// the time up to which its messages are deleted, so that the poller does not publish them again.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';

/** Newest messages that stay: the poller recognizes by them what it has published. */
const KEPT = 20;
/** Conversations per statement, for each 100 rows that it may delete. A conversation has at most a few hundred. */
const ROWS_EACH = 100;

export interface ForgottenMessages {
  /** Number of rows. */
  readonly deleted: number;
  /** Last change of the conversations that were handled, where the next call continues; null: none is left. */
  readonly next: string | null;
}

/**
 * Deletes the messages of conversations that last changed more than `days` ago, except the newest ones and those
 * without a time. Skips a conversation that the poller is reading or still has to read.
 * @param after `next` of the call before
 */
export async function forgetMessages(
  db: Queryable,
  days: number,
  limit: number,
  after: string | null,
): Promise<ForgottenMessages> {
  const [row] = await db.query<ForgottenMessages>(
    `with quiet as materialized (
       select account, id, updated_at from conversations
        where updated_at > coalesce($2::timestamptz, '-infinity')
          and updated_at < now() - make_interval(secs => $1::float8 * 86400)
        -- Conversations with the same time stay together, because the next call continues after that time.
        order by updated_at fetch first $3 rows with ties
     ), own as materialized (
       select c.account, c.id from conversations c join quiet q on q.account = c.account and q.id = c.id
        where c.todo_at is null and c.reading is null and c.seen is not null
          and not exists (select 1 from poll_gaps g where g.account = c.account and g.conversation_id = c.id and g.assumed is not null)
          for update of c skip locked
     ), gone as (
       delete from messages m
        using own o, lateral (
          select at, seq from messages n where n.account = o.account and n.conversation_id = o.id and n.item is null
           order by seq desc offset ${KEPT - 1} limit 1) edge
        where m.account = o.account and m.conversation_id = o.id and m.item is null
          and m.seq < edge.seq and m.at < edge.at
       returning m.account, m.conversation_id, m.at
     ), marked as (
       update conversations c
          set seen = c.seen || jsonb_build_object('pruned', greatest(c.seen ->> 'pruned', g.at))
         from (select account, conversation_id, ${isoText('max(at)')} as at from gone group by 1, 2) g
        where c.account = g.account and c.id = g.conversation_id
     )
     select (select count(*)::int from gone) as deleted, (select max(updated_at)::text from quiet) as next`,
    [days, after, Math.max(1, Math.floor(limit / ROWS_EACH))],
  );
  return row as ForgottenMessages;
}

/**
 * Deletes notes of gaps that were last seen more than `days` ago, unless something is still unreadable there.
 * @returns the number of rows; a further call may find more
 */
export async function forgetGaps(db: Queryable, days: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from poll_gaps where id in (
       select id from poll_gaps where assumed is null and last_at < now() - make_interval(secs => $1::float8 * 86400)
        order by id limit $2) returning 1`,
    [days, limit],
  );
  return rows.length;
}
