import { describe, expect, it } from 'vitest';
import { isZone, zoneFinder } from '../../../../../src/jobs/campaigns/rules/zones.ts';

const zonesOfNumber = (number: string, fallback: string) => zoneFinder(fallback)(number);

const FALLBACK = 'America/Sao_Paulo';
const america = (...names: string[]) => names.map((name) => `America/${name}`);

describe('a Brazilian number is in the zones of its area code', () => {
  it.each([
    ['5511987654321', america('Sao_Paulo')],
    ['551132654321', america('Sao_Paulo')],
    ['5561987654321', america('Sao_Paulo')],
    ['5562987654321', america('Sao_Paulo')],
    ['5563987654321', america('Araguaina')],
    ['5565987654321', america('Cuiaba')],
    ['5566987654321', america('Cuiaba')],
    ['5567987654321', america('Campo_Grande')],
    ['5568987654321', america('Rio_Branco')],
    ['5569987654321', america('Porto_Velho')],
    ['5571987654321', america('Bahia')],
    ['5579987654321', america('Maceio')],
    ['5581987654321', america('Noronha', 'Recife')],
    ['5587987654321', america('Recife')],
    ['5584987654321', america('Fortaleza')],
    ['5592987654321', america('Manaus')],
    ['5593987654321', america('Belem', 'Santarem')],
    ['5595987654321', america('Boa_Vista')],
    ['5596987654321', america('Belem')],
    ['5597987654321', america('Eirunepe', 'Manaus')],
    ['558187654321', america('Noronha', 'Recife')],
  ])('%s', (number, zones) => {
    expect(zonesOfNumber(number, FALLBACK)).toEqual(zones);
  });

  it('all 67 area codes have a zone, and a toll-free number has all zones of the country', () => {
    const areas = Array.from({ length: 89 }, (_, n) => String(n + 11));
    // 90 is the prefix of collect calls.
    const known = areas.filter(
      (area) => area !== '90' && zonesOfNumber(`55${area}987654321`, 'UTC').length < 3,
    );
    expect(known).toHaveLength(67);
    expect(zonesOfNumber('558001234567', 'UTC').length).toBeGreaterThan(10);
  });
});

describe('any other number is in all zones of its country', () => {
  it.each([
    ['447400123456', ['Europe/London']],
    ['351912345678', ['Atlantic/Azores', 'Atlantic/Madeira', 'Europe/Lisbon']],
    ['919812345678', ['Asia/Calcutta']],
    ['38343201234', ['Europe/Belgrade']],
    ['24740123', ['Atlantic/St_Helena']],
  ])('%s', (number, zones) => {
    expect(zonesOfNumber(number, FALLBACK)).toEqual(zones);
  });

  it('an Australian mobile number may be in Perth as well as in Sydney', () => {
    const zones = zonesOfNumber('61412345678', FALLBACK);
    expect(zones).toEqual(expect.arrayContaining(['Australia/Perth', 'Australia/Sydney']));
    expect(zones).toEqual([...zones].sort());
  });

  it('Canada and the United States share a country code, but no list', () => {
    expect(zonesOfNumber('14165550123', FALLBACK)).toContain('America/Toronto');
    expect(zonesOfNumber('12125550123', FALLBACK)).not.toContain('America/Toronto');
  });
});

it.each(['', '881612345678', '80012345678', '999999999', 'not a number', '0', '99912345678'])(
  'FAULTS 43: a number without a country (%j) is in the zone of the account',
  (number) => {
    expect(zonesOfNumber(number, FALLBACK)).toEqual([FALLBACK]);
  },
);

it('a repeated query has the same result', () => {
  const find = zoneFinder('UTC');
  const numbers = ['351912345678', '5511987654321', '', '351912345679'];
  for (const _ of [1, 2]) expect(numbers.map(find)).toEqual(numbers.map((n) => zonesOfNumber(n, 'UTC')));
});

it('every possible zone of a number is valid', () => {
  const all = ['5581987654321', '5511987654321', '558001234567', '12125550123', '79161234567', '61412345678'];
  for (const zone of all.flatMap((number) => zonesOfNumber(number, 'UTC'))) expect(isZone(zone)).toBe(true);
});

describe('a field names a zone only by the IANA list', () => {
  it.each(['America/Sao_Paulo', 'america/sao_paulo', 'UTC', 'Asia/Kathmandu', 'Etc/GMT+3'])(
    '%s does',
    (zone) => {
      expect(isZone(zone)).toBe(true);
    },
  );
  it.each([
    '',
    ' ',
    '-03:00',
    '+0300',
    'Z',
    'Brasília',
    'BRT',
    'America/Nowhere',
    ' America/Bahia',
    '[UTC]',
    '2026-11-28T00:00Z',
    '2026-11-28T00:00[America/Bahia]',
    '1',
    '__proto__',
  ])('%j does not', (zone) => {
    expect(isZone(zone)).toBe(false);
  });
});
