// Times of the configuration as fields of the browser take them: nothing changes on the way there and back.
import { describe, expect, it } from 'vitest';
import { isoTime, wallTime } from '../../../src/console/format/wall-time.ts';
import {
  holidayText,
  hoursText,
  readHoliday,
  readHours,
} from '../../../src/console/screens/campaigns/draft/times.ts';
import { SendingWindows } from '../../../src/jobs/campaigns/config.ts';

const isAccepted = (part: object) => SendingWindows.safeParse({ days: {}, ...part }).success;

describe('hours', () => {
  it.each([
    ['09:00-12:00', { from: '09:00', to: '12:00' }, true],
    ['00:00-24:00', { from: '00:00', to: '24:00' }, true],
    ['22:00-02:00', { from: '22:00', to: '02:00' }, true],
    // While they are chosen.
    ['-', { from: '', to: '' }, false],
    ['09:00-', { from: '09:00', to: '' }, false],
    ['-24:00', { from: '', to: '24:00' }, false],
  ])('%s', (text, hours, accepted) => {
    expect(readHours(text)).toEqual(hours);
    expect(hoursText(hours)).toBe(text);
    expect(isAccepted({ days: { mon: [text] } })).toBe(accepted);
  });

  it.each<unknown>(['9:00-12:00', '24:00-25:00', '24:00-', '09:00–12:00', '09:00', '', 900, null, { a: 1 }])(
    '%j stays text',
    (text) => expect(readHours(text)).toBeNull(),
  );
});

describe('a holiday', () => {
  it.each([
    ['12-25', { date: '2026-12-25', everyYear: true }, true],
    ['02-29', { date: '2028-02-29', everyYear: true }, true],
    ['2026-12-31', { date: '2026-12-31', everyYear: false }, true],
    ['', { date: '', everyYear: false }, false],
  ])('%j', (text, holiday, accepted) => {
    expect(readHoliday(text, 2026)).toEqual(holiday);
    expect(holidayText(holiday)).toBe(text);
    expect(isAccepted({ holidays: [text] })).toBe(accepted);
  });

  it('29 February is found over a year without it', () => {
    expect(readHoliday('02-29', 2097)).toEqual({ date: '2104-02-29', everyYear: true });
  });

  it.each<unknown>(['02-30', '2026-02-29', '2026-13-01', '25/12', '-', 1225, null])('%j stays text', (text) =>
    expect(readHoliday(text, 2026)).toBeNull(),
  );
});

describe('a moment', () => {
  it.each([
    ['2026-12-01T09:00:00-03:00', 'America/Sao_Paulo', '2026-12-01T09:00', '2026-12-01T09:00:00-03:00'],
    // Written with another offset than that of the account.
    ['2026-12-01T12:00:00Z', 'America/Sao_Paulo', '2026-12-01T09:00', '2026-12-01T09:00:00-03:00'],
    ['2026-12-01T09:00:30-03:00', 'America/Sao_Paulo', '2026-12-01T09:00:30', '2026-12-01T09:00:30-03:00'],
    ['2026-07-01T09:00:00+02:00', 'Europe/Berlin', '2026-07-01T09:00', '2026-07-01T09:00:00+02:00'],
    ['2026-12-31T23:59:00+05:30', 'Asia/Kolkata', '2026-12-31T23:59', '2026-12-31T23:59:00+05:30'],
    ['2026-12-01T09:00:00Z', 'UTC', '2026-12-01T09:00', '2026-12-01T09:00:00+00:00'],
  ])('%s in %s', (text, zone, wall, written) => {
    expect(wallTime(text, zone)).toBe(wall);
    expect(isoTime(wall, zone)).toBe(written);
  });

  it('that clocks skip is the one an hour later', () => {
    expect(isoTime('2026-03-29T02:30', 'Europe/Berlin')).toMatch(/^2026-03-29T0[13]:30:00\+0[12]:00$/);
  });

  it.each(['', 'tomorrow', '2026-12-01', '2026-12-01T09:00', '2026-13-01T09:00:00Z', '2026-12-01 09:00:00Z'])(
    '%j stays text',
    (text) => expect(wallTime(text, 'UTC')).toBeNull(),
  );

  it.each(['', '2026-12-01', '2026-13-01T09:00', '09:00'])('%j is not written', (wall) =>
    expect(isoTime(wall, 'UTC')).toBeNull(),
  );
});
