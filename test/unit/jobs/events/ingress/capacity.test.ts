// Capacity for more: a count that is asked for once a second, and what is full, or only behind.
import { describe, expect, it } from 'vitest';
import type { Queryable } from '../../../../../src/core/sql/database.ts';
import { createCapacity } from '../../../../../src/jobs/events/ingress/capacity.ts';

function capacityOf(
  open: number,
  over: { maxOpen?: number; maxDelayMs?: number; callsPerMinute?: number } = {},
) {
  const state = { open, asked: 0, now: 0, broken: false };
  const db: Queryable = {
    query: async () => {
      state.asked += 1;
      if (state.broken) throw new Error('away');
      return [{ account: 'acme', open: state.open, oldest: 5 }] as never;
    },
  };
  const { maxOpen = 100, maxDelayMs = 600_000, callsPerMinute = 120 } = over;
  const capacity = createCapacity({
    db,
    maxOpen,
    maxDelayMs,
    callsPerMinute: () => callsPerMinute,
    now: () => state.now,
  });
  return { capacity, state };
}

describe('capacity', () => {
  it.each([
    // open, calls a minute → is there a place; is it time to fetch more
    [0, 120, true, true],
    [99, 120, true, true],
    [100, 120, false, false],
    [99, 20, true, false],
  ])('%d open at %d calls a minute: a place %s, time %s', async (open, callsPerMinute, place, time) => {
    const { capacity } = capacityOf(open, { callsPerMinute });
    const reported = (asked: Promise<void>) =>
      asked.then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ name: 'NotAcceptedError', why: 'BUSY' });
          return false;
        },
      );
    expect([
      await reported(capacity.requireOpenCapacity('acme')),
      await reported(capacity.requireTime('acme')),
    ]).toEqual([place, time]);
    await capacity.requireTime('another account');
  });

  it('is counted once a second however many ask, and again after a count that failed', async () => {
    const { capacity, state } = capacityOf(1);
    await Promise.all(Array.from({ length: 50 }, () => capacity.requireOpenCapacity('acme')));
    expect(state.asked).toBe(1);
    state.now = 1000;
    state.open = 100;
    await expect(capacity.requireOpenCapacity('acme')).rejects.toThrow(/maxOpen is 100/);
    state.now = 2000;
    state.broken = true;
    await expect(capacity.requireOpenCapacity('acme')).rejects.toThrow('away');
    state.broken = false;
    state.open = 0;
    await capacity.requireOpenCapacity('acme');
    expect(state.asked).toBe(4);
  });
});
