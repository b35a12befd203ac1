// Cells that are not one whole number of the default country, or hold something else: refused, or read as the true number.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Hazard,
  hazards,
  hideLast,
  hideMiddle,
  LARGEST,
  MASKS,
} from '../../../../scripts/phone-hazards.ts';
import { examples, spellingsOf } from '../../../../scripts/phone-spellings.ts';
import { type PhoneRules, parsePhone } from '../../../../src/mapping/phone/index.ts';
import { propertyRuns } from '../../../support/runner/property-runs.ts';

const BR: PhoneRules = { country: 'BR' };
const DE: PhoneRules = { country: 'DE' };
const AT: PhoneRules = { country: 'AT' };
const NONE: PhoneRules = {};

const isWrong = ({ text, rules, truth }: Hazard): boolean => {
  const result = parsePhone(text, rules);
  return result.ok && !truth.includes(result.number);
};

it('no cell of the table becomes a stranger: one in 25 of each kind', () => {
  const list = hazards();
  expect(list.length).toBeGreaterThan(1_000_000);
  const sample = list.filter((_, index) => index % 25 === 7);
  expect(sample.filter(isWrong).map(({ text, rules }) => `${JSON.stringify(text)} ${rules.country}`)).toEqual(
    [],
  );
});

describe('any number of any region', () => {
  const people = examples().filter(({ service }) => !service);
  const cell = fc.record({
    example: fc.constantFrom(...people),
    spelling: fc.nat(),
    mask: fc.constantFrom(...MASKS),
    count: fc.integer({ min: 1, max: 4 }),
    at: fc.nat(),
    country: fc.constantFrom(undefined, 'own' as const, ...LARGEST),
  });
  it('with a mask anywhere is itself or refused, under every default country', () => {
    fc.assert(
      fc.property(cell, ({ example, spelling, mask, count, at, country }) => {
        const own = country === undefined || country === 'own';
        const all = spellingsOf(example).filter(({ kind }) => own || kind === 'carries');
        const text = all[spelling % all.length]?.text ?? '';
        const place = at % (text.length + 1);
        const cells = [
          hideLast(text, count, mask),
          hideMiddle(text, mask),
          // A sign of its own between two digits, with nothing hidden: still the same digits, or refused.
          /\d$/.test(text.slice(0, place)) && /^\d/.test(text.slice(place))
            ? `${text.slice(0, place)}${mask}${text.slice(place + 1)}`
            : undefined,
        ];
        const rules = country === 'own' ? { country: example.region } : { country };
        for (const masked of cells) {
          if (masked === undefined || masked.endsWith('-') || /\d[-–.]\d/.test(masked)) continue;
          const result = parsePhone(masked, rules);
          if (result.ok) expect([masked, result.number]).toEqual([masked, example.number]);
        }
      }),
      { numRuns: propertyRuns(4000) },
    );
  });
});

function refuses(name: string, rules: PhoneRules, reason: RegExp, texts: readonly string[]): void {
  it.each([...texts])(`${name}: %j is refused (${rules.country ?? 'no country'})`, (text) => {
    expect(parsePhone(text, rules)).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  });
}

function reads(name: string, rules: PhoneRules, cases: readonly (readonly [string, string])[]): void {
  it.each([...cases])(`${name}: %j is %s (${rules.country ?? 'no country'})`, (text, number) => {
    expect(parsePhone(text, rules)).toEqual({ ok: true, number });
  });
}

describe('hidden digits', () => {
  const national = ['*', '…', '...', '..', '?', '•', '_', '#', 'x', '●', '＊', '❓', '.'];
  refuses(
    'a cut number gets no ninth digit',
    BR,
    /hides or cuts/,
    national.map((mask) => `1198765432${mask}`),
  );
  refuses('masked', BR, /hides or cuts/, [
    '(11) 9876•-4321',
    '11 9876❓-4321',
    '(**) 98765-4321',
    '(11) ****-4321',
    '() 98765-4321',
    '(11) 98765--4321',
    '\u202e+5511987654321',
    '1198765432\u{1f648}',
    '1198765432\u2e3b',
  ]);
  refuses('masked', DE, /hides or cuts/, [
    '+49 30 12345***',
    '+49 30 12345…',
    '+49 30 1234x56',
    '+49 30 1234#56',
    '030 12345,***',
    '+49 30 12345--',
  ]);
  refuses('a blank letter', BR, /letters/, ['\u3164+5511987654321']);
  refuses('cut off', DE, /./, [
    '+49 30 12345-',
    '-30 1234567',
    '*30 1234567',
    '**30 1234567',
    '30) 123456',
    '4930123.45678@c.us',
    'https://wa.me/4930123456#8',
    'https://api.whatsapp.com/send?phone=493012345**',
  ]);
  refuses('a sign beside a label or a device', DE, /./, [
    'Cel: +971 800 12x456 (WhatsApp)',
    'Cel: +971 800 12345. (WhatsApp)',
    '971800123_56@c.us',
    '+35- 22 345 678',
    '066- 123456',
    '35818123456x.0',
  ]);
  reads('signs with a meaning', BR, [
    ['0xx11 98765-4321', '5511987654321'],
    ['(**11) 98765-4321', '5511987654321'],
    ['11 98765-4321.', '5511987654321'],
    ['+5511987654321 x12', '5511987654321'],
    ['\u{1f4f1} (11) 98765-4321', '5511987654321'],
    ['1\ufe0f\u20e31 98765-4321', '5511987654321'],
    ['\ufeff11\u00a098765\u20114321\u200b', '5511987654321'],
  ]);
});

describe('a sign that divides numbers or surrounds them, in place of a digit', () => {
  it.each<[string, PhoneRules]>([
    ['244923123|56', { country: 'AO' }],
    ['376312|45', { country: 'AD' }],
    ['+436641234;56', AT],
    ['+436641234 & 56', AT],
    ['+43 664 12345|', AT],
    ['|64123456', AT],
    ['436641234|56@c.us', AT],
    ['24|4923123456@c.us', { country: 'AO' }],
    ['9370123456"', DE],
    ['"44923123456', BR],
    ['=71501234567', DE],
    [':1123456789', { country: 'AR' }],
    ['9370123456x7', BR],
    ['97150123#4567', { country: 'AE' }],
    ['4121234567.', { country: 'MX' }],
    ['3761800123.', BR],
  ])('%j is refused', (text, rules) => {
    expect(parsePhone(text, rules)).toMatchObject({ ok: false });
  });

  it.each<[string, PhoneRules, string]>([
    ["'5511987654321", BR, '5511987654321'],
    ['"11 98765-4321"', BR, '5511987654321'],
    ['="5511987654321"', BR, '5511987654321'],
    ['=+5511987654321', BR, '5511987654321'],
    ['11 98765-4321;', BR, '5511987654321'],
    ['11 98765-4321 | 11 91234-5601', BR, '5511987654321'],
    ['+1 415 555 2671x123', BR, '14155552671'],
    ['5511987654321:12@s.whatsapp.net', BR, '5511987654321'],
  ])('%j is read', (text, rules, number) => {
    expect(parsePhone(text, rules)).toEqual({ ok: true, number });
  });
});

describe('groups are evidence', () => {
  const american = [
    '(318) 765-4321',
    '318-765-4321',
    '318.765.4321',
    '318 765 4321',
    '(318) 7654321',
    '(312) 345-6789',
    '312-345-6789',
  ];
  refuses('American', BR, /not grouped as in a number of BR/, american);
  refuses('American', { country: 'BR', format: 'national' }, /not grouped as in a number of BR/, american);
  refuses('American', { country: 'IN' }, /two valid numbers.*\+1 83/, ['(831) 765-4321', '831-765-4321']);
  refuses('lacks a digit', BR, /lacks a digit/, ['31 876 54321', '+55 318-765-4321', '31 8 765 4321']);
  reads(
    'before the ninth digit',
    BR,
    [
      '31 8765-4321',
      '(31) 8765-4321',
      '3187654321',
      '31 87654321',
      '+55 31 8765-4321',
      '031 8765-4321',
      '0 31 31 8765-4321',
      '31 87 65 43 21',
    ].map((text) => [text, '5531987654321'] as const),
  );
  reads('the configuration decides', { country: 'IN', format: 'national' }, [
    ['831-765-4321', '918317654321'],
  ]);
  reads('its own national format', { country: 'MX' }, [['222 765 4321', '522227654321']]);
  refuses('a local number', { country: 'AG' }, /area code/, ['464-1234']);
});

describe('two numbers', () => {
  refuses('never joined', AT, /./, [
    '01 51234  51235',
    '01 51234\t51235',
    '01 51234\n51235',
    '01 51234 01 51235',
    '+43 1 51234 01 51235',
    '+43 1 51234 1 51235',
    '01 51234-01 51235',
  ]);
  reads(
    'the first of two whole ones',
    AT,
    ['  ', '\t', '\n', ' \u00a0', '; '].map((gap) => [`01 51234${gap}01 51235`, '43151234'] as const),
  );
  reads('a gap where no number ends', BR, [
    ['(11)  98765-4321', '5511987654321'],
    ['+55  11 98765-4321', '5511987654321'],
    ['Cel:   11 98765-4321', '5511987654321'],
  ]);
  refuses('a gap behind a placeholder', BR, /service/, ['4004-1234\n11 98765-4321']);
});

describe('phone-context', () => {
  reads('comes before the local number', NONE, [
    ['tel:434-2234;phone-context=+1-212', '12124342234'],
    ['tel:11987654321;phone-context=+55', '5511987654321'],
    ['tel:987654321;ext=12;phone-context=+5511', '5511987654321'],
  ]);
  for (const rules of [NONE, BR, { country: 'US' } as const]) {
    refuses('says nothing', rules, /phone-context/, [
      'tel:8631234;phone-context=example.com',
      'tel:2124342234;phone-context=example.com',
      'tel:434-2234;phone-context=+1212;phone-context=+55',
      'tel:+12124342234;phone-context=+49',
      'tel:434-22**;phone-context=+1-212',
    ]);
  }
});

describe('other columns', () => {
  for (const country of LARGEST) {
    refuses('no phone number', { country }, /./, [
      '119.876.543-21',
      '12.345.678/0001-95',
      '2024-11-05',
      '2024-11-05 10:00:00',
      '05/11/2024',
      '27/12/2023',
      '05.11.24',
      '192.168.100.200',
      '1.234.567,89',
      '1,234,567.89',
      '01310-100',
      '4111-1111-1111-1112',
      '3782 822463 10005',
      '123-45-6789',
      '20-12345678-3',
    ]);
  }
  refuses('its form is named', BR, /form of a document, a date/, [
    '119.876.543-21',
    '05/11/2024',
    '192.168.100.200',
  ]);
  reads('the own form of a country', { country: 'NC' }, [['20.12.34', '687201234']]);
  reads('the own form of a country', { country: 'DK' }, [['32.12.34.56', '4532123456']]);
  reads('a number that a spreadsheet has grouped', BR, [['5.511.987.654.321', '5511987654321']]);
});
