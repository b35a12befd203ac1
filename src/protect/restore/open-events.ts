// The events of a restored ledger that have not ended.
import type { Queryable } from '../../core/sql/database.ts';
import type { EventRow } from '../../jobs/events/store/events.ts';

export type OpenEvent = Pick<EventRow, 'seq' | 'id' | 'account' | 'route' | 'action'>;

/** In the order of their arrival. */
export async function openEventsAfter(db: Queryable, seq: number, limit: number): Promise<OpenEvent[]> {
  return await db.query<OpenEvent>(
    `select seq, id, account, route, action from events where state <> 'ended' and seq > $1 order by seq limit $2`,
    [seq, limit],
  );
}
