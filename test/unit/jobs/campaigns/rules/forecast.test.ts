import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WavesConfig } from '../../../../../src/jobs/campaigns/config.ts';
import {
  type ForecastInput,
  forecast,
  paceNeeded,
} from '../../../../../src/jobs/campaigns/rules/forecast.ts';
import { waveOf } from '../../../../../src/jobs/campaigns/rules/waves.ts';
import { propertyRuns } from '../../../../support/runner/property-runs.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ALWAYS: Hours = [0, 24];

/** Open every day from one hour to the other; null: never. Days without a window: `closed`, from day 0. */
type Hours = readonly [from: number, to: number] | null;

/** A calendar that a child could write: it checks every hour. */
function hourly(hours: Record<string, Hours>, closed: readonly number[] = []) {
  const isOpen = (zone: string, hour: number) => {
    const of = hours[zone];
    const [day, at] = [Math.floor(hour / 24), hour % 24];
    return of != null && !closed.includes(day) && at >= of[0] && at < of[1];
  };
  return {
    at(zones: readonly string[], nowMs: number) {
      const open = (hour: number) => zones.every((zone) => isOpen(zone, hour));
      const now = Math.floor(nowMs / HOUR);
      const state = open(now);
      for (let hour = now + 1; hour < now + 24 * 30; hour++) {
        if (open(hour) === state) continue;
        const changeMs = hour * HOUR;
        return state
          ? ({ open: true, closesMs: changeMs } as const)
          : ({ open: false, opensMs: changeMs } as const);
      }
      return state
        ? ({ open: true, closesMs: (now + 24 * 30) * HOUR } as const)
        : ({ open: false, opensMs: null } as const);
    },
  };
}

const plan = (waves: object, some: Partial<ForecastInput> = {}): ForecastInput => ({
  waves: WavesConfig.parse({ every: '0s', settle: '0s', ...waves }),
  groups: [{ zones: ['any'], members: 100 }],
  calendar: hourly({ any: ALWAYS }),
  pacePerMinute: 60,
  startMs: 0,
  horizonMs: 3650 * DAY,
  ...some,
});
const members = (count: number) => ({ groups: [{ zones: ['any'], members: count }] });

describe('a forecast with windows that are always open', () => {
  it.each([
    ['one wave: the first trigger at once, each other a slot later', {}, 100, [[0, 99_000]]],
    [
      'the next wave begins a slot after the last trigger',
      { size: 40 },
      100,
      [
        [0, 39_000],
        [40_000, 79_000],
        [80_000, 99_000],
      ],
    ],
    [
      'or when it has settled',
      { size: 50, settle: '1h' },
      100,
      [
        [0, 49_000],
        [HOUR + 49_000, HOUR + 98_000],
      ],
    ],
    [
      'or `every` after the beginning of the last one, whichever is later',
      { size: 50, every: '1d', settle: '1h' },
      100,
      [
        [0, 49_000],
        [DAY, DAY + 49_000],
      ],
    ],
    [
      'a canary first, then a ramp that keeps its last size',
      { canary: 1, size: [2, 3] },
      9,
      [
        [0, 0],
        [1000, 2000],
        [3000, 5000],
        [6000, 8000],
      ],
    ],
    ['nobody: no wave', {}, 0, []],
  ] as const)('%s', (_, waves, count, times) => {
    const { waves: found, finishMs, byThen } = forecast(plan(waves, members(count)));
    expect(found.map(({ startsMs, endsMs }) => [startsMs, endsMs])).toEqual(times);
    expect(finishMs).toBe(times.at(-1)?.[1] ?? null);
    expect(byThen).toBe(count);
  });

  it('agrees with the formula: waves of one size, always open', () => {
    fc.assert(
      fc.property(
        fc.record({
          count: fc.integer({ min: 1, max: 100_000 }),
          size: fc.integer({ min: 100, max: 5000 }),
          pace: fc.integer({ min: 1, max: 1000 }),
          startMs: fc.integer({ min: 0, max: 1000 * DAY }),
          settle: fc.integer({ min: 0, max: 7200 }),
          every: fc.integer({ min: 0, max: 86_400 }),
        }),
        ({ count, size, pace, startMs, settle, every }) => {
          const gap = MINUTE / pace;
          const full = Math.ceil(count / size) - 1;
          const step = Math.max(size * gap, (size - 1) * gap + settle * 1000, every * 1000);
          const last = startMs + full * step + (count - full * size - 1) * gap;
          const found = forecast(
            plan(
              { size, settle: `${settle}s`, every: `${every}s` },
              { ...members(count), startMs, pacePerMinute: pace },
            ),
          );
          expect(found.waves).toHaveLength(full + 1);
          expect(Math.abs((found.finishMs as number) - last)).toBeLessThan(2);
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });
});

describe('a forecast within windows', () => {
  it('continues when the window opens again', () => {
    const calendar = hourly({ any: [9, 10] });
    const { waves } = forecast(plan({}, { ...members(90), calendar, pacePerMinute: 1 }));
    // 60 fit into the first day, 30 into the second.
    expect(waves).toEqual([
      {
        wave: 1,
        kind: 'wave',
        size: 90,
        startsMs: 9 * HOUR,
        endsMs: DAY + 9 * HOUR + 29 * MINUTE,
        heldUp: null,
      },
    ]);
  });

  it('a wave begins with its first trigger, so that `every` counts from there', () => {
    const calendar = hourly({ any: [9, 10] }, [1, 2]);
    const { waves } = forecast(
      plan({ size: 1, every: '1d' }, { ...members(3), calendar, startMs: 9.5 * HOUR }),
    );
    expect(waves.map(({ startsMs }) => startsMs / DAY)).toEqual([9.5 / 24, 3 + 9 / 24, 4 + 9 / 24]);
  });

  it('zones that are open together share the pace; closed ones wait', () => {
    const calendar = hourly({ west: [9, 11], east: [10, 12] });
    const groups = [
      { zones: ['west'], members: 90 },
      { zones: ['east'], members: 60 },
    ];
    const { waves, byThen } = forecast(
      plan({}, { groups, calendar, pacePerMinute: 1, byMs: 10.5 * HOUR - 1 }),
    );
    // 60 of the west by 10; then 30 and 60 share 60 slots: 20 and 40. The west's last 10 wait for the next day.
    expect(byThen).toBe(90);
    expect(waves[0]).toMatchObject({ startsMs: 9 * HOUR, endsMs: DAY + 9 * HOUR + 9 * MINUTE });
  });

  it('a window that opens between two triggers does not change the pace', () => {
    const calendar = hourly({ west: [9, 12], east: [10, 12] });
    const groups = [
      { zones: ['west'], members: 70 },
      { zones: ['east'], members: 10 },
    ];
    const startMs = 9 * HOUR + 30_000;
    const { finishMs } = forecast(plan({}, { groups, calendar, pacePerMinute: 1, startMs }));
    expect(finishMs).toBe(startMs + 79 * MINUTE);
  });

  it('members with several possible zones are triggered when all of them are open', () => {
    const calendar = hourly({ west: [9, 12], east: [11, 20] });
    const groups = [{ zones: ['east', 'west'], members: 10 }];
    expect(forecast(plan({}, { groups, calendar })).waves[0]?.startsMs).toBe(11 * HOUR);
  });

  it('windows that never open are reported, after those that do', () => {
    const calendar = hourly({ some: [9, 10], none: null });
    const groups = [
      { zones: ['some'], members: 10 },
      { zones: ['none'], members: 10 },
    ];
    const found = forecast(plan({}, { groups, calendar }));
    expect(found).toMatchObject({ waves: [], finishMs: null, byThen: 10, never: [['none']] });
  });

  it('an end beyond the horizon has no date', () => {
    const found = forecast(plan({ size: 1, every: '365d' }, { horizonMs: 3 * 365 * DAY }));
    expect(found).toMatchObject({ finishMs: null, never: [] });
    expect(found.waves).toHaveLength(4);
  });

  describe('a few members whose window opens late', () => {
    /** Of each wave of 100: `few` in a zone that opens at 16:00. */
    const held = (few: number, waves: object = {}, late: Hours = [16, 20]) => {
      const groups = [
        { zones: ['main'], members: 200 - 2 * few },
        { zones: ['far'], members: 2 * few },
      ];
      const calendar = hourly({ main: [9, 20], far: late });
      return forecast(plan({ size: 100, settle: '1h', ...waves }, { groups, calendar, startMs: 9 * HOUR }));
    };
    /** When 97 of 100 are triggered, a second each, and the next wave could begin an hour later. */
    const early = 9 * HOUR + 96_000;

    it('hold up the next wave until then', () => {
      const [first, second] = held(3).waves;
      expect(first).toMatchObject({ endsMs: 16 * HOUR + 2000 });
      expect(first?.heldUp).toEqual({ members: 3, zones: ['far'], delayMs: 16 * HOUR + 2000 - early });
      // In the second wave their window is open.
      expect(second?.heldUp).toBeNull();
    });

    it('hold up the end, in the last wave', () => {
      const { waves, finishMs } = held(3, { size: 200 });
      expect(waves.map(({ heldUp }) => heldUp)).toEqual([
        { members: 6, zones: ['far'], delayMs: (finishMs ?? 0) - (9 * HOUR + 193_000) },
      ]);
    });

    it.each<[string, Parameters<typeof held>]>([
      ['nobody, if they are many', [6]],
      ['nobody, if the next wave is later anyway', [3, { every: '12h' }]],
      ['nobody, if they open less than an hour later', [3, {}, [9, 20]]],
    ])('hold up %s', (_, of) => {
      expect(held(...of).waves[0]?.heldUp).toBeNull();
    });
  });

  it.each([0, -1, Number.NaN])('a pace of %s is refused', (pacePerMinute) => {
    expect(() => forecast(plan({}, { pacePerMinute }))).toThrow(/greater than 0/);
  });

  const campaigns = fc.record({
    size: fc.oneof(
      fc.integer({ min: 1, max: 120 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 3 }),
    ),
    canary: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    // Slots of whole milliseconds.
    pacePerMinute: fc.constantFrom(1, 2, 3, 10, 60, 600),
    startMs: fc.integer({ min: 0, max: 3 * DAY }),
    settle: fc.constantFrom('0s', '15m', '7h'),
    every: fc.constantFrom('0s', '1h', '26h'),
    from: fc.integer({ min: 0, max: 23 }),
    length: fc.integer({ min: 1, max: 24 }),
    closed: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 5 }),
  });

  it('agrees with a simulation of single members', () => {
    fc.assert(
      fc.property(campaigns, fc.integer({ min: 1, max: 300 }), (campaign, count) => {
        const { pacePerMinute, startMs, from, length, closed, ...waves } = campaign;
        const calendar = hourly({ any: [from, Math.min(24, from + length)] }, closed);
        const input = plan(waves, { ...members(count), calendar, pacePerMinute, startMs });
        expect(forecast(input).waves).toMatchObject(oneByOne(input, count));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('with several zones: every member once, never faster than the pace, wave after wave', () => {
    const zoned = fc.record({
      campaign: campaigns,
      counts: fc.array(fc.nat(80), { minLength: 3, maxLength: 3 }),
    });
    fc.assert(
      fc.property(
        zoned,
        ({ campaign: { pacePerMinute, startMs, from, length, closed, ...waves }, counts }) => {
          const calendar = hourly(
            { a: [from, Math.min(24, from + length)], b: [6, 18], c: [12, 13] },
            closed,
          );
          const groups = ['a', 'b', 'c'].map((zone, i) => ({ zones: [zone], members: counts[i] as number }));
          const input = plan(waves, { groups, calendar, pacePerMinute, startMs });
          const found = forecast(input);
          const all = counts.reduce((sum, count) => sum + count, 0);
          expect(found.waves.reduce((sum, { size }) => sum + size, 0)).toBe(all);
          expect(found.byThen).toBe(all);
          const { everyMs, settleMs } = spans(input.waves);
          for (const [i, { size, startsMs, endsMs }] of found.waves.entries()) {
            expect(endsMs - startsMs).toBeGreaterThanOrEqual(((size - 1) * MINUTE) / pacePerMinute);
            for (const ms of [startsMs, endsMs])
              expect(groups.some(({ zones }) => calendar.at(zones, ms).open)).toBe(true);
            const before = found.waves[i - 1];
            if (before === undefined) continue;
            expect(startsMs - before.startsMs).toBeGreaterThanOrEqual(everyMs);
            expect(startsMs - before.endsMs).toBeGreaterThanOrEqual(
              Math.max(settleMs, MINUTE / pacePerMinute),
            );
          }
          // Each zone for itself, with the pace for itself, can't be slower than all of them together.
          for (const group of groups)
            if (group.members > 0 && all > 0) {
              const alone = forecast({
                ...input,
                waves: WavesConfig.parse({ size: 1000, settle: '0s' }),
                groups: [group],
              });
              expect(alone.finishMs as number).toBeLessThanOrEqual(found.finishMs as number);
            }
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });

  it('100,000 members in 10 zones in waves of 500 are fast', () => {
    let asked = 0;
    const zones = Object.fromEntries(
      Array.from({ length: 10 }, (_, i): [string, Hours] => [`z${i}`, [8 + (i % 5), 18 + (i % 5)]]),
    );
    const inner = hourly(zones);
    const calendar = { at: (of: readonly string[], ms: number) => (asked++, inner.at(of, ms)) };
    const groups = Object.keys(zones).map((zone) => ({ zones: [zone], members: 10_000 }));
    const found = forecast(plan({ size: 500, settle: '15m' }, { groups, calendar, pacePerMinute: 120 }));
    expect(found.waves).toHaveLength(200);
    expect(found.byThen).toBe(100_000);
    expect(asked).toBeLessThan(10_000);
  });
});

describe('the pace needed', () => {
  it('is the lowest that ends in time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5000 }),
        fc.integer({ min: 1, max: 3 * 1440 }),
        (count, minutes) => {
          const byMs = minutes * MINUTE;
          const input = plan({ size: 10_000 }, members(count));
          const pace = paceNeeded(input, byMs) as number;
          expect(pace).toBe(Math.max(1, Math.ceil(((count - 1) / minutes) * (1 - 1e-12))));
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });

  it('is null if the waves alone take longer', () => {
    expect(paceNeeded(plan({ size: 10, every: '1d' }), 8 * DAY)).toBeNull();
    expect(paceNeeded(plan({ size: 10, every: '1d' }), 9 * DAY + HOUR)).toBe(1);
  });
});

function spans({ every, settle }: WavesConfig) {
  const ms = (text: string) =>
    Number.parseFloat(text) * { s: 1000, m: MINUTE, h: HOUR, d: DAY }[text.at(-1) as 's' | 'm' | 'h' | 'd'];
  return { everyMs: ms(every), settleMs: ms(settle) };
}

/** The same, member by member and slot by slot. */
function oneByOne({ waves, calendar, pacePerMinute, startMs }: ForecastInput, count: number) {
  const { everyMs, settleMs } = spans(waves);
  const gap = MINUTE / pacePerMinute;
  const found: { wave: number; kind: string; size: number; startsMs: number; endsMs: number }[] = [];
  let slot = startMs;
  for (let done = 0, wave = 1; done < count; wave++) {
    const { kind, size } = waveOf(waves, wave);
    const times: number[] = [];
    for (; times.length < size && done < count; done++) {
      for (;;) {
        const at = calendar.at(['any'], slot);
        if (at.open) break;
        slot = at.opensMs as number;
      }
      times.push(slot);
      slot += gap;
    }
    const [startsMs, endsMs] = [times[0] as number, times.at(-1) as number];
    found.push({ wave, kind, size: times.length, startsMs, endsMs });
    slot = Math.max(slot, startsMs + everyMs, endsMs + settleMs);
  }
  return found;
}
