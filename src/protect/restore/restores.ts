// Whether the ledger is a restored one, and since when an operator knows what happened after its backup.

import { toJson } from '../../core/json/stored-json.ts';
import type { Queryable } from '../../core/sql/database.ts';
import { isoText } from '../../core/sql/iso-text.ts';

/** Number of things that a restore marked, because they may have gone on after the backup. */
export interface RestoreCounts {
  /** Runs of syncs that were ended. The next run reads everything again. */
  readonly runs: number;
  /** Events that have not ended. Their effects are read back before anything is sent. */
  readonly events: number;
  /** Plans and runs of campaigns that were ended. */
  readonly campaigns: number;
  /** Their members whose outcome is unknown. */
  readonly members: number;
}

export interface Restore {
  /** The moment of the backup, ISO 8601. */
  readonly restoredTo: string;
  readonly at: string;
  readonly counts: RestoreCounts;
}

/** The restore that no operator has ended; null when there is none. Of several, the one with the oldest backup. */
export async function openRestore(db: Queryable): Promise<Restore | null> {
  const [row] = await db.query<Restore>(
    `select ${isoText('restored_to')} as "restoredTo", ${isoText('at')} as at, counts
       from restores where ended_at is null order by restored_to limit 1`,
  );
  return row ?? null;
}

export async function addRestore(tx: Queryable, restoredTo: Date, counts: RestoreCounts): Promise<void> {
  await tx.query('insert into restores (restored_to, counts) values ($1, $2::jsonb)', [
    restoredTo,
    toJson(counts),
  ]);
}

/**
 * Ends the restore. From now on, Sluice trusts the ledger.
 * @returns false when there is none
 */
export async function endRestore(db: Queryable, by: string): Promise<boolean> {
  const rows = await db.query(
    'update restores set ended_at = now(), ended_by = $1 where ended_at is null returning 1',
    [by],
  );
  return rows.length > 0;
}
