// The budget: whatever callers do, slots keep their distance. Times are read from the slots' own row, not from clocks here.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deadlineSignal } from '../../../../src/core/deadline.ts';
import { LANES } from '../../../../src/core/lanes.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { type Budget, createBudget } from '../../../../src/service/budget/slots.ts';
import { observeRate, takeSlots, tokenStates } from '../../../../src/service/budget/statements.ts';
import { freshToken, planOf, scheduled, takeOne } from './slots-support.ts';

const gaps = (times: readonly number[]) => times.slice(1).map((at, n) => at - (times[n] as number));

/** @param others further connections to the same ledger, as other processes have them */
export function slotsSuite(database: () => Database, others: () => readonly Database[] = () => []): void {
  const budgets = (limit: number) =>
    [database(), ...others()].map((db) => createBudget(db, () => planOf(limit)));
  const budgetOf = (limit: number) => createBudget(database(), () => planOf(limit));
  const grantedTo = (budget: Budget, token: string, lane: number = LANES.backfill) =>
    budget.reserve([token], lane);
  /** Whether a caller that asks now still waits a moment later. Only for what has to wait: others may be slow. */
  const waits = async (budget: Budget, tokens: readonly string[], lane: number) => {
    const over = deadlineSignal(300);
    return await budget.reserve(tokens, lane, { signal: over }).then(
      () => false,
      () => over.aborted,
    );
  };
  const row = async (token: string) =>
    (
      await database().query<{ next_at: Date; blocked_until: Date; call_limit: number }>(
        'select next_at, blocked_until, call_limit from slots where token = $1',
        [token],
      )
    )[0];

  // PostgreSQL 15 and 16 refuse to subtract an infinite timestamp.
  describe.each(['-infinity', 'infinity'])('with the time %s', (time) => {
    it.each(['next_at', 'blocked_until', 'window_ends', 'stretch_until', 'mark_at'])(
      'in %s, the token gets its slots, learns and shows its state',
      async (column) => {
        const db = database();
        const token = freshToken();
        await db.query(
          `insert into slots (token, call_limit, stretch_s, ${column}) values ($1, 120, 0.75, $2)`,
          [token, time],
        );
        const ask = { tokens: [token], plans: [planOf(120)], wanted: new Map([[1, 1]]), scopes: null };
        const first = await takeSlots(db, ask);
        const second = await takeSlots(db, ask);
        expect([first.next_s, second.next_s].every(Number.isFinite)).toBe(true);
        const [state] = await tokenStates(db, [token]);
        expect(Number.isFinite(state?.nextFreeMs)).toBe(true);
        expect(Number.isFinite(state?.blockedMs)).toBe(true);
        const seen = { limit: 120, used: 1, left: 119, resetAt: Date.now() / 1000 + 30, quickest: 0.01 };
        await expect(observeRate(db, token, { slot: 1, last: 1, ...seen })).resolves.not.toBeNull();
      },
    );
  });

  describe.each([1, 4, 16])('with %i callers that respect their waits', (callers) => {
    it('slots are at least 60 s / limit apart, so that no 60 s contain more than the limit', async () => {
      const limit = 6000;
      const token = freshToken();
      const all = budgets(limit);
      const numbers: number[] = [];
      await Promise.all(
        Array.from({ length: callers }, async (_, n) => {
          const budget = all[n % all.length] as Budget;
          while (numbers.length < 50) {
            const { dueAt, number } = await grantedTo(budget, token, 1 + (n % 5));
            numbers.push(number);
            await sleep(Math.max(0, dueAt - performance.now()));
          }
        }),
      );
      const times = await scheduled(database(), token);
      expect(times).toHaveLength(numbers.length);
      expect(new Set(numbers).size).toBe(numbers.length);
      // `limit` such distances make more than a minute: the call after the limit falls into the next one.
      expect(Math.min(...gaps(times)) * limit).toBeGreaterThan(60e6);
    });
  });

  it('the first calls of a token, twenty at once, get one slot', async () => {
    const token = freshToken();
    const all = [database(), ...others()];
    const first = await Promise.all(
      Array.from({ length: 20 }, (_, n) => takeOne(all[n % all.length] as Database, token, 1)),
    );
    expect(first.filter(({ taken }) => taken)).toHaveLength(1);
    expect(await scheduled(database(), token)).toHaveLength(1);
  });

  it.each([
    [LANES.reply, 60],
    [LANES.lead, 48],
    [LANES.poll, 36],
    [LANES.campaign, 24],
    [LANES.backfill, 15],
  ])('lane %i sees %i s of a minute: beyond that it is refused, which moves nothing', async (lane, sees) => {
    const token = freshToken();
    const now = new Date();
    const take = (by: number) => takeOne(database(), token, 1, by, now);
    expect(await take(lane)).toMatchObject({ taken: true, wait_s: 0, slot: 1 });
    const before = await row(token);
    for (let n = 0; n < 3; n++) {
      const refused = await take(lane);
      expect(refused.taken).toBe(false);
      expect(refused.wait_s).toBeCloseTo(60.3 - sees, 3);
    }
    expect(await row(token)).toEqual(before);
    await database().query("update slots set next_at = next_at - interval '1 second' where token = $1", [
      token,
    ]);
    const reply = await take(LANES.reply);
    expect(reply).toMatchObject({ taken: true, slot: 2 });
    expect(reply.wait_s).toBeCloseTo(59.3, 3);
  });

  it('a slot requested up to 100 ms late keeps its time: the next one is not later', async () => {
    const token = freshToken();
    await takeOne(database(), token, 120);
    await database().query(
      "update slots set next_at = clock_timestamp() - interval '50 milliseconds' where token = $1",
      [token],
    );
    const before = (await row(token))?.next_at.getTime() as number;
    const wanted = new Map([[LANES.backfill, 1]]);
    const plans = [planOf(120)];
    const { slots, at_s } = await takeSlots(database(), { tokens: [token], plans, wanted, scopes: null });
    // On a busy machine more time passes between the two statements, and the slot is lost.
    const late = at_s - before / 1000;
    const kept = late <= 0.1;
    expect(slots[0]?.wait_s).toBeCloseTo(kept ? -late : 0, 2);
    const advance = ((await row(token))?.next_at.getTime() as number) - before;
    expect(advance).toBeCloseTo(502.5 + (kept ? 0 : late * 1000), -1);
  });

  it('a token that rested starts at now: unused slots are no credit', async () => {
    const token = freshToken();
    await takeOne(database(), token, 1);
    await database().query("update slots set next_at = next_at - interval '1 hour' where token = $1", [
      token,
    ]);
    const [now] = await database().query<{ at: number }>(
      'select (extract(epoch from clock_timestamp()) * 1e6)::int8 as at',
    );
    expect(await takeOne(database(), token, 1)).toMatchObject({ taken: true, wait_s: 0 });
    expect(await takeOne(database(), token, 1)).toMatchObject({ taken: false });
    expect((await scheduled(database(), token)).at(-1)).toBeGreaterThanOrEqual(now?.at as number);
  });

  describe('observe', () => {
    const soon = () => new Date(Date.now() + 30_000);

    it('adopts a lower limit at once and a higher one when two answers name it; the distance follows', async () => {
      const token = freshToken();
      const budget = budgetOf(6000);
      const first = await grantedTo(budget, token);
      await budget.observe(first, { limit: 600, remaining: 599, resetAt: soon() }, 1);
      const second = await grantedTo(budget, token);
      await budget.observe(second, { limit: 6000, remaining: 5998, resetAt: soon() }, 1);
      expect((await row(token))?.call_limit).toBe(600);
      await budget.observe(second, { limit: 6000, remaining: 5998, resetAt: soon() }, 1);
      for (let n = 0; n < 3; n++) await grantedTo(budget, token);
      const times = await scheduled(database(), token);
      expect(gaps(times)[1]).toBeGreaterThanOrEqual(100_200);
      expect(Math.min(...gaps(times))).toBeGreaterThanOrEqual(10_020);
      expect((await row(token))?.call_limit).toBe(6000);
    });

    it('with nothing remaining blocks until the window ends, and an older answer does not shorten that', async () => {
      const token = freshToken();
      const budget = budgetOf(120);
      const slot = await grantedTo(budget, token);
      const resetAt = soon();
      await budget.observe(slot, { limit: 120, remaining: 0, resetAt }, 1);
      const older = new Date(resetAt.getTime() - 20_000);
      await budget.observe(slot, { limit: 120, remaining: 0, resetAt: older }, 1);
      await budget.observe(slot, { limit: 120, remaining: 50, resetAt }, 1);
      expect((await row(token))?.blocked_until).toEqual(resetAt);
      expect(await waits(budget, [token], LANES.reply)).toBe(true);
    });

    it.each<[string, number, number, number]>([
      ['no limit', 0, 5, 120],
      ['a negative limit', -5, 0, 120],
      ['a limit that is no number', Number.NaN, 0, 120],
      ['an endless limit', Number.POSITIVE_INFINITY, 0, 120],
      ['a limit beyond an int, once', 9_999_999_999, 9_999_999_998, 120],
      ['a remainder beyond an int', 90, 9_999_999_999, 90],
    ])('of %s keeps the budget usable', async (_, limit, remaining, kept) => {
      const token = freshToken();
      const budget = budgetOf(120);
      const slot = await grantedTo(budget, token, LANES.reply);
      await budget.observe(slot, { limit, remaining, resetAt: soon() }, 1);
      expect((await row(token))?.call_limit).toBe(kept);
      const next = await grantedTo(budget, token, LANES.reply);
      expect(next.dueAt - performance.now()).toBeLessThanOrEqual(752);
    });

    it.each([
      ['more left than there is', 120, 9999],
      ['a limit of ten digits, and hardly anything left', 9_999_999_999, 5],
    ])(
      'of %s, once, is forgotten by the next window but one: others never seem to have more than all',
      async (_, limit, remaining) => {
        const token = freshToken();
        const budget = budgetOf(120);
        const slot = await grantedTo(budget, token);
        const resetAt = soon();
        await budget.observe(slot, { limit: 120, remaining: 119, resetAt }, 1);
        await budget.observe(slot, { limit, remaining, resetAt }, 1);
        await budget.observe(slot, { limit: 120, remaining: 119, resetAt }, 1);
        const [state] = await budget.snapshot([token]);
        expect(state?.foreign).toBeLessThanOrEqual(120);
        expect(state?.limit).toBe(120);
      },
    );

    it.each([
      ['in the year 2286', new Date(9_999_999_999_000)],
      ['two hours ahead', new Date(Date.now() + 7_200_000)],
    ])('of a window that resets %s blocks for a minute at most', async (_, resetAt) => {
      const token = freshToken();
      const budget = budgetOf(120);
      await budget.observe(await grantedTo(budget, token), { limit: 120, remaining: 0, resetAt }, 1);
      const slot = await takeOne(database(), token, 120);
      expect(slot.taken).toBe(false);
      expect(slot.wait_s).toBeLessThanOrEqual(60);
    });

    it('of an expired window blocks nothing', async () => {
      const token = freshToken();
      const budget = budgetOf(120);
      const slot = await grantedTo(budget, token);
      await budget.observe(slot, { limit: 120, remaining: 0, resetAt: new Date(0) }, 1);
      // The ledger may call the window's end the moment of the answer, but not a later second.
      const soonAfter = new Date(Date.now() + 1000);
      expect((await takeOne(database(), token, 120, LANES.reply, soonAfter)).taken).toBe(true);
    });

    it('of answers without news costs no statement, even if many arrive at once and in any order', async () => {
      const token = freshToken();
      let statements = 0;
      const counting: Database = {
        ...database(),
        query: <Row>(sql: string, params?: readonly unknown[]) => {
          statements++;
          return database().query<Row>(sql, params);
        },
        transaction: (work) => {
          statements++;
          return database().transaction(work);
        },
      };
      const budget = createBudget(counting, () => planOf(60_000));
      const resetAt = soon();
      for (let n = 1; n <= 20; n++) {
        const slot = await grantedTo(budget, token);
        await budget.observe(slot, { limit: 60_000, remaining: 60_000 - n, resetAt }, 1);
      }
      expect(statements).toBe(21);
      const slots = await Promise.all(
        Array.from({ length: 200 }, () => budget.reserve([token], LANES.reply)),
      );
      statements = 0;
      // Another process has calls among them, and two answers belong to the next window.
      const answers = slots.map(({ number }, n) =>
        budget.observe(
          { token, number: number + (n % 7) },
          { limit: 60_000, remaining: 60_000 - number, resetAt },
          1,
        ),
      );
      await Promise.all(answers.toReversed());
      expect(statements).toBe(0);
      const last = slots.at(-1)?.number as number;
      const next = new Date(resetAt.getTime() + 60_000);
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          budget.observe(
            { token, number: last + 1 + n },
            { limit: 60_000, remaining: 59_999 - n, resetAt: next },
            1,
          ),
        ),
      );
      expect(statements).toBeLessThanOrEqual(2);
    });
  });

  it('a block stops every lane, a shorter one does not shorten it, and another token continues', async () => {
    const [blocked, free] = [freshToken(), freshToken()];
    const budget = budgetOf(120);
    await grantedTo(budget, blocked);
    await grantedTo(budget, free);
    await budget.block(blocked, 40_000);
    await budget.block(blocked, 5);
    for (const lane of [LANES.reply, LANES.lead, LANES.backfill]) {
      const refused = await takeOne(database(), blocked, 120, lane);
      expect(refused.taken).toBe(false);
      expect(refused.wait_s).toBeGreaterThan(35);
    }
    expect(await waits(budget, [blocked], LANES.reply)).toBe(true);
    const other = await row(free);
    expect((await takeOne(database(), free, 120, LANES.lead)).taken).toBe(true);
    expect((await row(free))?.blocked_until).toEqual(other?.blocked_until);
  });

  it('callers that waited for a block continue when it ends', async () => {
    const token = freshToken();
    const budget = budgetOf(60_000);
    await budget.reserve([token], LANES.lead);
    const began = performance.now();
    await budget.block(token, 400);
    const slots = await Promise.all(Array.from({ length: 5 }, () => budget.reserve([token], LANES.backfill)));
    expect(new Set(slots.map(({ number }) => number)).size).toBe(5);
    expect(performance.now() - began).toBeGreaterThan(300);
  });
}
