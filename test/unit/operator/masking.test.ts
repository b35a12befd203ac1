// What operators see of dead letters: enough to find the mistake, and no personal data.
import { describe, expect, it } from 'vitest';
import type { EventRequest } from '../../../src/jobs/events/contract/intake.ts';
import { maskHeader, maskKey, maskRequest, maskValue } from '../../../src/operator/service/masking.ts';

const PHONE = '5511987654321';
const person = { number: PHONE, key: PHONE };

describe('masked', () => {
  it.each<[EventRequest]>([
    [
      {
        type: 'lead',
        record: {
          key: PHONE,
          contact: { number: PHONE, name: 'Maria Souza', email: 'maria@example.com' },
          extraInfo: [{ name: 'cpf', value: '12345678909' }],
          tags: ['vip'],
        },
      },
    ],
    [
      {
        type: 'message',
        to: person,
        text: 'Oi Maria Souza',
        template: { name: 'hello', language: 'pt_BR', parameters: ['Maria Souza'] },
        contactName: 'Maria Souza',
        saveOnTicket: true,
      },
    ],
    [{ type: 'flow', ...person, flow: 1, connection: 2, variables: { name: 'Maria Souza' } }],
    [{ type: 'stage', of: person, stage: 'Won' }],
    [{ type: 'tags', ...person, add: ['vip'], remove: [] }],
  ])('a request has no personal data: %o', (request) => {
    const text = JSON.stringify(maskRequest(request));
    expect(text).not.toMatch(/987654321|Souza|maria@|12345678909/);
    expect(text).toContain('+55 11 9••••-4321');
  });

  it('a value shows types and lengths and nothing else, and what is no JSON is counted', () => {
    const value = { lead: { name: 'Maria', tags: ['ç', 1, null, -10.5] }, ok: true, empty: '' };
    expect(JSON.parse(maskValue(Buffer.from(JSON.stringify(value))))).toEqual({
      lead: {
        name: '<text, 5 characters>',
        tags: ['<text, 1 character>', '<number, 1 digit>', null, '<number, 3 digits>'],
      },
      ok: '<boolean>',
      empty: '<text, 0 characters>',
    });
    const shown = (phone: unknown) => maskValue(Buffer.from(JSON.stringify({ phone })));
    expect(shown(5511987654321)).toContain('<number, 13 digits>');
    expect(shown('5511987654321')).toContain('<text, 13 characters>');
    expect(maskValue(Buffer.from('Maria'))).toBe('(5 bytes that are no JSON)');
  });

  it('keys and headers are hidden unless they say how a record is written', () => {
    expect(maskKey(Buffer.from('Maria'))).toBe('•••');
    expect(maskKey(null)).toBeNull();
    expect(maskHeader('X-User', 'maria')).toBe('•••');
    expect(maskHeader('Content-Type', 'application/json')).toBe('application/json');
  });
});

it('a value that is dead for being too deep can be shown all the same', () => {
  expect(maskValue(Buffer.from('['.repeat(100_000) + ']'.repeat(100_000)))).toContain('•••');
});
