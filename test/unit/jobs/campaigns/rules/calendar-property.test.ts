import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { SendingWindows } from '../../../../../src/jobs/campaigns/config.ts';
import { WEEKDAYS } from '../../../../../src/jobs/campaigns/constants.ts';
import { type Calendar, compileCalendar } from '../../../../../src/jobs/campaigns/rules/calendar.ts';
import { propertyRuns } from '../../../../support/runner/property-runs.ts';
import { isSetBackNear, wallOracle } from '../../../../support/temporal/wall-clock.ts';

const HOUR = 3_600_000;
const HORIZON = 400 * 24 * HOUR;

/** Years whose changes of clocks are of interest. São Paulo changed them at midnight until 2019, Apia skipped a day in 2011. */
const YEARS: Readonly<Record<string, readonly [number, number]>> = {
  'America/Sao_Paulo': [1990, 2020],
  'America/Noronha': [1990, 2003],
  'America/New_York': [1990, 2030],
  'America/St_Johns': [1987, 2012],
  'Europe/Lisbon': [1990, 2030],
  'Atlantic/Azores': [1990, 2030],
  'Asia/Kathmandu': [1985, 1987],
  'Pacific/Apia': [2009, 2022],
  'Africa/Casablanca': [2008, 2030],
  'Australia/Lord_Howe': [1990, 2030],
  'Antarctica/Troll': [2006, 2030],
};
const ZONES = Object.keys(YEARS);

/** Instants at which a zone's clocks were changed; they choose what is asked, never what is right. */
const CHANGES: Readonly<Record<string, readonly number[]>> = Object.fromEntries(
  Object.entries(YEARS).map(([zone, [from, to]]) => {
    const changes: number[] = [];
    let at = Temporal.PlainDate.from({ year: from, month: 1, day: 1 }).toZonedDateTime(zone);
    for (;;) {
      const next = at.getTimeZoneTransition('next');
      if (next === null || next.year > to) return [zone, changes];
      changes.push(next.epochMilliseconds);
      at = next;
    }
  }),
);

const minute = fc.oneof(
  fc.constantFrom(0, 30, 60, 90, 120, 150, 180, 1380, 1410),
  fc.integer({ min: 0, max: 1439 }),
);
const clock = (n: number) =>
  `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`;
const range = fc
  .tuple(minute, fc.oneof(minute, fc.constant(1440)))
  .filter(([from, until]) => from !== until)
  .map(([from, until]) => `${clock(from)}-${clock(until)}`);
const weekdays = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 });
const days = weekdays.chain((names) =>
  fc
    .tuple(...names.map(() => fc.array(range, { minLength: 1, maxLength: 3 })))
    .map((ranges) => Object.fromEntries(names.map((name, n) => [name, ranges[n]]))),
);

/** A zone, an instant near one of its changes of clocks (or anywhere), and perhaps the day of that change as a holiday. */
const moment = fc.constantFrom(...ZONES).chain((zone) =>
  fc
    .record({
      change: fc.nat().map((n) => CHANGES[zone]?.[n % (CHANGES[zone]?.length ?? 1)] ?? 0),
      off: fc.oneof(fc.integer({ min: -180, max: 180 }), fc.integer({ min: -4000, max: 4000 })),
      ms: fc.constantFrom(0, 1, 59_999),
      holiday: fc.constantFrom('none', 'before', 'of', 'after'),
    })
    .map(({ change, off, ms, holiday }) => {
      const day = { none: 0, before: -24, of: 0, after: 24 }[holiday] * HOUR;
      const date = Temporal.Instant.fromEpochMilliseconds(change + day)
        .toZonedDateTimeISO(zone)
        .toPlainDate()
        .toString();
      return { zone, now: change + off * 60_000 + ms, holidays: holiday === 'none' ? [] : [date] };
    }),
);

interface Asked {
  readonly calendar: Calendar;
  readonly zones: readonly string[];
  readonly windows: SendingWindows;
  readonly now: number;
}

/** What any answer has to keep to, whatever was asked. Samples lie between now and what it names. */
function check({ calendar, zones, windows, now }: Asked, shares: readonly number[]): void {
  const oracles = zones.map((zone) => wallOracle(windows, zone));
  const may = (ms: number): boolean => oracles.every((open) => open(ms));
  const setBack = zones.map(isSetBackNear);
  const answer = calendar.at(zones, now);
  const until = (answer.open ? answer.closesMs : answer.opensMs) ?? now + 20 * 24 * HOUR;
  expect(until).toBeGreaterThan(now);
  const near = shares.map((share) => Math.floor(share * Math.min(until - now, 40 * HOUR)));
  const samples = [now, until - 1, ...near.map((ms) => now + ms), ...near.map((ms) => until - 1 - ms)];
  for (const ms of samples) {
    if (answer.open) {
      expect(may(ms), `${new Date(ms).toISOString()} is open`).toBe(true);
    } else if (!setBack.some((isNear) => isNear(ms))) {
      expect(may(ms), `${new Date(ms).toISOString()} is closed`).toBe(false);
    }
  }
  if (answer.open && until < now + HORIZON) {
    const later = calendar.at(zones, until);
    expect(later.open, 'closed when it closes').toBe(false);
  }
  if (!answer.open && answer.opensMs !== null) {
    expect(calendar.at(zones, until).open, 'open when it opens').toBe(true);
    expect(may(until)).toBe(true);
  }
}

const shares = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 4,
  maxLength: 4,
});

describe('FAULTS 43: for any windows, the calendar agrees with the wall clocks', () => {
  it('in one zone, near its clock changes', () => {
    fc.assert(
      fc.property(days, moment, shares, (days, { zone, now, holidays }, shares) => {
        const windows = SendingWindows.parse({ days, holidays });
        check({ calendar: compileCalendar(windows), zones: [zone], windows, now }, shares);
      }),
      { numRuns: propertyRuns(600) },
    );
  });

  it('in several zones at once', () => {
    fc.assert(
      fc.property(
        days,
        moment,
        fc.subarray(ZONES, { minLength: 1, maxLength: 3 }),
        shares,
        (days, moment, others, shares) => {
          const windows = SendingWindows.parse({ days, holidays: moment.holidays });
          const zones = [...new Set([moment.zone, ...others])];
          check({ calendar: compileCalendar(windows), zones, windows, now: moment.now }, shares);
        },
      ),
      { numRuns: propertyRuns(150) },
    );
  });

  it('from window to window across the change, every instant has a result', () => {
    fc.assert(
      fc.property(days, moment, (days, { zone, now, holidays }) => {
        const windows = SendingWindows.parse({ days, holidays });
        const calendar = compileCalendar(windows);
        const may = wallOracle(windows, zone);
        const setBack = isSetBackNear(zone);
        for (let ms = now - 30 * HOUR; ms < now + 30 * HOUR; ms += 17 * 60_000) {
          const { open } = calendar.at([zone], ms);
          if (open !== may(ms) && (open || !setBack(ms)))
            throw new Error(
              `${zone} ${new Date(ms).toISOString()} is ${open ? 'open' : 'closed'}, its clocks say otherwise`,
            );
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});
