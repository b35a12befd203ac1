// What Sluice learns from rate headers, in services of all kinds: never more calls than the limit, and all of the budget
// again soon after others stop or an answer was garbled.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gapOf, learn } from '../../../../src/service/budget/estimate.ts';
import { freshState, live } from './estimate-world.ts';
import { mostInAMinute } from './simulation.ts';

const LIMIT = 120;
const windows = fc.constantFrom('fixed' as const, 'sliding' as const);
const skew = fc.double({ min: -20, max: 20, noNaN: true });
/** Seconds of a way, by the call's number: quick, slow, or so different that calls overtake each other. */
const latency = fc
  .record({
    least: fc.double({ min: 0.003, max: 0.1, noNaN: true }),
    spread: fc.double({ min: 0, max: 0.14, noNaN: true }),
  })
  .map(
    ({ least, spread }) =>
      (n: number) =>
        least + spread * ((n * 0.7548776662) % 1),
  );
/** Seconds at which another program calls: bursts of some size, some time apart, from one moment to another. */
const foreign = (until: number) =>
  fc
    .record({
      size: fc.integer({ min: 1, max: 40 }),
      share: fc.double({ min: 0.05, max: 0.6, noNaN: true }),
      from: fc.nat(70),
    })
    .map(({ size, share, from }) => {
      const every = (size * 60) / (LIMIT * share);
      const bursts = Math.max(0, Math.floor((until - from) / every));
      return Array.from(
        { length: bursts * size },
        (_, n) => from + Math.floor(n / size) * every + (n % size) * 0.02,
      );
    });
const garbledHeaders = fc.record(
  {
    limit: fc.oneof(fc.integer({ min: 1, max: 119 }), fc.integer({ min: 121, max: 1_000_000 })),
    remaining: fc.integer({ min: -1000, max: 1_000_000 }),
    resetAt: fc.integer({ min: 0, max: 4_000_000_000 }),
  },
  { requiredKeys: [] },
);
/** One answer in some is garbled, never two in a row. */
const garbled = fc
  .array(garbledHeaders, { minLength: 1, maxLength: 5 })
  .chain((all) => fc.integer({ min: 5, max: 60 }).map((every) => ({ all, every })));

/** The least calls in a minute of a token that is all ours; by the reset of a sliding window the end of none can be seen. */
const LEAST = { fixed: 117, sliding: 104 };
/** The same once an error is forgotten, all but a last part of it. */
const LEAST_AGAIN = { fixed: 112, sliding: 100 };

const perMinute = (sent: readonly number[], minute: number) =>
  sent.filter((at) => at >= minute * 60 && at < minute * 60 + 60).length;

describe('never above the limit', () => {
  it('in any 60 s, whatever other programs do, the clocks show and single headers claim', () => {
    fc.assert(
      fc.property(
        windows,
        skew,
        latency,
        foreign(240),
        fc.option(garbled, { nil: null }),
        (kind, ahead, way, others, wrong) => {
          const { sent } = live({
            seconds: 240,
            limit: LIMIT,
            windows: kind,
            skew: ahead,
            latency: way,
            foreign: others,
            garbled: (n) =>
              wrong !== null && n % wrong.every === wrong.every - 1
                ? (wrong.all[n % wrong.all.length] ?? null)
                : null,
          });
          expect(mostInAMinute(sent)).toBeLessThanOrEqual(LIMIT);
        },
      ),
      { numRuns: 150 },
    );
  });

  /** Others who call evenly, with a share of the limit. */
  const beside = (kind: 'fixed' | 'sliding', ahead: number, way: (n: number) => number, share: number) =>
    live({
      seconds: 300,
      limit: LIMIT,
      windows: kind,
      skew: ahead,
      latency: way,
      foreign: Array.from({ length: Math.floor(300 * 2 * share) }, (_, n) => (n * 60) / (LIMIT * share)),
    });
  const share = fc.double({ min: 0.1, max: 0.5, noNaN: true });

  it('including other programs: no call is refused after their first two windows, if they call evenly', () => {
    fc.assert(
      fc.property(skew, latency, share, (ahead, way, part) => {
        expect(beside('fixed', ahead, way, part).refused.filter((at) => at > 125)).toEqual([]);
      }),
      {
        numRuns: 100,
        examples: [
          // Full windows hid how much the others call.
          [-18.9, () => 0.004, 0.491],
          [-17.3, (n) => 0.003 + 0.09 * ((n * 0.7548776662) % 1), 0.449],
          // The first answer of a window had already counted two calls of others.
          [-19.19, () => 0.0835, 0.49998],
          [-6.227, (n) => 0.096 + 0.1237 * ((n * 0.7548776662) % 1), 0.483],
        ],
      },
    );
  });

  // The reset of a sliding window does not say how many calls are free then. So a refusal cannot be ruled out.
  it('including other programs in a sliding window: after a refusal no call is sent until it is over', () => {
    fc.assert(
      fc.property(skew, latency, share, (ahead, way, part) => {
        const { sent, blocks } = beside('sliding', ahead, way, part);
        // A slot is taken a quarter of a distance before it is due, so one may have been taken before the answer.
        for (const { from, to } of blocks)
          expect(sent.filter((at) => at > from + 0.25 * gapOf(LIMIT) && at < to - 0.001)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('all of the budget', () => {
  it('is used in every minute while nobody else calls', () => {
    fc.assert(
      fc.property(windows, skew, latency, (kind, ahead, way) => {
        const { sent, refused } = live({
          seconds: 241,
          limit: LIMIT,
          windows: kind,
          skew: ahead,
          latency: way,
          foreign: [],
        });
        expect(refused).toEqual([]);
        for (let minute = 0; minute < 4; minute++)
          expect(perMinute(sent, minute)).toBeGreaterThanOrEqual(LEAST[kind]);
      }),
      { numRuns: 100 },
    );
  });

  it('is ours again in the fifth minute after other programs have stopped', () => {
    fc.assert(
      fc.property(windows, skew, latency, foreign(120), (kind, ahead, way, others) => {
        const { sent } = live({
          seconds: 421,
          limit: LIMIT,
          windows: kind,
          skew: ahead,
          latency: way,
          foreign: others,
        });
        expect(perMinute(sent, 6)).toBeGreaterThanOrEqual(LEAST_AGAIN[kind]);
      }),
      { numRuns: 100 },
    );
  });

  it('is ours again in the fifth minute after a garbled answer', () => {
    fc.assert(
      fc.property(
        windows,
        skew,
        latency,
        garbledHeaders,
        fc.integer({ min: 1, max: 100 }),
        (kind, ahead, way, wrong, at) => {
          const { sent } = live({
            seconds: 421,
            limit: LIMIT,
            windows: kind,
            skew: ahead,
            latency: way,
            foreign: [],
            garbled: (n) => (n === at ? wrong : null),
          });
          expect(perMinute(sent, 6)).toBeGreaterThanOrEqual(LEAST_AGAIN[kind]);
        },
      ),
      { numRuns: 100 },
    );
  });
});

it('a higher limit counts once two answers in a row name it, a lower one at once', () => {
  const answer = { last: 0, left: 50, resetAt: 160, quickest: 0.01, now: 100 };
  const first = learn(freshState(120), { ...answer, slot: 1, limit: 600, used: 550 });
  expect(first.limit).toBe(120);
  expect(learn(first, { ...answer, slot: 2, limit: 600, used: 551 }).limit).toBe(600);
  expect(learn(first, { ...answer, slot: 2, limit: 300, used: 251 }).limit).toBe(300);
  expect(learn(first, { ...answer, slot: 2, limit: 60, used: 10 }).limit).toBe(60);
});

describe('an answer without a call left', () => {
  const answer = { last: 0, limit: 120, resetAt: 160, quickest: 0, now: 100 };

  it.each([
    ['blocks until the window ends', { left: 0, now: 100 }, 160],
    ['blocks for a minute at most, though the clock of the ledger was set back', { left: 0, now: 50 }, 110],
    ['blocks although the count is garbled', { left: -3, now: 100 }, 160],
    ['does not block while one is left', { left: 1, now: 100 }, Number.NEGATIVE_INFINITY],
  ])('%s', (_, { left, now }, until) => {
    const before = learn(freshState(120), { ...answer, slot: 1, used: 119, left: 1 });
    const after = learn(before, { ...answer, slot: 2, used: 120 - left, left, now });
    expect(after.blockedUntil > now ? after.blockedUntil : Number.NEGATIVE_INFINITY).toBe(until);
  });
});
