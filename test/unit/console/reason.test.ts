// What a person reads about a failure: in words of the page's language, and nothing twice.
import { describe, expect, it } from 'vitest';
import { CODE_AREAS } from '../../../scripts/reference/codes/index.ts';
import en from '../../../src/console/i18n/en/codes.ts';
import { ownReason } from '../../../src/core/own-reason.ts';

const IN_WORDS = [
  'Rows of a source',
  'Sources',
  'Warnings of a run',
  'Records and events',
  'Answers of the ingress',
  'Sinks',
  'Pollers',
  'The service',
];

it.each(IN_WORDS)('every code of "%s" has words', (title) => {
  const area = CODE_AREAS.find((each) => each.title === title);
  // Of a status, the number says what it is.
  const codes = (area?.codes ?? []).map(([code]) => code).filter((code) => code !== 'HTTP_4XX');
  expect(codes.length).toBeGreaterThan(5);
  expect(codes.filter((code) => !Object.hasOwn(en.of, code))).toEqual([]);
});

it('no code has words that nothing has', () => {
  const known = new Set(CODE_AREAS.flatMap(({ codes }) => codes.map(([code]) => code)));
  expect(Object.keys(en.of).filter((code) => !known.has(code))).toEqual([]);
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
