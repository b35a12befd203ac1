import fc from 'fast-check';
import { isValidPhoneNumber } from 'libphonenumber-js/max';
import { describe, expect, it } from 'vitest';
import { brazilianVariants, canonicalKey, parsePhone } from '../../../src/mapping/phone.ts';

const BIA = '5511987654321';

describe('parsePhone, Brazil', () => {
  const accepted: [string, string][] = [
    ['+55 (11) 98765-4321', BIA],
    ['5511987654321', BIA],
    ['11987654321', BIA],
    ['(11) 98765-4321', BIA],
    ['011 98765-4321', BIA],
    ['0 11 98765-4321', BIA],
    ['0 15 11 98765-4321', BIA],
    ['(0xx11) 98765-4321', BIA],
    ['0xx11 98765-4321', BIA],
    ['+55 (0) 11 98765-4321', BIA],
    ['+55 011 98765-4321', BIA],
    ['0055 11 98765-4321', BIA],
    ['11.98765.4321', BIA],
    ['+55\u00a011\u00a098765–4321', BIA],
    ['\u202a+55 11 98765‑4321\u202c', BIA],
    ['＋５５（１１）９８７６５－４３２１', BIA],
    ["'+5511987654321", BIA],
    ['="5511987654321"', BIA],
    ['5511987654321.0', BIA],
    ['5.511987654321E+12', BIA],
    ['tel:+55-11-98765-4321', BIA],
    ['whatsapp:+5511987654321', BIA],
    ['p:+5511987654321', BIA],
    ['5511987654321@c.us', BIA],
    ['Tel.: (11) 98765-4321', BIA],
    ['(11) 98765-4321 (WhatsApp)', BIA],
    ['(11) 98765-4321 ramal 12', BIA],
    ['(11) 98765-4321, ramal: 1234', BIA],
    ['(11) 98765-4321 r. 12', BIA],
    ['+55 11 98765-4321 ext. 5', BIA],
    ['+5511987654321x123', BIA],
    ['11 98765-4321 #9', BIA],
    ['11 98765-4321 / 11 3333-4444', BIA],
    ['n/a; 11 98765-4321', BIA],
    ['4004-1234 / 11 98765-4321', BIA],
    ['0800 123 4567', '558001234567'],
    ['1234, 11 98765-4321 ou 11 91111-2222', BIA],
    ['11 98765-4321\n11 3333-4444', BIA],
    // Without the ninth digit: the same person.
    ['(11) 8765-4321', BIA],
    ['551187654321', BIA],
    ['+55 11 8765-4321', BIA],
    ['0 15 11 8765-4321', BIA],
    ['(11) 7765-4321', '5511977654321'],
    ['(11) 6765-4321', '5511967654321'],
    // Landlines stay.
    ['(11) 3333-4444', '551133334444'],
    ['+55 11 3333-4444 ramal 2', '551133334444'],
    // Area code 55 is not the country code.
    ['55 99876-5432', '5555998765432'],
    ['55 9876-5432', '5555998765432'],
    // Foreign.
    ['+1 (212) 555-0123', '12125550123'],
    ['+351 912 345 678', '351912345678'],
    ['00351 912 345 678', '351912345678'],
  ];
  it.each(accepted)('%j is %s', (text, number) => {
    expect(parsePhone(text, 'BR')).toEqual({ ok: true, number });
  });

  const refused: [string, string, RegExp][] = [
    ['5,51199E+12', 'excel_number', /spreadsheet/],
    ['5.51199E+12', 'excel_number', /spreadsheet/],
    ['5.5E12', 'excel_number', /spreadsheet/],
    ['98765-4321', 'invalid_phone', /area code/],
    ['90012-3456', 'invalid_phone', /area code/],
    ['4004-1234', 'invalid_phone', /service/],
    ['4321', 'invalid_phone', /too short/],
    ['11 98765-432', 'invalid_phone', /carrier/],
    ['11 98765-43210', 'invalid_phone', /carrier/],
    ['20 98765-4321', 'invalid_phone', /area code/],
    ['não informado', 'invalid_phone', /letters/],
    ['11 9876A-4321', 'invalid_phone', /letters/],
    ['#REF!', 'invalid_phone', /letters/],
    ['0000000000', 'invalid_phone', /carrier/],
    ['00000000000000000000', 'invalid_phone', /15 digits/],
    ['123456789@lid', 'invalid_phone', /letters/],
    ['351912345678', 'invalid_phone', /with \+/],
    ['-', 'invalid_phone', /too short/],
    ['++5511987654321', 'invalid_phone', /carrier/],
    ['11987654321'.repeat(10_000), 'invalid_phone', /15 digits/],
  ];
  it.each(refused)('%.40j is refused', (text, code, reason) => {
    expect(parsePhone(text, 'BR')).toMatchObject({ ok: false, code, reason: expect.stringMatching(reason) });
  });
});

describe('parsePhone elsewhere', () => {
  const cases: [string, 'US' | 'PT' | undefined, string | undefined][] = [
    ['(212) 555-0123', 'US', '12125550123'],
    ['1-212-555-0123 ext 44', 'US', '12125550123'],
    ['011 55 11 98765-4321', 'US', BIA],
    ['912 345 678', 'PT', '351912345678'],
    ['5511987654321', undefined, BIA],
    ['551187654321', undefined, BIA],
    ['11 98765-4321', undefined, undefined],
    ['(212) 555-0123', undefined, undefined],
  ];
  it.each(cases)('%j in %s is %s', (text, country, number) => {
    const result = parsePhone(text, country);
    expect(result.ok ? result.number : undefined).toBe(number);
  });
});

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
const eight = fc.integer({ min: 60_000_000, max: 99_999_999 }).map(String);

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
          const result = parsePhone(`${before}${area}${ninth ? '9' : ''}${subscriber}`, 'BR');
          expect(result).toEqual({ ok: true, number: `55${area}9${subscriber}` });
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('what is accepted is valid, and parsing it again changes nothing', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[+0-9 ()x/.-]{0,20}$/), (text) => {
        const result = parsePhone(text, 'BR');
        if (!result.ok) return;
        expect(isValidPhoneNumber(`+${result.number}`)).toBe(true);
        expect(parsePhone(result.number, undefined)).toEqual(result);
        expect(parsePhone(`+${result.number}`, 'BR')).toEqual(result);
        expect(canonicalKey(result.number)).toBe(result.number);
      }),
      { numRuns: 3000 },
    );
  });

  it('variants of either form are both, canonical form first', () => {
    expect(brazilianVariants('5511987654321')).toEqual(['5511987654321', '551187654321']);
    expect(brazilianVariants('551187654321')).toEqual(['5511987654321', '551187654321']);
    expect(canonicalKey('551187654321')).toBe('5511987654321');
  });

  it('a landline, a newer mobile number and a foreign number have one form', () => {
    for (const number of ['551133334444', '5511933334444', '12125550123', '5491112345678']) {
      expect(brazilianVariants(number)).toEqual([number]);
    }
  });
});
