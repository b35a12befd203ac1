import fc from 'fast-check';
import { isValidPhoneNumber } from 'libphonenumber-js/max';
import { describe, expect, it } from 'vitest';
import { brazilianVariants, canonicalKey, parsePhone } from '../../../../src/mapping/phone/index.ts';
import { propertyRuns } from '../../../support/runner/property-runs.ts';

const BR = { country: 'BR' } as const;

const AREAS = [
  '11',
  '19',
  '21',
  '27',
  '31',
  '41',
  '47',
  '51',
  '53',
  '55',
  '61',
  '65',
  '71',
  '79',
  '81',
  '85',
  '91',
  '99',
];
// Without placeholders, which end in seven equal digits; an area code of a few more digits reads as another country.
const eight = fc
  .integer({ min: 60_000_000, max: 99_999_999 })
  .map(String)
  .filter((digits) => !/(\d)\1{6}$/.test(digits));
const NATIONAL = { country: 'BR', format: 'national' } as const;

describe('the ninth digit', () => {
  it('every way to write a mobile number, with or without it, is one person', () => {
    const prefix = fc.constantFrom('', '+55', '55', '0', '0055', '+55 0', '021', '041');
    fc.assert(
      fc.property(
        fc.constantFrom(...AREAS),
        eight,
        prefix,
        fc.boolean(),
        (area, subscriber, before, ninth) => {
          const result = parsePhone(`${before}${area}${ninth ? '9' : ''}${subscriber}`, NATIONAL);
          expect(result).toEqual({ ok: true, number: `55${area}9${subscriber}` });
        },
      ),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('what is accepted is valid, and parsing it again changes nothing', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[+0-9 ()x/.-]{0,20}$/), (text) => {
        const result = parsePhone(text, BR);
        if (!result.ok) return;
        expect(isValidPhoneNumber(`+${result.number}`)).toBe(true);
        expect(parsePhone(result.number, { format: 'international' })).toEqual(result);
        expect(parsePhone(`+${result.number}`, BR)).toEqual(result);
        expect(canonicalKey(result.number)).toBe(result.number);
      }),
      { numRuns: propertyRuns(3000) },
    );
  });

  it('variants of either form are both, canonical form first', () => {
    expect(brazilianVariants('5511987654321')).toEqual(['5511987654321', '551187654321']);
    expect(brazilianVariants('551187654321')).toEqual(['5511987654321', '551187654321']);
    expect(canonicalKey('551187654321')).toBe('5511987654321');
  });

  it.each(['5215512345678', '525512345678'])(
    '%s of Mexico is one person with and without the old 1',
    (number) => {
      expect(canonicalKey(number)).toBe('525512345678');
    },
  );

  it('a landline, a newer mobile number and a foreign number have one form', () => {
    for (const number of ['551133334444', '5511933334444', '12125550123', '5491112345678']) {
      expect(brazilianVariants(number)).toEqual([number]);
      expect(canonicalKey(number)).toBe(number);
    }
  });
});
