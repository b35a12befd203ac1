// Events whose outcome is unknown and of which a person knows that they took effect.
import type { Database } from '../../../core/sql/database.ts';
import { endEvent } from './event-end.ts';
import { EVENT_KINDS } from './events.ts';

/**
 * Ends these events as done, so that nobody repeats them.
 * @returns the ids of the events that were unknown; others do not change
 */
export async function resolveUnknownEvents(db: Database, ids: readonly string[]): Promise<string[]> {
  return await db.transaction(async (tx) => {
    const rows = await tx.query<{ id: string }>(
      `select id from events where id = any($1) and state = 'ended' and outcome = 'unknown' order by id for update`,
      [ids],
    );
    const found = rows.map(({ id }) => id);
    await tx.query(
      `update intents set state = 'done', detail = null
        where kind in (${EVENT_KINDS}) and subject = any($1) and state = 'unknown'`,
      [found],
    );
    for (const id of found) await endEvent(tx, id, { outcome: 'done' });
    return found;
  });
}
