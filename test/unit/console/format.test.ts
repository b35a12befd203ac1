import { describe, expect, it } from 'vitest';
import {
  formatAgo,
  formatBytes,
  formatClock,
  formatClockSeconds,
  formatDate,
  formatDay,
  formatMoment,
  formatSpan,
  regionalLanguage,
} from '../../../src/console/format/format.ts';
import { timeLabels } from '../../../src/console/parts/charts/axis-labels.ts';

const ZONE = 'America/Sao_Paulo';
const AT = Date.parse('2026-11-12T17:05:59Z');

describe('a date is read the same way everywhere', () => {
  it.each([
    ['en-GB', ZONE, ZONE, '12 Nov 2026, 14:05'],
    ['en-US', ZONE, ZONE, 'Nov 12, 2026, 14:05'],
    ['pt-BR', ZONE, ZONE, '12/11/2026, 14:05'],
    ['en-GB', 'UTC', ZONE, '12 Nov 2026, 17:05 UTC'],
    ['pt-BR', 'UTC', ZONE, '12/11/2026, 17:05 UTC'],
    ['en-GB', ZONE, 'Europe/Lisbon', '12 Nov 2026, 14:05 GMT-3'],
  ])('%s in %s for a browser in %s', (language, zone, own, expected) => {
    expect(formatMoment({ language, zone }, AT, own)).toBe(expected);
  });

  it('midnight is 00:00 of the new day', () => {
    const at = Date.parse('2026-11-13T03:00:00Z');
    expect(formatMoment({ language: 'en-GB', zone: ZONE }, at, ZONE)).toBe('13 Nov 2026, 00:00');
  });

  it('a day of a calendar is that day in every zone', () => {
    expect(formatDay('en-GB', '2026-11-28')).toBe('Sat 28 Nov');
  });
});

describe('bytes have a plural', () => {
  it.each([
    ['en', 1, '1 byte'],
    ['en', 98, '98 bytes'],
    ['pt-BR', 1, '1 byte'],
    ['pt-BR', 98, '98 bytes'],
    ['en', 41_200, '41.2 kB'],
  ])('in %s, %i: %s', (language, bytes, expected) => {
    expect(formatBytes({ language, zone: ZONE }, bytes)).toBe(expected);
  });
});

describe('an axis of time', () => {
  const format = {
    clock: (at: string) => formatClock({ language: 'en-GB', zone: ZONE }, Date.parse(at)),
    clockSeconds: (at: string) => formatClockSeconds({ language: 'en-GB', zone: ZONE }, Date.parse(at)),
    date: (at: string) => formatDate({ language: 'en-GB', zone: ZONE }, Date.parse(at)),
  };
  const from = (at: string, step: number) => [0, 1, 2].map((n) => Date.parse(at) / 1000 + n * step);

  it.each([
    ['days', from('2026-11-12T03:00:00Z', 86_400), ['12 Nov', '13 Nov', '14 Nov']],
    ['hours over a midnight', from('2026-11-12T02:00:00Z', 3600), ['23:00', '12 Nov', '01:00']],
    ['seconds', from('2026-11-12T17:05:10Z', 20), ['14:05:10', '14:05:30', '14:05:50']],
    ['half minutes', from('2026-11-12T17:05:30Z', 30), ['14:05:30', '14:06:00', '14:06:30']],
  ])('of %s labels each line, and no two alike', (_, seconds, labels) => {
    expect(timeLabels(seconds, format)).toEqual(labels);
  });
});

describe('the language of dates', () => {
  it.each([
    ['en', ['pt-BR', 'en-US', 'en-GB'], 'en-US'],
    ['en', ['en-AU'], 'en-AU'],
    ['en', ['pt-BR', 'english-x'], 'en-GB'],
    ['pt-BR', ['pt-PT', 'en-US'], 'pt-BR'],
    ['pt-BR', [], 'pt-BR'],
  ])('of a page in %s, in a browser of %j, is %s', (language, preferred, expected) => {
    expect(regionalLanguage(language, preferred)).toBe(expected);
  });
});

describe('a stretch of time', () => {
  const locale = { language: 'en-GB', zone: ZONE };
  it.each([
    ['2026-11-12T12:00:00Z', ['14:05', '14:20']],
    ['2026-11-11T12:00:00Z', ['12 Nov 2026, 14:05', '12 Nov 2026, 14:20']],
    // Already the next day there.
    ['2026-11-13T03:00:01Z', ['12 Nov 2026, 14:05', '12 Nov 2026, 14:20']],
  ])('of an afternoon, seen at %s', (now, expected) => {
    expect(formatSpan(locale, [AT, AT + 15 * 60_000], { now: Date.parse(now), own: ZONE })).toEqual(expected);
  });
});

describe('what has happened', () => {
  // The page's clock moves every 5 s, and a browser's may be behind the server's.
  it.each([
    [0, 'now'],
    [5, 'now'],
    [90, 'now'],
    [-4, 'now'],
    [-30, '30 sec ago'],
  ])('%i s from now is never ahead', (seconds, expected) => {
    expect(formatAgo({ language: 'en-GB', zone: ZONE }, AT + seconds * 1000, AT)).toBe(expected);
  });
});
