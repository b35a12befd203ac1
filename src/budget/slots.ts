// Slots: the calls that a token allows, reserved one by one in the ledger and corrected by the API's own headers.
import type { Queryable } from '../ledger/database.ts';

/**
 * Distance between two slots as a multiple of 60 s / limit. Without the 0.2 % the edge of a minute
 * sees one call more than the limit.
 */
const GAP = 1.002;

/** A slot further away than this many slots is not taken: whoever holds one stands in front of a lead. */
const HORIZON_SLOTS = 1.5;
/** At thousands of calls a minute 1.5 slots are shorter than a dispatch; below this the wait is no loss. */
const HORIZON_FLOOR_S = 0.1;

export interface Budget {
  /**
   * Takes the token's next slot.
   * @returns milliseconds to wait before the call; or, when the slot is too far away, when to ask again
   */
  reserve(token: string): Promise<{ granted: true; waitMs: number } | { granted: false; retryMs: number }>;
  /** Adopts what an answer's rate headers say. */
  observe(token: string, rate: { limit: number; remaining: number; resetAt: Date }): Promise<void>;
  /** Nothing goes out on this token for so long: the answer to a 429. */
  block(token: string, ms: number): Promise<void>;
}

/**
 * @param limitOf calls a minute of a token until its first answer tells
 */
export function createBudget(db: Queryable, limitOf: (token: string) => number): Budget {
  const take = async (token: string): Promise<{ wait: number; taken: boolean } | undefined> => {
    // One atomic statement a call. The new slot is the later of now and the end of the last one; when that
    // is beyond the horizon the row stays as it was and only the distance comes back.
    // `held` looks without the lock first, so that a refusal costs no write; then it waits for the lock and
    // looks again. The clock is read only behind the lock: read before, a caller that queued for the row
    // would sleep that much too long, and two of its calls would come closer than a slot.
    // A statement never sees a row that it made itself, nor what others wrote while it waited: for `seen`
    // the distance can be too short, but a refusal is never nearer than the horizon.
    const [row] = await db.query<{ wait: number; taken: boolean }>(
      `with made as (insert into slots (token, call_limit) values ($1, $2) on conflict (token) do nothing),
       held as materialized (
         select token, greatest(next_at, blocked_until) as free, 60.0 / call_limit as gap from slots
          where token = $1
            and greatest(next_at, blocked_until)
                <= clock_timestamp() + make_interval(secs => greatest(60.0 / call_limit * $4, $5))
            for update),
       stamped as materialized (select token, gap, free, clock_timestamp() as now from held),
       slot as (select token, gap, now, greatest(free, now) as at from stamped),
       upd as (
         update slots s set next_at = slot.at + make_interval(secs => slot.gap * $3)
           from slot where s.token = slot.token)
       select extract(epoch from at - now)::float8 as wait, true as taken from slot
       union all
       select extract(epoch from greatest(
                greatest(next_at, blocked_until, clock_timestamp()) - clock_timestamp(),
                make_interval(secs => greatest(60.0 / call_limit * $4, $5))))::float8, false
         from slots where token = $1 and not exists (select 1 from slot)`,
      [token, limitOf(token), GAP, HORIZON_SLOTS, HORIZON_FLOOR_S],
    );
    return row;
  };

  return {
    async reserve(token) {
      // The first statement on a token makes its row, and does not see it yet; the second does.
      const row = (await take(token)) ?? (await take(token));
      if (row === undefined) throw new Error('the ledger lost the slots of a token');
      const ms = Math.max(0, row.wait * 1000);
      return row.taken ? { granted: true, waitMs: ms } : { granted: false, retryMs: Math.max(1, ms) };
    },
    async observe(token, rate) {
      if (!Number.isFinite(rate.limit) || rate.limit <= 0) return;
      // The window is a minute long (API text, Limits): a reset further away is a clock that differs, or garbage.
      await db.query(
        `update slots set call_limit = $2,
                blocked_until = case when $3 then
                  greatest(blocked_until, least($4::timestamptz, clock_timestamp() + interval '60 seconds'))
                  else blocked_until end
          where token = $1 and (call_limit <> $2 or $3)`,
        [token, Math.min(rate.limit, 1_000_000), rate.remaining <= 0, rate.resetAt.toISOString()],
      );
    },
    async block(token, ms) {
      await db.query(
        `update slots set blocked_until = greatest(blocked_until, clock_timestamp() + make_interval(secs => $2::float8))
          where token = $1`,
        [token, ms / 1000],
      );
    },
  };
}
