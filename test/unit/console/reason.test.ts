// What a person reads about a failure: in words of the page's language, and nothing twice.
import { describe, expect, it } from 'vitest';
import { CODE_AREAS } from '../../../scripts/reference/codes/index.ts';
import en from '../../../src/console/i18n/en/codes.ts';
import doctor from '../../../src/console/i18n/en/doctor.ts';
import people from '../../../src/console/i18n/en/people.ts';
import refusals from '../../../src/console/i18n/en/refusals.ts';
import { ownReason } from '../../../src/core/own-reason.ts';

const WORDS = { ...en.of, ...refusals.of };

it.each(CODE_AREAS.map(({ title }) => title))('every code of "%s" has words', (title) => {
  const area = CODE_AREAS.find((each) => each.title === title);
  // Of a status, the number says what it is.
  const codes = (area?.codes ?? []).map(([code]) => code).filter((code) => code !== 'HTTP_4XX');
  expect(codes.length).toBeGreaterThan(3);
  // The page of a person and the doctor have sentences of their own.
  const own = { ...people.why.code, ...doctor.of };
  expect(codes.filter((code) => !(code in WORDS || code in own || `${code}_other` in own))).toEqual([]);
});

it('no code has words that nothing has, and none has two', () => {
  // What a person stated about a member is no error, so the reference of codes does not list it.
  const known = new Set(['NOT_TRIGGERED', ...CODE_AREAS.flatMap(({ codes }) => codes.map(([code]) => code))]);
  expect(Object.keys(WORDS).filter((code) => !known.has(code))).toEqual([]);
  expect(Object.keys(refusals.of).filter((code) => code in en.of)).toEqual([]);
});

describe('the reason of a case', () => {
  it.each([
    ['HTTP_422', 'HTTP_422 (HTTP 422) the phone is missing [HTTP_422]', 'the phone is missing'],
    ['REFUSED', 'the receiver answered 403 [REFUSED]', 'the receiver answered 403'],
    ['GONE', 'GONE', null],
    ['GONE', null, null],
    [null, 'as it came', 'as it came'],
  ])('of %s, "%s" is "%s"', (code, reason, shown) => {
    expect(ownReason(code, reason)).toBe(shown);
  });
});
