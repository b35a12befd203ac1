// The clock of the embedded ledger counts milliseconds, and two statements fit into one.
import type { Queryable } from '../../src/core/sql/database.ts';

/** Returns when the clock of the ledger shows another millisecond. */
export async function clockMoves(db: Queryable): Promise<void> {
  const now = async () => (await db.query<{ at: Date }>('select clock_timestamp() as at'))[0]?.at.getTime();
  const before = await now();
  while ((await now()) === before);
}
