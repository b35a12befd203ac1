// The clock of the ledger's database. Workers on several machines agree by it when a lease, a window or a campaign ends.
import type { Queryable } from './database.ts';

/** A reading is used for this long. Clocks of machines drift by less than 1 ms in that time. */
const READING_MS = 5000;

/**
 * Reads the database's clock, and adds the time that has passed since.
 * @param elapsed milliseconds of a monotonic clock
 */
export function ledgerClock(
  db: Queryable,
  elapsed: () => number = () => performance.now(),
): { now(): Promise<number> } {
  let reading: Promise<{ readonly at: number; readonly offset: number }> | null = null;
  let expires = Number.NEGATIVE_INFINITY;

  async function read() {
    const sent = elapsed();
    const [row] = await db.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    );
    if (row === undefined) throw new Error('the ledger answered no time');
    const at = elapsed();
    return { at, offset: row.ms - (sent + at) / 2 };
  }

  return {
    async now() {
      if (reading === null || elapsed() >= expires) {
        const next = read();
        reading = next;
        expires = Number.POSITIVE_INFINITY;
        next.then(
          ({ at }) => {
            expires = at + READING_MS;
          },
          () => {
            // The next caller asks again. This one gets the error below.
            reading = null;
          },
        );
      }
      const { offset } = await reading;
      return Math.floor(elapsed() + offset);
    },
  };
}
