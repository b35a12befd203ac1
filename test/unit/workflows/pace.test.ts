import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pace } from '../../../workflows/pace.ts';

/** Plays a minute and more of somebody who takes as soon as they may, `lateMs` late each time; answers when. */
function play(perMinute: number, ms: number, lateMs: () => number): number[] {
  const pace = new Pace();
  pace.set(perMinute);
  const times: number[] = [];
  for (let now = 0; now < ms; ) {
    const wait = pace.take(now);
    if (wait === 0) times.push(now);
    else now += wait + lateMs();
  }
  return times;
}

describe('the pace of a campaign', () => {
  it('is over the rate in no minute by more than one tick, and close to it, however late its timers are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 40 })),
        (perMinute, late) => {
          const times = play(perMinute, 180_000, () => late.next().value as number);
          let first = 0;
          const eachMs = 60_000 / perMinute;
          const together = Math.max(1, Math.ceil(500 / (eachMs * 1.005)));
          for (const [last, at] of times.entries()) {
            while (at - (times[first] as number) >= 60_000) first++;
            expect(last - first + 1).toBeLessThanOrEqual(perMinute + together);
          }
          expect(times.length).toBeGreaterThanOrEqual(Math.floor(perMinute * 3 * 0.9));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('does not make up for a long silence with a burst', () => {
    const pace = new Pace();
    pace.set(60);
    expect(pace.take(0)).toBe(0);
    const after = 3_600_000;
    expect(pace.take(after)).toBe(0);
    expect(pace.take(after)).toBeGreaterThan(1000);
  });

  it('a new rate holds from now on; none means none', () => {
    const pace = new Pace();
    pace.set(1);
    expect(pace.take(0)).toBe(0);
    expect(pace.take(10)).toBeGreaterThan(59_000);
    pace.set(120);
    expect(pace.take(10)).toBe(0);
    expect(pace.take(10)).toBeLessThan(510);
    pace.set(null);
    expect([1, 2, 3].map(() => pace.take(11))).toEqual([0, 0, 0]);
  });
});
