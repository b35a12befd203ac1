// The ledger's clock: never earlier than it is, and exact though a statement was slow.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LedgerClock } from '../../../../src/service/budget/ledger-clock.ts';

const ms = (max: number) => fc.double({ min: 0, max, noNaN: true });

it('a time is never early, and late by at most the duration of the quickest query', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e12, max: 1e12, noNaN: true }),
      fc.array(fc.record({ pause: ms(1000), there: ms(400), back: ms(400) }), {
        minLength: 1,
        maxLength: 20,
      }),
      (ahead, questions) => {
        const clock = new LedgerClock();
        let now = 1000;
        let quickest = Number.POSITIVE_INFINITY;
        for (const { pause, there, back } of questions) {
          now += pause;
          clock.learn(now, now + there + back, now + there + ahead);
          now += there + back;
          quickest = Math.min(quickest, there + back);
          const local = clock.localTime(now + 500 + ahead);
          expect(local).toBeGreaterThanOrEqual(now + 500 - 0.01);
          expect(local).toBeLessThanOrEqual(now + 500 + quickest + 0.01);
        }
      },
    ),
  );
});

it('a clock that was set is used at once', () => {
  const clock = new LedgerClock();
  clock.learn(0, 2, 50_001);
  clock.learn(100, 140, 80_120);
  expect(clock.localTime(80_120)).toBeGreaterThanOrEqual(120);
  expect(clock.localTime(80_120)).toBeLessThanOrEqual(140);
});

it('a less exact reading counts once the exact one is older than a minute, because clocks drift', () => {
  const clock = new LedgerClock();
  clock.learn(0, 2, 50_001);
  clock.learn(59_994, 60_002, 110_003);
  expect(clock.localTime(110_003)).toBe(60_004);
  clock.learn(59_995, 60_003, 110_004);
  expect(clock.localTime(110_004)).toBe(60_003);
});

it('there is no time before the first reading', () => {
  expect(() => new LedgerClock().localTime(1)).toThrow('the clock of the ledger was never read');
});
