// The country of a row decides how its number is read.
import { describe, expect, it } from 'vitest';
import type { MappingConfig } from '../../../src/mapping/config.ts';
import { readCountry } from '../../../src/mapping/country.ts';
import { compileMapping } from '../../../src/mapping/index.ts';

const MAPPING: MappingConfig = {
  defaultCountry: 'BR',
  contact: { number: 'Fone', country: 'País' },
  tags: [],
  extraInfo: {},
};

describe('a country', () => {
  it.each([
    ['BR', 'BR'],
    [' pt ', 'PT'],
    ['Brasil', 'BR'],
    ['Estados Unidos', 'US'],
    ['U.S.A.', 'US'],
    ['México', 'MX'],
    ['Reino Unido', 'GB'],
    ['55', null],
    ['n/a', null],
    ['Latin America', null],
  ])('%j is %j', (text, country) => {
    expect(readCountry(text)).toBe(country);
  });
});

describe('a number', () => {
  it.each([
    ['of the country of its row', '912 345 678', 'Portugal', '351912345678'],
    ['of another row', '(415) 555-2671', 'EUA', '14155552671'],
    ['without a country in its row is one of the default country', '11 98765-4321', '', '5511987654321'],
    ['that names its own country, whatever the row says', '+351 912 345 678', 'Brasil', '351912345678'],
    ['that names its own country, beside a word that is none', '00351 912 345 678', 'outro', '351912345678'],
  ])('%s', (_, Fone, País, number) => {
    expect(compileMapping(MAPPING).apply({ Fone, País })).toMatchObject({
      ok: true,
      record: { contact: { number } },
    });
  });

  const COUNTRY = 'contact.country unknown_country';
  it.each<[number: unknown, country: unknown, problems: string[]]>([
    ['', 'outro', [COUNTRY, 'contact.number required']],
    ['n/a', 'outro', [COUNTRY, 'contact.number invalid_phone']],
    ['5,51199E+12', 'outro', [COUNTRY, 'contact.number excel_number']],
    [{ a: 1 }, 'outro', [COUNTRY, expect.stringMatching(/^contact\.number /)]],
    // In the right country it may be a number.
    ['912 345 678', 'outro', [COUNTRY]],
    ['1', 'outro', [COUNTRY]],
    ['', 'Brasil', ['contact.number required']],
  ])('%j of %j has every problem that is certain', (Fone, País, problems) => {
    const result = compileMapping(MAPPING).apply({ Fone, País });
    expect(result).toMatchObject({ ok: false });
    expect(
      (result as { problems: { field: string; code: string }[] }).problems.map(
        ({ field, code }) => `${field} ${code}`,
      ),
    ).toEqual(problems);
  });

  it.each(['Brasil', '', 'outro'])('is read once of a row of %j', (País) => {
    let reads = 0;
    const row = {
      País,
      get Fone() {
        reads += 1;
        return '11 98765-4321';
      },
    };
    void compileMapping({ ...MAPPING, contact: { number: 'Fone', country: 'País' } }).apply(row);
    const withCountry = reads;
    reads = 0;
    void compileMapping({ ...MAPPING, contact: { number: 'Fone' } }).apply(row);
    expect(withCountry).toBe(reads);
  });

  it.each([
    ['912 345 678', 'outro', 'contact.country', 'unknown_country'],
    ['912 345 678', 'México', 'contact.number', 'invalid_phone'],
  ])('%j of %j rejects the row', (Fone, País, field, code) => {
    const result = compileMapping(MAPPING).apply({ Fone, País });
    expect(result).toMatchObject({ ok: false, problems: [{ field, code }] });
    expect(
      JSON.stringify((result as { problems: { reason: string }[] }).problems.map(({ reason }) => reason)),
    ).not.toMatch(/outro|912/);
  });
});
