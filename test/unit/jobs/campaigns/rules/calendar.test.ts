import { describe, expect, it } from 'vitest';
import { SendingWindows } from '../../../../../src/jobs/campaigns/config.ts';
import { WEEKDAYS } from '../../../../../src/jobs/campaigns/constants.ts';
import { compileCalendar, type Opening } from '../../../../../src/jobs/campaigns/rules/calendar.ts';

type Input = { days?: Record<string, string[]>; holidays?: string[] };

const daily = (...ranges: string[]): Input => ({
  days: Object.fromEntries(WEEKDAYS.map((day) => [day, ranges])),
});
const calendar = (input: Input) => compileCalendar(SendingWindows.parse({ days: {}, ...input }));

/** `open until …` or `closed until …`, in UTC. */
function say(opening: Opening): string {
  const until = opening.open ? opening.closesMs : opening.opensMs;
  const text = until === null ? 'never' : new Date(until).toISOString().replace(/(:00)?\.000Z$/, 'Z');
  return `${opening.open ? 'open' : 'closed'} until ${text}`;
}
const ask = (input: Input, zones: string | string[], at: string) =>
  say(calendar(input).at([zones].flat(), Date.parse(at)));

const WEEK: Input = {
  days: { mon: ['09:00-12:00', '14:00-18:30'], fri: ['22:00-02:00'], sat: ['00:00-24:00'] },
};

describe('windows of a week, in São Paulo (UTC-3)', () => {
  it.each([
    ['before the first', '2026-11-23T11:59:59Z', 'closed until 2026-11-23T12:00Z'],
    ['at its first instant', '2026-11-23T12:00:00Z', 'open until 2026-11-23T15:00Z'],
    ['a millisecond before its end', '2026-11-23T14:59:59.999Z', 'open until 2026-11-23T15:00Z'],
    ['at its end, which is not of it', '2026-11-23T15:00:00Z', 'closed until 2026-11-23T17:00Z'],
    ['in the second one', '2026-11-23T21:29:00Z', 'open until 2026-11-23T21:30Z'],
    ['on a day without any', '2026-11-24T15:00:00Z', 'closed until 2026-11-28T01:00Z'],
    [
      'over midnight, into a day that is open: they are one',
      '2026-11-28T01:30:00Z',
      'open until 2026-11-29T03:00Z',
    ],
    ['after midnight, on the weekday behind', '2026-11-28T04:00:00Z', 'open until 2026-11-29T03:00Z'],
    ['at 24:00', '2026-11-29T03:00:00Z', 'closed until 2026-11-30T12:00Z'],
  ])('%s', (_, at, expected) => {
    expect(ask(WEEK, 'America/Sao_Paulo', at)).toBe(expected);
  });
});

describe('a range across midnight belongs to the weekday on which it begins', () => {
  const nights: Input = { days: { mon: ['22:00-02:00'] } };
  it.each([
    ['2026-11-23T03:30:00Z', 'closed until 2026-11-24T01:00Z'],
    ['2026-11-24T04:30:00Z', 'open until 2026-11-24T05:00Z'],
    ['2026-11-24T05:00:00Z', 'closed until 2026-12-01T01:00Z'],
  ])('%s', (at, expected) => {
    expect(ask(nights, 'America/Sao_Paulo', at)).toBe(expected);
  });
});

describe('a holiday', () => {
  it.each([
    ['closes its whole day', daily('09:00-18:00'), '2026-12-25T12:30:00Z', 'closed until 2026-12-26T12:00Z'],
    [
      'cuts off what reaches into it',
      daily('22:00-02:00'),
      '2026-12-25T01:30:00Z',
      'open until 2026-12-25T03:00Z',
    ],
    [
      'lets none begin, also none that ends a day later',
      daily('22:00-02:00'),
      '2026-12-25T03:00:00Z',
      'closed until 2026-12-27T01:00Z',
    ],
    ['parts two whole days', daily('00:00-24:00'), '2026-12-24T15:00:00Z', 'open until 2026-12-25T03:00Z'],
  ])('%s', (_, input, at, expected) => {
    expect(ask({ ...input, holidays: ['2026-12-25'] }, 'America/Sao_Paulo', at)).toBe(expected);
  });

  it('without a year repeats each year, one with a year does not', () => {
    const input = { ...daily('09:00-18:00'), holidays: ['12-25', '2026-11-30'] };
    expect(ask(input, 'UTC', '2027-12-25T10:00:00Z')).toBe('closed until 2027-12-26T09:00Z');
    expect(ask(input, 'UTC', '2027-11-30T10:00:00Z')).toBe('open until 2027-11-30T18:00Z');
    expect(ask(input, 'UTC', '2026-11-30T10:00:00Z')).toBe('closed until 2026-12-01T09:00Z');
  });

  it('on 29 February exists only in leap years', () => {
    const input = { ...daily('00:00-24:00'), holidays: ['02-29'] };
    expect(ask(input, 'UTC', '2028-02-28T10:00:00Z')).toBe('open until 2028-02-29T00:00Z');
    expect(ask(input, 'UTC', '2028-02-29T23:59:00Z')).toBe('closed until 2028-03-01T00:00Z');
  });

  it('ends with the local day', () => {
    const input = { ...daily('00:00-24:00'), holidays: ['2026-12-25'] };
    expect(ask(input, 'Pacific/Kiritimati', '2026-12-24T09:59:59Z')).toBe('open until 2026-12-24T10:00Z');
    expect(ask(input, 'Pacific/Niue', '2026-12-26T10:59:59Z')).toBe('closed until 2026-12-26T11:00Z');
  });
});

describe('overlapping and adjacent ranges are merged', () => {
  it.each([
    ['touch', daily('09:00-12:00', '12:00-18:00')],
    ['overlap, in any order', daily('11:00-18:00', '09:00-13:00')],
    ['lie in another', daily('09:00-18:00', '10:00-11:00')],
  ])('%s', (_, input) => {
    expect(ask(input, 'UTC', '2026-11-23T09:30:00Z')).toBe('open until 2026-11-23T18:00Z');
  });

  it('a range that ends when it begins is empty', () => {
    expect(ask(daily('09:00-09:00'), 'UTC', '2026-11-23T09:00:00Z')).toBe('closed until never');
  });

  it('windows that never close are reported for 400 days', () => {
    expect(ask(daily('00:00-24:00'), 'Atlantic/Azores', '2026-01-01T00:00:00Z')).toBe(
      'open until 2027-02-05T00:00Z',
    );
  });
});

describe('around clock changes, no time outside the range is in it', () => {
  it.each([
    // São Paulo, 2018-11-04: 23:59 is followed by 01:00.
    [
      'midnight does not exist: the window begins at 01:00',
      daily('00:00-08:00'),
      'America/Sao_Paulo',
      '2018-11-04T02:59:00Z',
      'closed until 2018-11-04T03:00Z',
    ],
    [
      'a range within the missing hour',
      { days: { sun: ['00:10-00:50'] } },
      'America/Sao_Paulo',
      '2018-11-04T02:00:00Z',
      'closed until 2018-11-11T02:10Z',
    ],
    [
      'an end in the missing hour',
      { days: { sat: ['22:00-00:30'] } },
      'America/Sao_Paulo',
      '2018-11-04T01:30:00Z',
      'open until 2018-11-04T03:00Z',
    ],
    // São Paulo, 2018-02-17: 23:59 is followed by 23:00.
    [
      'a Saturday of 25 hours is open to its end',
      { days: { sat: ['20:00-24:00'] } },
      'America/Sao_Paulo',
      '2018-02-18T01:59:00Z',
      'open until 2018-02-18T03:00Z',
    ],
    [
      'an end that comes twice: the first',
      { days: { sat: ['20:00-23:30'] } },
      'America/Sao_Paulo',
      '2018-02-18T01:00:00Z',
      'open until 2018-02-18T01:30Z',
    ],
    [
      'a start that comes twice: the second',
      { days: { sat: ['23:30-01:00'] } },
      'America/Sao_Paulo',
      '2018-02-18T01:30:00Z',
      'closed until 2018-02-18T02:30Z',
    ],
    [
      'a range within the hour that comes twice: its second time',
      { days: { sat: ['23:10-23:50'] } },
      'America/Sao_Paulo',
      '2018-02-18T01:20:00Z',
      'closed until 2018-02-18T02:10Z',
    ],
    [
      'and that ends',
      { days: { sat: ['23:10-23:50'] } },
      'America/Sao_Paulo',
      '2018-02-18T02:20:00Z',
      'open until 2018-02-18T02:50Z',
    ],
    // New York, 2026-03-08: 02:00 → 03:00; 2026-11-01: 02:00 → 01:00.
    [
      'New York springs forward: 02:30 is 03:00',
      daily('02:30-05:00'),
      'America/New_York',
      '2026-03-08T06:30:00Z',
      'closed until 2026-03-08T07:00Z',
    ],
    [
      'New York springs forward: until 02:30 is until 02:00',
      daily('01:00-02:30'),
      'America/New_York',
      '2026-03-08T06:30:00Z',
      'open until 2026-03-08T07:00Z',
    ],
    [
      'New York falls back: from 01:30 is from the second',
      daily('01:30-05:00'),
      'America/New_York',
      '2026-11-01T05:30:00Z',
      'closed until 2026-11-01T06:30Z',
    ],
    [
      'New York falls back: until 01:30 is until the first',
      daily('00:00-01:30'),
      'America/New_York',
      '2026-11-01T04:30:00Z',
      'open until 2026-11-01T05:30Z',
    ],
    [
      'New York falls back: a range with the whole hour contains it twice',
      daily('00:00-03:00'),
      'America/New_York',
      '2026-11-01T04:30:00Z',
      'open until 2026-11-01T08:00Z',
    ],
    // Lisbon, 2026-03-29: 01:00 → 02:00; 2026-10-25: 02:00 → 01:00.
    [
      'Lisbon, the summer day after',
      daily('09:00-18:00'),
      'Europe/Lisbon',
      '2026-03-29T07:00:00Z',
      'closed until 2026-03-29T08:00Z',
    ],
    [
      'Lisbon, the winter day after',
      daily('09:00-18:00'),
      'Europe/Lisbon',
      '2026-10-25T08:30:00Z',
      'closed until 2026-10-25T09:00Z',
    ],
    // Lord Howe moves by half an hour, 2026-04-05 02:00 → 01:30. Apia had no 2011-12-30, a Friday.
    [
      'Lord Howe, half an hour twice',
      daily('01:45-03:00'),
      'Australia/Lord_Howe',
      '2026-04-04T14:50:00Z',
      'closed until 2026-04-04T15:15Z',
    ],
    [
      'Apia, a day that never was',
      { days: { fri: ['09:00-17:00'], sat: ['09:00-10:00'] } },
      'Pacific/Apia',
      '2011-12-30T09:00:00Z',
      'closed until 2011-12-30T19:00Z',
    ],
  ])('FAULTS 43: %s', (_, input, zone, at, expected) => {
    expect(ask(input, zone, at)).toBe(expected);
  });
});

describe('several zones: open where all are open', () => {
  it('an hour between Recife and Noronha costs an hour', () => {
    const zones = ['America/Noronha', 'America/Recife'];
    expect(ask(daily('09:00-18:00'), zones, '2026-11-23T11:30:00Z')).toBe('closed until 2026-11-23T12:00Z');
    expect(ask(daily('09:00-18:00'), zones, '2026-11-23T12:00:00Z')).toBe('open until 2026-11-23T20:00Z');
  });

  it('zones without a common window never open', () => {
    const zones = ['Europe/Kaliningrad', 'Asia/Kamchatka'];
    expect(ask(daily('09:00-18:00'), zones, '2026-11-23T12:00:00Z')).toBe('closed until never');
    expect(ask(daily('08:00-21:00'), zones, '2026-11-23T12:00:00Z')).toBe('closed until 2026-11-24T06:00Z');
  });

  it('a holiday in one of them is a holiday', () => {
    const input = { ...daily('00:00-24:00'), holidays: ['2026-12-25'] };
    const zones = ['Pacific/Kiritimati', 'Pacific/Niue'];
    expect(ask(input, zones, '2026-12-24T09:00:00Z')).toBe('open until 2026-12-24T10:00Z');
    expect(ask(input, zones, '2026-12-24T10:00:00Z')).toBe('closed until 2026-12-25T10:00Z');
  });
});

it('no window, or none within 400 days, never opens', () => {
  expect(ask({}, 'UTC', '2026-11-23T12:00:00Z')).toBe('closed until never');
  const holidays: string[] = [];
  for (let day = new Date('2026-01-01'); day < new Date('2027-01-01'); day = new Date(+day + 86_400_000))
    holidays.push(day.toISOString().slice(5, 10));
  const leap = { ...daily('09:00-18:00'), holidays };
  expect(ask(leap, 'UTC', '2026-11-23T12:00:00Z')).toBe('closed until never');
  expect(ask(leap, 'UTC', '2027-11-23T12:00:00Z')).toBe('closed until 2028-02-29T09:00Z');
});

it('results do not depend on earlier queries', () => {
  const shared = calendar(WEEK);
  const times = [
    '2026-11-23T12:00:00Z',
    '2027-12-01T00:00:00Z',
    '2018-11-03T23:00:00Z',
    '2026-11-23T12:00:00Z',
    '2028-01-01T00:00:00Z',
  ];
  for (const at of times)
    expect(say(shared.at(['America/Sao_Paulo'], Date.parse(at)))).toBe(ask(WEEK, 'America/Sao_Paulo', at));
});

it('an unknown zone, or none, is refused', () => {
  expect(() => calendar(WEEK).at(['America/Nowhere'], 0)).toThrow(/America\/Nowhere is not a time zone/);
  expect(() => calendar(WEEK).at([], 0)).toThrow(/at least one/);
});
