// The patterns that the document shows take what the sandbox takes, and nothing else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHOICES } from '../../../src/sandbox/choices.ts';
import { phone } from '../../../src/sandbox/openapi/inputs.ts';
import { calendarDay, DAY, INSTANT, parseInstant } from '../../../src/sandbox/rules/dates.ts';
import { normalizeNumber } from '../../../src/sandbox/rules/numbers.ts';

const isTaken = (text: string, choices = CHOICES) => {
  try {
    return /^\d+$/.test(normalizeNumber(text, choices));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_NUMBER_INVALID' });
    return false;
  }
};

describe('a phone', () => {
  const written = fc
    .array(fc.constantFrom('5', '1', '0', '+', ' ', '(', 'x', '\n', '٣', '𝟜'))
    .map((parts) => parts.join(''));
  it.each([
    ['any', CHOICES],
    ['of 8 to 10 digits', { ...CHOICES, numberDigits: { min: 8, max: 10 } }],
  ])('%s fits the pattern if and only if it is a number to the rules', (_name, choices) => {
    fc.assert(
      fc.property(fc.oneof(written, fc.string()), (text) => {
        expect(phone(choices).safeParse(text).success).toBe(isTaken(text, choices));
      }),
      { numRuns: 500 },
    );
  });

  it('of a megabyte is judged at once', () => {
    expect(phone(CHOICES).safeParse('1'.repeat(1_000_000)).success).toBe(false);
    expect(phone(CHOICES).safeParse(`${' '.repeat(1_000_000)}1`).success).toBe(true);
  });
});

describe('a date', () => {
  it.each([
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['1900-02-29', false],
    ['2000-02-29', true],
    ['0000-02-29', true],
    ['2026-04-31', false],
    ['2026-13-01', false],
    ['2026-00-10', false],
    ['2026-1-1', false],
    ['٢٠٢٦-01-01', false],
    ['2026-01-01 ', false],
  ])('%s is a day: %s', (text, isDay) => {
    expect([DAY.test(text), calendarDay(text)]).toEqual([isDay, isDay ? text : null]);
  });

  it.each([
    ['2026-01-01T00:00:00Z', true],
    ['2026-01-01T00:00Z', true],
    ['2026-01-01T23:59:59,999999999-03:00', true],
    ['2026-01-01T10:00:00+0530', true],
    ['2026-01-01T10:00:00', false],
    ['2026-01-01T24:00:00Z', false],
    ['2026-01-01T10:60:00Z', false],
    ['2026-01-01T10:00:00+24:00', false],
    ['2026-02-30T10:00:00Z', false],
    ['2026-01-01t10:00:00z', false],
  ])('%s is an instant: %s', (text, isInstant) => {
    expect([INSTANT.test(text), parseInstant(text) !== null]).toEqual([isInstant, isInstant]);
  });

  it('that fits the pattern is always a moment, and its day a day of the calendar', () => {
    fc.assert(
      fc.property(fc.stringMatching(INSTANT), (text) => {
        expect(Number.isFinite(parseInstant(text))).toBe(true);
        expect(calendarDay(text)).toMatch(DAY);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['9999-12-31T23:59:59-10:00', '0000-01-01T00:00:00+10:00'])('%s keeps its day', (text) => {
    expect(calendarDay(text)).toBe(text.slice(0, 10));
  });
});
