// What operators see of people: enough to recognize somebody they know, and nothing more.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskDocument, maskEmail, maskName, maskPhone, maskRecord } from '../../../src/observe/masking.ts';

describe('masking', () => {
  it.each([
    [maskPhone, '5511987654321', '+55 11 9••••-4321'],
    [maskPhone, '+55 (11) 98765-4321', '+55 11 9••••-4321'],
    [maskPhone, '551132654321', '+55 11 ••••-4321'],
    [maskPhone, '14155552001', '+14••••2001'],
    [maskPhone, '12345678', '•••78'],
    [maskPhone, '1234567', '•••'],
    [maskPhone, 'call me', '•••'],
    [maskEmail, 'bia@example.com', 'b•••@example.com'],
    [maskEmail, '@example.com', '•••'],
    [maskEmail, 'no address', '•••'],
    [maskEmail, '"a@b"@example.com', '"•••@example.com'],
    [maskName, 'Maria  Souza', 'M… S…'],
    [maskName, '', ''],
    [maskName, 'E\u0301rica', 'É…'],
    [maskName, '😀 Ana', '😀… A…'],
    [maskDocument, '123.456.789-09', '•••09'],
    [maskDocument, '1234', '•••'],
  ])('%o of %j is %j', (mask, text, masked) => expect(mask(text)).toBe(masked));

  it('hides of a record all that nobody has checked', () => {
    const record = {
      key: '5511987654321',
      contact: {
        number: '5511987654321',
        name: 'Bia Lima',
        email: 'bia@example.com',
        document: '12345678909',
        disableBot: true,
        nickname: 'bibi',
      },
      extraInfo: [{ name: 'salary', value: '1000' }],
      tags: ['vip'],
      card: { pipeline: 'Sales', stage: 11, title: 'Bia Lima', customFields: { mother: 'Ana' } },
      later: { deep: ['secret', 7] },
    };
    expect(maskRecord(record)).toEqual({
      key: '+55 11 9••••-4321',
      contact: {
        number: '+55 11 9••••-4321',
        name: 'B… L…',
        email: 'b•••@example.com',
        document: '•••09',
        disableBot: true,
        nickname: '•••',
      },
      extraInfo: [{ name: 'salary', value: '•••' }],
      tags: ['vip'],
      card: { pipeline: 'Sales', stage: 11, title: 'B… L…', customFields: { mother: '•••' } },
      later: { deep: ['•••', '•••'] },
    });
  });

  it('masks the refused value of a row by its field, and hides it under any other', () => {
    expect(maskRecord({ 'contact.email': 'bia@@x' })).toEqual({ 'contact.email': 'b•••@x' });
    expect(maskRecord({ row: 'a;b;c' })).toEqual({ row: '•••' });
    expect(maskRecord(null)).toBeNull();
  });

  it('hides at least four digits of any phone, however it is written', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\+?[\d ()-]{6,24}$/), (number) => {
        const before = number.replace(/\D/g, '').length;
        const after = maskPhone(number).replace(/\D/g, '').length;
        return after <= 9 && (before < 8 || after <= before - 4);
      }),
    );
  });
});
