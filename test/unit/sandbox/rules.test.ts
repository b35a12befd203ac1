// The sandbox's rules on their own: rate windows, numbers, dates, custom fields.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHOICES } from '../../../src/sandbox/choices.ts';
import { RateWindows, rateHeaders, retryAfter } from '../../../src/sandbox/http/rate.ts';
import { sortCustomFields } from '../../../src/sandbox/rules/card-create.ts';
import { calendarDay, parseInstant } from '../../../src/sandbox/rules/dates.ts';
import { ninthDigitVariants, normalizeNumber } from '../../../src/sandbox/rules/numbers.ts';
import type { CustomField } from '../../../src/sandbox/state/model.ts';

describe('rate windows', () => {
  it('under any arrivals: never more than the limit in a window, and the headers are correct', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(
          fc.record({
            wait: fc.oneof(fc.integer({ min: 0, max: 70_000 }), fc.constantFrom(0, 59_999, 60_000)),
            key: fc.constantFrom('a', 'b'),
          }),
          {
            maxLength: 60,
          },
        ),
        (limit, calls) => {
          let at = 1_700_000_000_123;
          const windows = new RateWindows(limit, () => new Date(at));
          const model = new Map<string, { start: number; used: number }>();
          for (const { wait, key } of calls) {
            at += wait;
            let window = model.get(key);
            if (window === undefined || at >= window.start + 60_000) window = { start: at, used: 0 };
            model.set(key, window);
            const taken = windows.take(key);
            expect(taken.allowed).toBe(window.used < limit);
            if (taken.allowed) window.used += 1;
            expect(taken.remaining).toBe(limit - window.used);
            expect(taken.resetAt).toBe(window.start + 60_000);
            // Callers that wait as the answer says are let in.
            const seconds = retryAfter(taken, new Date(at));
            expect(seconds).toBeGreaterThanOrEqual(1);
            expect(at + seconds * 1000).toBeGreaterThanOrEqual(taken.resetAt);
            expect(Number(rateHeaders(taken)['X-RateLimit-Reset']) * 1000).toBeGreaterThanOrEqual(
              taken.resetAt,
            );
            expect(windows.peek(key).remaining).toBe(taken.remaining);
          }
        },
      ),
    );
  });

  it('a limit of 0 is never reached; a clock set back opens a new window', () => {
    let at = 1_000_000;
    const off = new RateWindows(0, () => new Date(at));
    for (let i = 0; i < 1_000; i += 1) expect(off.take('a').allowed).toBe(true);
    const one = new RateWindows(1, () => new Date(at));
    one.take('a');
    at -= 500_000;
    expect(one.take('a').allowed).toBe(true);
  });
});

it.each([
  ['5511987654321', ['5511987654321', '551187654321']],
  ['551187654321', ['551187654321', '5511987654321']],
  ['5511887654321', ['5511887654321']],
  ['14155550123', ['14155550123']],
  ['4911987654321', ['4911987654321']],
  ['', ['']],
])('%s is sought as %j', (digits, variants) => {
  expect(ninthDigitVariants(digits)).toEqual(variants);
});

it.each([
  ['+55 (11) 98765-4321', '5511987654321'],
  ['5511987654321@c.us', '5511987654321'],
])('%s is %s', (raw, digits) => expect(normalizeNumber(raw, CHOICES)).toBe(digits));

it.each(['', '   ', 'abc', '+', '1'.repeat(16), '٠١٢'])('"%s" has no valid digits', (raw) => {
  expect(() => normalizeNumber(raw, CHOICES)).toThrow(
    expect.objectContaining({ code: 'ERR_NUMBER_INVALID' }),
  );
});

it.each([
  ['2026-01-01T00:00:00Z', 1_767_225_600_000],
  ['2026-01-01T00:00:00-03:00', 1_767_236_400_000],
  ['2026-01-01T00:00:00.500+0000', 1_767_225_600_500],
  ['2026-01-01T00:00Z', 1_767_225_600_000],
  ['2024-02-29T00:00:00Z', 1_709_164_800_000],
  ['2026-02-29T00:00:00Z', null],
  ['2026-13-01T00:00:00Z', null],
  ['2026-01-01T24:30:00Z', null],
  ['2026-01-01T00:00:00', null],
  ['2026-01-01', null],
  ['2026-01-01T00:00:00+99:00', null],
  ['', null],
])('instant %s is %s', (text, at) => expect(parseInstant(text)).toBe(at));

it.each([
  ['2026-12-01', '2026-12-01'],
  ['2026-12-01T23:00:00-03:00', '2026-12-02'],
  ['2026-12-01T00:00:00+05:00', '2026-11-30'],
  ['2026-02-30', null],
  ['01/12/2026', null],
])('day of %s is %s', (text, day) => expect(calendarDay(text)).toBe(day));

describe('custom fields', () => {
  const field = (name: string, type: CustomField['type'], pipelineId: number | null = null): CustomField => ({
    name,
    type,
    options: ['a', 'b'],
    pipelineId,
  });
  const fields = [
    field('text', 'text'),
    field('number', 'number'),
    field('date', 'date'),
    field('boolean', 'boolean'),
    field('select', 'select'),
    field('multi', 'multiselect'),
    field('both', 'number'),
    field('both', 'text', 1),
    field('theirs', 'text', 2),
  ];
  it.each([
    ['text', 'x', true],
    ['text', 1, false],
    ['number', 1.5, true],
    ['number', '1', false],
    ['date', '2026-01-01', true],
    ['date', '2026-02-30', false],
    ['date', 20260101, false],
    ['boolean', false, true],
    ['boolean', 'true', false],
    ['select', 'a', true],
    ['select', 'c', false],
    ['select', ['a'], false],
    ['multi', ['a', 'b'], true],
    ['multi', [], true],
    ['multi', ['a', 'c'], false],
    ['multi', 'a', false],
    ['both', 'the one of the pipeline wins', true],
    ['theirs', 'x', false],
    ['nowhere', 'x', false],
    ['__proto__', 'x', false],
    ['text', null, false],
  ])('%s = %j is kept: %s', (name, value, kept) => {
    const given = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
    expect(sortCustomFields(given, fields, 1)).toEqual(
      kept ? { kept: { [name]: value }, ignored: [] } : { kept: null, ignored: [name] },
    );
  });
});
