// Deletes outgoing events that a sink refused for good, long after the last attempt.
import type { Queryable } from '../../../core/sql/database.ts';

/**
 * Deletes dead events that were last tried more than `days` ago.
 * @returns the number of rows; a further call may find more
 */
export async function forgetDead(db: Queryable, days: number, limit = 5000): Promise<number> {
  const rows = await db.query(
    `delete from outbox where (sink, seq) in (
       select sink, seq from outbox
        where state = 'dead' and coalesce(tried_at, created_at) < now() - make_interval(secs => $1::float8 * 86400)
        order by coalesce(tried_at, created_at) limit $2)
       -- Checks again under the lock, because an operator may have sent it again meanwhile.
       and state = 'dead' returning 1`,
    [days, limit],
  );
  return rows.length;
}
