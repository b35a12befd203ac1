// Every reason for which a phone number is refused has a name, and the console has its sentence in each language.
import { describe, expect, it } from 'vitest';
import en from '../../../src/console/i18n/en/reasons.ts';
import ptBR from '../../../src/console/i18n/pt-BR/reasons.ts';
import { phoneCase } from '../../../src/mapping/phone/cases.ts';
import { parsePhone } from '../../../src/mapping/phone/index.ts';
import * as result from '../../../src/mapping/phone/result.ts';

const refusals = [
  ...Object.values(result).filter((each): each is result.PhoneRefusal => typeof each === 'object'),
  result.notOf('BR'),
  result.groupedUnlike('MX'),
];

describe('the case of a refused phone number', () => {
  it.each(refusals.map(({ code, reason }) => [code, reason]))('%s: %s', (code, reason) => {
    const params = phoneCase(reason);
    const [which] = params?.which ?? [];
    for (const { of } of [en, ptBR]) expect(Object.keys(of)).toContain(`${code}_${which}`);
    if (/\b(BR|MX)\b/.test(reason)) expect(params?.country).toMatch(/^(BR|MX)$/);
  });

  it.each([
    ['11 abc 91234', { which: ['letters'] }],
    ['+55 11 9', { which: ['short'] }],
  ])('of %s is as it was read', (text, params) => {
    const read = parsePhone(text, { country: 'BR' });
    expect(read.ok ? null : phoneCase(read.reason)).toEqual(params);
  });

  it('of another sentence, or none, is nothing', () => {
    for (const other of [null, '', 'no carrier in BR', 'the city FR has no number'])
      expect(phoneCase(other)).toBeUndefined();
  });
});
