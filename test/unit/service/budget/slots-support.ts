// Slots as the ledger grants them: one question of a process, and the schedule that came of all questions.
import { randomBytes } from 'node:crypto';
import { LANES } from '../../../../src/core/lanes.ts';
import type { Database, Queryable } from '../../../../src/core/sql/database.ts';
import { takeSlots } from '../../../../src/service/budget/statements.ts';

export const freshToken = () => randomBytes(8).toString('hex');
export const planOf = (limit: number) => ({ limit, reply: 0, lead: 0, floor: 0 });

/**
 * One question to the ledger, as a process asks it: the slot, or the seconds until it is worth asking again.
 * @param now instead of the ledger's clock
 */
export async function takeOne(
  db: Queryable,
  token: string,
  limit: number,
  lane: number = LANES.backfill,
  now?: Date,
) {
  const wanted = new Map([[lane, 1]]);
  const answer = await takeSlots(db, { tokens: [token], plans: [planOf(limit)], wanted, scopes: null, now });
  const [slot] = answer.slots;
  return slot === undefined ? { taken: false, wait_s: answer.next_s } : { taken: true, ...slot };
}

/** Keeps every move of a token's tail, with the limit at that moment: the schedule as it was granted. */
export async function recordSlots(db: Database): Promise<void> {
  await db.query(
    'create table granted (n bigserial, token text, next_at timestamptz, call_limit int, taken bigint)',
  );
  await db.query(`create function keep_slot() returns trigger language plpgsql as
    $$ begin insert into granted (token, next_at, call_limit, taken)
      values (new.token, new.next_at, new.call_limit, new.slot_no - old.slot_no); return null; end $$`);
  await db.query(`create trigger keep_slot after update on slots for each row
    when (old.next_at is distinct from new.next_at) execute function keep_slot()`);
}

/**
 * Scheduled times of a token's slots in microseconds, in the order in which they were granted. Of several that one
 * statement took, each is taken to be a slot before the next.
 */
export async function scheduled(db: Database, token: string): Promise<number[]> {
  const rows = await db.query<{ at: number }>(
    `select (extract(epoch from next_at - make_interval(secs => before * 60.0 / call_limit * 1.005)) * 1e6)::int8 as at
       from granted, generate_series(taken, 1, -1) before where token = $1 order by n, before desc`,
    [token],
  );
  return rows.map(({ at }) => at);
}
