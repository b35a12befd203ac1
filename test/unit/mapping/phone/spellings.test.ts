import { describe, expect, it } from 'vitest';
import {
  type PhoneCode,
  type PhoneRules,
  parsePhone,
  parsePhoneNumber,
} from '../../../../src/mapping/phone/index.ts';
import { cpuMs } from '../../../support/cpu-time.ts';

const BIA = '5511987654321';
const BR: PhoneRules = { country: 'BR' };
const DE: PhoneRules = { country: 'DE' };
const NONE: PhoneRules = {};

type Read = [text: string | number, number: string];
type Refused = [text: string | number, code: PhoneCode, reason?: RegExp];

const parse = (text: string | number, rules: PhoneRules) =>
  typeof text === 'number' ? parsePhoneNumber(text, rules) : parsePhone(text, rules);

function reads(rules: PhoneRules, cases: readonly Read[]): void {
  it.each([...cases])(`%j is %s (${JSON.stringify(rules)})`, (text, number) => {
    expect(parse(text, rules)).toEqual({ ok: true, number });
  });
}

function refuses(rules: PhoneRules, cases: readonly Refused[]): void {
  const full = cases.map(([text, code, reason = /./]): [string | number, PhoneCode, RegExp] => [
    text,
    code,
    reason,
  ]);
  it.each(full)(`%j is refused as %s (${JSON.stringify(rules)})`, (text, code, reason) => {
    expect(parse(text, rules)).toEqual({ ok: false, code, reason: expect.stringMatching(reason) });
  });
}

describe('without a default country', () => {
  reads(NONE, [
    ['+55 11 98765-4321', BIA],
    ['0055 11 98765-4321', BIA],
    ['51987654321@c.us', '51987654321'],
    ['551187654321@c.us', BIA],
    ['5511987654321:12@s.whatsapp.net', BIA],
    ['https://wa.me/4791234567', '4791234567'],
    ['wa.me/4791234567?text=Oi%20123', '4791234567'],
    ['https://api.whatsapp.com/send?phone=4791234567&text=a', '4791234567'],
    ['https://api.whatsapp.com/send/?text=12345678901&phone=%2B47+912+34+567', '4791234567'],
    ['whatsapp://send?phone=4791234567', '4791234567'],
    ['whatsapp:5511987654321', BIA],
    ['tel:+55-11-98765-4321;ext=12', BIA],
    ['tel:11987654321;phone-context=+55', BIA],
    ['sms:+5511987654321?body=oi 12', BIA],
    ['+683 7012', '6837012'],
    ['+690 3101', '6903101'],
    ['+49 30/23456789', '493023456789'],
  ]);
  refuses(NONE, [
    ['(51) 98765-4321', 'invalid_phone', /country/],
    ['51987654321', 'invalid_phone', /numberFormat: international/],
    ['5511987654321', 'invalid_phone', /defaultCountry/],
    ['11 98765-4321', 'invalid_phone', /country/],
    ['030/23456789', 'invalid_phone', /country/],
    ['tel:11987654321', 'invalid_phone', /country/],
    ['5511987654321-1612345678@g.us', 'invalid_phone', /group/],
    ['status@broadcast', 'invalid_phone', /group or channel/],
    ['123456789012@lid', 'invalid_phone', /lid/],
    ['https://wa.me/message/ABC123', 'invalid_phone', /link/],
    ['https://chat.whatsapp.com/AbC12345678901', 'invalid_phone', /link/],
    ['https://example.com/5511987654321', 'invalid_phone', /link/],
    ['+0 11 98765-4321', 'invalid_phone', /carrier/],
    ['+55 11 987654321@c.us', 'invalid_phone', /letters/],
    ['+55 11 98765-4321@s.whatsapp.net', 'invalid_phone', /letters/],
  ]);
});

describe('digits that are two numbers', () => {
  refuses(BR, [
    ['51987654321', 'ambiguous_phone', /\+55 51•+ \(BR\) and \+51 98•+ \(PE\); set `numberFormat`/],
    ['51 987654321', 'ambiguous_phone'],
    ['51 987 654 321', 'ambiguous_phone'],
  ]);
  reads(BR, [
    ['(51) 98765-4321', '5551987654321'],
    ['(51)987654321', '5551987654321'],
    ['51 98765-4321', '5551987654321'],
    ['051 98765-4321', '5551987654321'],
    ['51987654321@c.us', '51987654321'],
    ['5551987654321', '5551987654321'],
    ['(55) 51 98765-4321', '5551987654321'],
  ]);
  reads({ country: 'BR', format: 'national' }, [
    ['51987654321', '5551987654321'],
    ['5551987654321', '5551987654321'],
    ['+51 987 654 321', '51987654321'],
  ]);
  reads({ country: 'BR', format: 'international' }, [
    ['51987654321', '51987654321'],
    ['(51) 98765-4321', '5551987654321'],
    ['051 98765-4321', '5551987654321'],
  ]);
  reads({ format: 'international' }, [
    ['51987654321', '51987654321'],
    ['5511987654321', BIA],
    ['1-212-555-0123', '12125550123'],
  ]);
  refuses({ format: 'international' }, [
    ['(51) 98765-4321', 'invalid_phone', /country/],
    ['11987654321', 'invalid_phone', /begin with its country code/],
    ['0511987654321', 'invalid_phone', /country/],
  ]);
  refuses(DE, [
    ['4915112345678', 'ambiguous_phone', /\+49 49•+ \(DE\) and \+49 15•+ \(DE\)/],
    ['49 151 12345678', 'ambiguous_phone'],
    ['(49) 151 12345678', 'ambiguous_phone'],
  ]);
  refuses({ country: 'ID' }, [['62812345678', 'ambiguous_phone']]);
  refuses({ country: 'US' }, [['2015550123', 'ambiguous_phone', /\(US\) and \+20 15•+ \(EG\)/]]);
  reads({ country: 'US' }, [
    ['(201) 555-0123', '12015550123'],
    ['201-555-0123', '12015550123'],
    ['011 55 11 98765-4321', BIA],
  ]);
});

describe('a mistyped number of the default country is never a foreign one', () => {
  const digits = /no carrier in BR/;
  refuses(BR, [
    ['351912345678', 'invalid_phone', digits],
    ['4915112345678', 'invalid_phone', digits],
    ['11 98765-43210', 'invalid_phone', digits],
    ['98765-4321', 'invalid_phone', digits],
    ['90012-3456', 'invalid_phone', /area code/],
    ['20 98765-4321', 'invalid_phone', digits],
    ['11 98765-432', 'invalid_phone', /lacks a digit/],
    ['11 9 8765-432', 'invalid_phone', /lacks a digit/],
    ['4321', 'invalid_phone', /too short/],
    ['11987654321'.repeat(2), 'invalid_phone', /15 digits/],
    ['4004-1234', 'invalid_phone', /service/],
  ]);
});

describe('spellings', () => {
  reads(BR, [
    ['+55 (11) 98765-4321', BIA],
    ['(+55) 11 98765-4321', BIA],
    ['(+55 11) 98765-4321', BIA],
    ['[11] 98765-4321', BIA],
    ['(11) 98765-4321', BIA],
    ['011 98765-4321', BIA],
    ['0 15 11 98765-4321', BIA],
    ['0xx15 98765-4321', '5515987654321'],
    ['(0xx11) 98765-4321', BIA],
    ['(xx11) 98765-4321', BIA],
    ['0**11 98765-4321', BIA],
    ['+55 (0) 11 98765-4321', BIA],
    ['+55 0 15 11 98765-4321', BIA],
    ['11.98765.4321', BIA],
    ['5.511.987.654.321', BIA],
    ['+55\u00a011\u00a098765–4321', BIA],
    ['+55 11 98765\u22124321', BIA],
    ['\u202a+55 11 98765‑4321\u202c', BIA],
    ['+55\u200b11987654321', BIA],
    ['＋５５（１１）９８７６５－４３２１', BIA],
    ['+٥٥ ١١ ٩٨٧٦٥-٤٣٢١', BIA],
    ['+۵۵ ۱۱ ۹۸۷۶۵-۴۳۲۱', BIA],
    ['+५५ ११ ९८७६५-४३२१', BIA],
    ['"+5511987654321"', BIA],
    ["'+5511987654321", BIA],
    ['="+5511987654321"', BIA],
    ['=+5511987654321', BIA],
    ['“+55 11 98765-4321”', BIA],
    ['Cel (11) 98765-4321', BIA],
    ['Cel. WhatsApp: 11 98765-4321', BIA],
    ['Tel/WhatsApp: (11) 98765-4321', BIA],
    ['Tel 1: 11 98765-4321', BIA],
    ['p:+5511987654321', BIA],
    ['📞 +55 11 98765-4321', BIA],
    ['(11) 98765-4321 (WhatsApp)', BIA],
    ['(11) 98765-4321 - whatsapp', BIA],
    ['(11) 98765-4321 (Vivo)', BIA],
    ['(11) 98765-4321 (Tel. pessoal)', BIA],
    ['WhatsApp: +55 11 98765-4321', BIA],
    ['0XX(11)98765-4321', BIA],
    ['(11) 98765-4321, ramal: 1234', BIA],
    ['11 98765-4321 #9', BIA],
    ['+5511987654321x123', BIA],
    ['0800 123 4567', '558001234567'],
    ['0015 351 912 345 678', '351912345678'],
    ['0021351912345678', '351912345678'],
    ['11 4004-1234', '551140041234'],
  ]);
  refuses(BR, [
    ['não informado', 'invalid_phone', /letters/],
    ['11 9876A-4321', 'invalid_phone', /letters/],
    ['O11 98765-4321', 'invalid_phone', /letters/],
    ['Celular11987654321', 'invalid_phone', /letters/],
    ['não é dela 11 98765-4321', 'invalid_phone', /letters/],
    ['Fax: 11 3333-4444', 'invalid_phone', /letters/],
    ['Fax: +55 11 3333-4444', 'invalid_phone', /letters/],
    ['F: +55 11 3333-4444', 'invalid_phone', /letters/],
    ['11 3333-4444 (fax)', 'invalid_phone', /letters/],
    ['Fax; +55 11 3333-4444', 'invalid_phone', /letters/],
    ['Fax/11 3333-4444', 'invalid_phone', /letters/],
    ['+55 11 98765-4321; não ligar', 'invalid_phone', /letters/],
    ['Maria +55 11 98765-4321', 'invalid_phone', /letters/],
    ['(11) 98765-4321 (falar com Ana)', 'invalid_phone', /letters/],
    ['(11) 98765-4321 (recado)', 'invalid_phone', /letters/],
    ['+55 11 98765-4321 (errado)', 'invalid_phone', /letters/],
    ['#REF!', 'invalid_phone', /letters/],
    ['+55 11 98765-432²', 'invalid_phone', /characters/],
    ['①1 98765-4321', 'invalid_phone', /characters/],
    ['++5511987654321', 'invalid_phone', /characters/],
    ['-', 'invalid_phone', /too short/],
  ]);
  reads({ country: 'MX' }, [
    ['+52 1 55 1234 5678', '525512345678'],
    ['5215512345678@c.us', '525512345678'],
    ['5215512345678', '525512345678'],
    ['0445512345678', '525512345678'],
    ['55 1234 5678', '525512345678'],
  ]);
  reads({ country: 'AR' }, [
    ['011 15-2345-6789', '5491123456789'],
    ['+54 11 15 2345 6789', '5491123456789'],
    ['+54 9 11 2345-6789', '5491123456789'],
    ['011 2345-6789', '541123456789'],
  ]);
  reads({ country: 'IT' }, [
    ['+39 (0)6 1234 5679', '390612345679'],
    ['06 1234 5679', '390612345679'],
  ]);
  reads({ country: 'NU' }, [
    ['7012', '6837012'],
    ['6837012', '6837012'],
  ]);
  reads({ country: 'JP' }, [['03ー1234ー5678', '81312345678']]);
});

it.each(['9', '9-', '-', ' 1 ', '(', '/', ', ', 'a ', '+', '٣-'])(
  'a cell of 100,000 %j is refused at once',
  (text) => {
    const took = cpuMs(() => {
      for (const cell of [text.repeat(100_000), text.repeat(1000).slice(0, 1000)])
        for (const rules of [NONE, BR]) expect(parsePhone(cell, rules).ok).toBe(false);
    });
    expect(took).toBeLessThan(1000);
  },
);

describe('separators', () => {
  reads(DE, [
    ['030/23456789', '493023456789'],
    ['0711/23456789', '4971123456789'],
    ['030 / 23456789', '493023456789'],
    ['030/23456789 / 0171 2345678', '493023456789'],
    ['030/23456789, 0171/2345678', '493023456789'],
  ]);
  refuses(DE, [['030 234567/89', 'ambiguous_phone', /separators/]]);
  reads(BR, [
    ['n/a; 11 98765-4321', BIA],
    ['n/d; 11 98765-4321', BIA],
    ['11 98765-4321 / 11 3333-4444', BIA],
    ['11 98765-4321/11 3333-4444', BIA],
    ['11 3333-4444/4445', '551133334444'],
    ['11 98765-4321\n11 3333-4444', BIA],
    ['11 98765-4321 ou 11 3333-4444', BIA],
    ['(11) 98765-4321 ::: (11) 3333-4444', BIA],
    ['Mobile ::: +55 11 98765-4321', BIA],
    ['+55 11 98765-4321 +55 11 3333-4444', BIA],
    ['4004-1234 / 11 98765-4321', BIA],
    ['(99) 99999-9999; 11 98765-4321', BIA],
    ['1234 / +55 11 98765-4321', BIA],
    ['5,511,987,654,321', BIA],
  ]);
  refuses(BR, [
    ['1234; 11 98765-4321', 'invalid_phone', /too short/],
    ['11 98765-432; 11 98765-4321', 'invalid_phone', /lacks a digit/],
    ['51987654321; 11 98765-4321', 'ambiguous_phone'],
    ['11 98765-4321 11 3333-4444', 'invalid_phone', /15 digits/],
  ]);
});

describe('placeholders', () => {
  const texts = [
    '99999999999',
    '(99) 99999-9999',
    '5511999999999',
    '+55 11 99999-9999',
    '11 11111-1111',
    '(00) 00000-0000',
    '(11) 90000-0000',
    '00000000',
    '12345678',
    '1234567890',
    '01234567890',
    '12345678901',
    '(11) 12345678',
    '+1 (555) 555-5555',
    '(11) 3333-3333',
    '+354 777 7777',
  ];
  refuses(
    BR,
    texts.map((text) => [text, 'placeholder_phone', /placeholder/]),
  );
  reads(BR, [
    ['11 91234-5678', '5511912345678'],
    ['11 3333-3334', '551133333334'],
    ['+1 415 555 5555', '14155555555'],
    ['(11) 4000-0000', '551140000000'],
    ['+351 912 345 678', '351912345678'],
  ]);
});

describe('floats', () => {
  reads(BR, [
    ['5511987654321.0', BIA],
    ['5511987654321.00', BIA],
    ['+5511987654321.0', BIA],
    // Not +49 30 1234560 and +683 40020.
    ['+4930123456.0', '4930123456'],
    ['+6834002.0', '6834002'],
    ['11987654321,0', BIA],
    ['Tel: 11987654321.0', BIA],
    ['5.511987654321E+12', BIA],
    ['1.1987654321e10', BIA],
    ['5511990000000', '5511990000000'],
    [5_511_987_654_321, BIA],
    [11_987_654_000, '5511987654000'],
    [11_987_654_321, BIA],
  ]);
  refuses(BR, [
    ['5.51199E+12', 'excel_number', /rounded/],
    ['5,51199E+12', 'excel_number', /rounded/],
    ['5.51198765E+12', 'excel_number', /rounded/],
    ['5511990000000.0', 'excel_number', /rounded/],
    ['11987654000.0', 'excel_number', /rounded/],
    // The float of 32 bits nearest to 5511987654321.
    ['5511987593216.0', 'excel_number', /rounded/],
    ['1198765432.1', 'excel_number', /decimals/],
    ['+5511987654.1', 'excel_number', /decimals/],
    ['+5511990000000.0', 'excel_number', /rounded/],
    [5.511_99e12, 'excel_number', /rounded/],
    ['Tel: 11987654000.0', 'excel_number', /rounded/],
    [1e21, 'excel_number', /rounded/],
    [1_198_765.5, 'excel_number', /decimals/],
  ]);
});
