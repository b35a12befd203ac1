import { describe, expect, it } from 'vitest';
import { formatDay, formatMoment, formatSpan, regionalLanguage } from '../../../src/console/format/format.ts';

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
