// Failed events that somebody corrects: a new event takes the place of the old one, which never runs again.

import type { Queryable } from '../../../core/sql/database.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';
import type { EventRequest } from '../contract/intake.ts';

/** A corrected event runs, or has run, in place of the row of `events`. */
export const IS_REPLACED = `exists (select 1 from events new where new.id = events.replaced_by and new.state <> 'received')`;
const IS_STORED = 'exists (select 1 from events new where new.id = events.replaced_by)';
/**
 * The same, or it is stored and may have started: Temporal's answer was lost. Or somebody stores it at this moment, which
 * a crash ends after a minute.
 */
export const IS_BEING_REPLACED = `(replaced_by is not null and (replaced_at > now() - interval '1 minute'
  or ${IS_STORED}))`;

/** Id of the event that takes the place of another: the same for the same correction. */
export function replacementId(event: string, request: EventRequest): string {
  return shortHash(JSON.stringify(['replaces', event, request]));
}

/**
 * Reserves the place of a failed event for a corrected one, so that no other correction and no retry takes it.
 * @returns false if the event has not failed, or something else takes its place
 */
export async function claimReplacement(db: Queryable, event: string, replacement: string): Promise<boolean> {
  const rows = await db.query(
    `update events set replaced_by = $2, replaced_at = now()
      where id = $1 and state = 'ended' and outcome = 'failed' and request is not null
        and (replaced_by = $2 or not ${IS_BEING_REPLACED}) returning 1`,
    [event, replacement],
  );
  return rows.length > 0;
}

/** Gives back the place of an event whose correction was not even stored: one that is may have started. */
export async function releaseReplacement(db: Queryable, event: string, replacement: string): Promise<void> {
  await db.query(
    `update events set replaced_by = null, replaced_at = null
      where id = $1 and replaced_by = $2 and not ${IS_STORED}`,
    [event, replacement],
  );
}

/** Ends the old event for good: it is no failure any more, and its request is not needed. */
export async function settleReplacement(db: Queryable, event: string, replacement: string): Promise<void> {
  await db.query(
    `update events set outcome = 'superseded', request = null
      where id = $1 and replaced_by = $2 and state = 'ended' and outcome = 'failed'`,
    [event, replacement],
  );
}
