// The budget: whatever callers do, slots keep their distance. Times are read from the slots' own row, not from clocks here.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Budget, createBudget } from '../../../src/budget/slots.ts';
import type { Database } from '../../../src/ledger/database.ts';

const freshToken = () => randomBytes(8).toString('hex');
type Reservation = Awaited<ReturnType<Budget['reserve']>>;

/** Keeps every move of a token's tail, with the limit at that moment: the schedule as it was granted. */
export async function recordSlots(db: Database): Promise<void> {
  await db.query('create table granted (n bigserial, token text, next_at timestamptz, call_limit int)');
  await db.query(`create function keep_slot() returns trigger language plpgsql as
    $$ begin insert into granted (token, next_at, call_limit) values (new.token, new.next_at, new.call_limit); return null; end $$`);
  await db.query(`create trigger keep_slot after update on slots for each row
    when (old.next_at is distinct from new.next_at) execute function keep_slot()`);
}

/** Scheduled times of a token's slots in microseconds, in the order in which they were granted. */
export async function scheduled(db: Database, token: string): Promise<number[]> {
  const rows = await db.query<{ at: number }>(
    `select (extract(epoch from next_at - make_interval(secs => 60.0 / call_limit * 1.002)) * 1e6)::int8 as at
       from granted where token = $1 order by n`,
    [token],
  );
  return rows.map(({ at }) => at);
}

const gaps = (times: readonly number[]) => times.slice(1).map((at, n) => at - (times[n] as number));

/** @param others further connections to the same ledger, as other processes have them */
export function slotsSuite(engine: () => Database, others: () => readonly Database[] = () => []): void {
  const budgets = (limit: number) => [engine(), ...others()].map((db) => createBudget(db, () => limit));
  const budgetOf = (limit: number) => createBudget(engine(), () => limit);
  const grantedTo = async (budget: Budget, token: string): Promise<number> => {
    for (;;) {
      const slot = await budget.reserve(token);
      if (slot.granted) return slot.waitMs;
      await sleep(slot.retryMs);
    }
  };
  const row = async (token: string) =>
    (
      await engine().query<{ next_at: Date; blocked_until: Date; call_limit: number }>(
        'select next_at, blocked_until, call_limit from slots where token = $1',
        [token],
      )
    )[0];

  describe.each([1, 4, 16])('with %i callers that honour their waits', (callers) => {
    it('slots are at least 60 s / limit apart, so that no 60 s hold more than the limit', async () => {
      const limit = 6000;
      const token = freshToken();
      const all = budgets(limit);
      let granted = 0;
      await Promise.all(
        Array.from({ length: callers }, async (_, n) => {
          const budget = all[n % all.length] as Budget;
          while (granted < 50) {
            const waitMs = await grantedTo(budget, token);
            granted++;
            await sleep(waitMs);
          }
        }),
      );
      const times = await scheduled(engine(), token);
      expect(times).toHaveLength(granted);
      // `limit` such distances make more than a minute: the call after the limit falls into the next one.
      expect(Math.min(...gaps(times)) * limit).toBeGreaterThan(60e6);
    });
  });

  it('the first calls of a token, twenty at once, get no more than the horizon holds', async () => {
    const token = freshToken();
    const all = budgets(1);
    const first = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (all[n % all.length] as Budget).reserve(token)),
    );
    const second = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (all[n % all.length] as Budget).reserve(token)),
    );
    const granted = [...first, ...second].filter((slot) => slot.granted);
    expect(granted).toHaveLength(2);
    expect(gaps(await scheduled(engine(), token))).toEqual([60_120_000]);
  });

  it('a refusal moves nothing, and names a time no nearer than the horizon', async () => {
    const token = freshToken();
    const budget = budgetOf(1);
    await grantedTo(budget, token);
    expect((await budget.reserve(token)).granted).toBe(true);
    const before = await row(token);
    const refused = await Promise.all(Array.from({ length: 12 }, () => budget.reserve(token)));
    for (const slot of refused) {
      expect(slot).toMatchObject({ granted: false });
      const { retryMs } = slot as Extract<Reservation, { granted: false }>;
      expect(retryMs).toBeGreaterThanOrEqual(90_000);
      expect(retryMs).toBeLessThanOrEqual(120_240);
    }
    expect(await row(token)).toEqual(before);
  });

  it('a token that rested starts at now: unused slots are no credit', async () => {
    const token = freshToken();
    const budget = budgetOf(1);
    await grantedTo(budget, token);
    await engine().query("update slots set next_at = next_at - interval '1 hour' where token = $1", [token]);
    const [now] = await engine().query<{ at: number }>(
      'select (extract(epoch from clock_timestamp()) * 1e6)::int8 as at',
    );
    expect(await budget.reserve(token)).toEqual({ granted: true, waitMs: 0 });
    expect(await budget.reserve(token)).toMatchObject({ granted: true });
    expect((await budget.reserve(token)).granted).toBe(false);
    const times = await scheduled(engine(), token);
    expect(times.at(-2)).toBeGreaterThanOrEqual(now?.at as number);
    expect(gaps(times).at(-1)).toBe(60_120_000);
  });

  describe('observe', () => {
    const soon = () => new Date(Date.now() + 30_000);

    it('adopts a new limit: the distance follows', async () => {
      const token = freshToken();
      const budget = budgetOf(6000);
      await grantedTo(budget, token);
      await budget.observe(token, { limit: 600, remaining: 599, resetAt: soon() });
      await grantedTo(budget, token);
      await budget.observe(token, { limit: 6000, remaining: 599, resetAt: soon() });
      for (let n = 0; n < 3; n++) await grantedTo(budget, token);
      const times = await scheduled(engine(), token);
      expect(gaps(times)[1]).toBeGreaterThanOrEqual(100_200);
      expect(Math.min(...gaps(times))).toBeGreaterThanOrEqual(10_020);
      expect((await row(token))?.call_limit).toBe(6000);
    });

    it('with nothing remaining blocks until the window ends, and an older answer does not shorten that', async () => {
      const token = freshToken();
      const budget = budgetOf(120);
      await grantedTo(budget, token);
      const resetAt = soon();
      await budget.observe(token, { limit: 120, remaining: 0, resetAt });
      await budget.observe(token, {
        limit: 120,
        remaining: 0,
        resetAt: new Date(resetAt.getTime() - 20_000),
      });
      await budget.observe(token, { limit: 120, remaining: 50, resetAt });
      expect((await row(token))?.blocked_until).toEqual(resetAt);
      const all = await Promise.all(Array.from({ length: 8 }, () => budget.reserve(token)));
      expect(all.filter(({ granted }) => granted)).toEqual([]);
      await engine().query("update slots set blocked_until = now() - interval '1 ms' where token = $1", [
        token,
      ]);
      expect(await grantedTo(budget, token)).toBeLessThanOrEqual(752);
    });

    it.each<[string, number, number, number | null]>([
      ['no limit', 0, 5, 120],
      ['a negative limit', -5, 0, 120],
      ['a limit that is no number', Number.NaN, 0, 120],
      ['an endless limit', Number.POSITIVE_INFINITY, 0, 120],
      ['a limit beyond an int', 9_999_999_999, 5, 1_000_000],
      ['a remainder beyond an int', 90, 9_999_999_999, 90],
    ])('of %s keeps the budget usable', async (_, limit, remaining, kept) => {
      const token = freshToken();
      const budget = budgetOf(120);
      await grantedTo(budget, token);
      await budget.observe(token, { limit, remaining, resetAt: soon() });
      expect((await row(token))?.call_limit).toBe(kept);
      expect(await grantedTo(budget, token)).toBeLessThanOrEqual(752);
    });

    it.each([
      ['in the year 2286', new Date(9_999_999_999_000)],
      ['two hours ahead', new Date(Date.now() + 7_200_000)],
    ])('of a window that resets %s blocks for a minute at most', async (_, resetAt) => {
      const token = freshToken();
      const budget = budgetOf(120);
      await grantedTo(budget, token);
      await budget.observe(token, { limit: 120, remaining: 0, resetAt });
      const slot = await budget.reserve(token);
      expect(slot.granted).toBe(false);
      expect((slot as { retryMs: number }).retryMs).toBeLessThanOrEqual(60_000);
    });

    it('of a window that is over blocks nothing', async () => {
      const token = freshToken();
      const budget = budgetOf(120);
      await grantedTo(budget, token);
      await budget.observe(token, { limit: 120, remaining: 0, resetAt: new Date(0) });
      expect((await budget.reserve(token)).granted).toBe(true);
    });
  });

  it('a block that ends within the horizon is waited for', async () => {
    const token = freshToken();
    const budget = budgetOf(6000);
    await grantedTo(budget, token);
    await budget.block(token, 60);
    expect((await budget.reserve(token)).granted).toBe(true);
    const [first] = await engine().query<{ early: boolean }>(
      `select next_at < blocked_until + make_interval(secs => 60.0 / call_limit) as early from slots where token = $1`,
      [token],
    );
    expect(first).toEqual({ early: false });
  });

  it('block holds every caller, a shorter one does not shorten it, and another token goes on', async () => {
    const [blocked, free] = [freshToken(), freshToken()];
    const budget = budgetOf(120);
    await grantedTo(budget, blocked);
    await grantedTo(budget, free);
    await budget.block(blocked, 40_000);
    await budget.block(blocked, 5);
    const slots = await Promise.all(Array.from({ length: 16 }, () => budget.reserve(blocked)));
    for (const slot of slots) {
      expect(slot.granted).toBe(false);
      expect((slot as { retryMs: number }).retryMs).toBeGreaterThan(5000);
      expect((slot as { retryMs: number }).retryMs).toBeLessThanOrEqual(40_000);
    }
    const other = await row(free);
    expect((await budget.reserve(free)).granted).toBe(true);
    expect((await row(free))?.blocked_until).toEqual(other?.blocked_until);
  });
}
