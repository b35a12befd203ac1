import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysOf } from '../../../../../src/jobs/campaigns/rules/days.ts';

const MINUTE = 60_000;
const at = (text: string) => Date.parse(text);

describe('a forecast by days', () => {
  it('midnight is that of the zone', () => {
    const startsMs = at('2026-11-24T02:59:00Z');
    const stretches = [{ startsMs, members: 3 }];
    expect(daysOf(stretches, MINUTE, 'America/Sao_Paulo')).toEqual([
      { day: '2026-11-23', members: 1, firstMs: startsMs, lastMs: startsMs },
      { day: '2026-11-24', members: 2, firstMs: startsMs + MINUTE, lastMs: startsMs + 2 * MINUTE },
    ]);
    expect(daysOf(stretches, MINUTE, 'UTC')).toMatchObject([{ day: '2026-11-24', members: 3 }]);
  });

  it('stretches of one day are added up, and days without any are left out', () => {
    const days = daysOf(
      [
        { startsMs: at('2026-11-23T10:00:00Z'), members: 2 },
        { startsMs: at('2026-11-23T18:00:00Z'), members: 1 },
        { startsMs: at('2026-11-25T10:00:00Z'), members: 1 },
      ],
      MINUTE,
      'UTC',
    );
    expect(days.map(({ day, members }) => [day, members])).toEqual([
      ['2026-11-23', 3],
      ['2026-11-25', 1],
    ]);
    expect(days[0]?.lastMs).toBe(at('2026-11-23T18:00:00Z'));
  });

  it.each([
    ['where midnight was skipped', 'America/Sao_Paulo', '2018-11-04T02:59:30Z', ['2018-11-03', '2018-11-04']],
    ['where midnight came twice', 'America/Sao_Paulo', '2018-02-18T02:59:30Z', ['2018-02-17', '2018-02-18']],
    ['where a day was left out', 'Pacific/Apia', '2011-12-30T09:59:30Z', ['2011-12-29', '2011-12-31']],
  ])('%s', (_, zone, start, expected) => {
    expect(daysOf([{ startsMs: at(start), members: 2 }], MINUTE, zone).map(({ day }) => day)).toEqual(
      expected,
    );
  });

  it('agrees with the day of each single trigger', () => {
    const zones = fc.constantFrom('America/Sao_Paulo', 'Europe/Lisbon', 'America/New_York', 'Asia/Kolkata');
    const stretch = fc.record({
      after: fc.integer({ min: 0, max: 40 * 60 }),
      members: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(
      fc.property(
        fc.array(stretch, { maxLength: 5 }),
        zones,
        fc.constantFrom(1, 7, 45),
        fc.integer({ min: 0, max: 500 * 1440 }),
        (given, zone, gapMinutes, start) => {
          const gap = gapMinutes * MINUTE;
          let now = at('2018-01-01T00:00:00Z') + start * MINUTE;
          const stretches = given.map(({ after, members }) => {
            const startsMs = now + after * MINUTE;
            now = startsMs + members * gap;
            return { startsMs, members };
          });
          const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
          const counts = new Map<string, number>();
          for (const { startsMs, members } of stretches)
            for (let n = 0; n < members; n++) {
              const day = format.format(startsMs + n * gap);
              counts.set(day, (counts.get(day) ?? 0) + 1);
            }
          expect(new Map(daysOf(stretches, gap, zone).map(({ day, members }) => [day, members]))).toEqual(
            counts,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});
