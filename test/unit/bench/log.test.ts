// The arithmetic behind the figures of the benches: a mistake here would let a miss pass as met.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  longestGap,
  mostInAnyMinute,
  perMinute,
  quantile,
  serviceWindows,
} from '../../../bench/support/log.ts';
import { poissonTimes, seeded } from '../../../bench/support/random.ts';

describe('calls by minute', () => {
  it.each([
    ['a call at the start of a minute belongs to it', [0, 60_000], 120_000, [1, 1]],
    ['a call before the first minute counts nowhere', [-1, 59_999], 60_000, [1]],
    ['a minute that has not ended is left out', [0, 60_000], 119_999, [1]],
    ['a minute without calls counts as 0', [130_000], 180_000, [0, 0, 1]],
    ['nothing is measured before the first minute has ended', [0], 59_999, []],
  ])('%s', (_, times, until, minutes) => {
    expect(perMinute(times, 0, until)).toEqual(minutes);
  });
});

describe('the most calls in any 60 s', () => {
  it.each([
    ['none of none', [], 0],
    ['two calls 60 s apart are in no minute together', [0, 60_000], 1],
    ['two calls a moment less apart are', [0, 59_999], 2],
    ['a burst over the edge of two minutes counts as one', [59_000, 59_500, 60_000, 60_500], 4],
    ['the order of the log does not matter', [60_500, 59_000, 60_000, 59_500], 4],
  ])('%s', (_, times, most) => {
    expect(mostInAnyMinute(times)).toBe(most);
  });

  it('is what counting from every call on finds', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 60 }), (times) => {
        const slow = times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length);
        expect(mostInAnyMinute(times)).toBe(Math.max(0, ...slow));
      }),
    );
  });
});

describe('windows of the service', () => {
  const call = (ms: number, status = 200) => ({
    seq: 1,
    at: new Date(ms).toISOString(),
    tokenHash: null,
    method: 'GET',
    path: '/v1/tags',
    status,
  });

  it('begin with a call, not where the last one ended', () => {
    expect(serviceWindows([call(0), call(70_000), call(125_000), call(130_000)])).toEqual([
      { start: 0, taken: 1, refused: 0 },
      { start: 70_000, taken: 2, refused: 0 },
      { start: 130_000, taken: 1, refused: 0 },
    ]);
  });

  it('count what was refused apart', () => {
    expect(serviceWindows([call(0), call(1, 429), call(60_000)])).toEqual([
      { start: 0, taken: 1, refused: 1 },
      { start: 60_000, taken: 1, refused: 0 },
    ]);
  });
});

describe('quantile', () => {
  it.each([
    ['the 99th of 100 values is the last but one', Array.from({ length: 100 }, (_, i) => i), 0.99, 98],
    ['of few values p99 is the greatest', [3, 1, 2], 0.99, 3],
    ['the median of an even number is the lower one', [4, 1, 3, 2], 0.5, 2],
    ['of nothing it is no number, which meets no goal', [], 0.99, Number.NaN],
  ])('%s', (_, values, q, expected) => {
    expect(quantile(values, q)).toBe(expected);
  });
});

it('the longest pause between calls is published in seconds', () => {
  expect(longestGap([10_000, 0, 1_000])).toBe(9);
});

it('the same seed makes the same arrivals, at the wanted mean distance', () => {
  const times = poissonTimes(10_000, 2, seeded(7));
  expect(poissonTimes(10_000, 2, seeded(7))).toEqual(times);
  expect((times.at(-1) ?? 0) / 10_000).toBeCloseTo(2, 1);
});
