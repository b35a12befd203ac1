// One clock for all workers: the database's, whatever the machine of a worker says.
import { expect, it } from 'vitest';
import type { Queryable } from '../../../../src/core/sql/database.ts';
import { ledgerClock } from '../../../../src/core/sql/ledger-clock.ts';

/** A database whose clock shows `ms`, and that answers `takesMs` after it was asked. */
function timed({ ms, takesMs = 0 }: { ms: number; takesMs?: number }) {
  const state = { ms, elapsed: 0, asked: 0, fails: false };
  const pass = (by: number) => {
    state.ms += by;
    state.elapsed += by;
  };
  const db = {
    async query() {
      state.asked++;
      if (state.fails) throw new Error('the ledger is away');
      pass(takesMs / 2);
      const read = state.ms;
      pass(takesMs / 2);
      return [{ ms: read }];
    },
  } as unknown as Queryable;
  return { state, pass, clock: ledgerClock(db, () => state.elapsed) };
}

it('shows the time of the database, and asks once in 5 s', async () => {
  const { state, pass, clock } = timed({ ms: 1_000_000, takesMs: 40 });
  expect(await clock.now()).toBe(state.ms);
  pass(4999);
  expect(await clock.now()).toBe(state.ms);
  expect(state.asked).toBe(1);
  pass(1);
  expect(await clock.now()).toBe(state.ms);
  expect(state.asked).toBe(2);
});

it('asks once for callers at the same time', async () => {
  const { state, clock } = timed({ ms: 5 });
  expect(await Promise.all([clock.now(), clock.now(), clock.now()])).toEqual([5, 5, 5]);
  expect(state.asked).toBe(1);
});

it('follows a database whose clock was set', async () => {
  const { state, pass, clock } = timed({ ms: 1_000_000 });
  await clock.now();
  state.ms -= 300_000;
  pass(5000);
  expect(await clock.now()).toBe(state.ms);
});

it('reports that the database is away, and asks again at the next call', async () => {
  const { state, pass, clock } = timed({ ms: 7 });
  state.fails = true;
  await expect(clock.now()).rejects.toThrow('the ledger is away');
  state.fails = false;
  expect(await clock.now()).toBe(7);
  pass(10_000);
  state.fails = true;
  await expect(Promise.all([clock.now(), clock.now()])).rejects.toThrow('the ledger is away');
  state.fails = false;
  expect(await clock.now()).toBe(state.ms);
});
