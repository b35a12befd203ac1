// Messages of operators: what the contract and the API text refuse, and that no refusal repeats what was sent.
import { describe, expect, it } from 'vitest';
import { MESSAGES } from '../../../src/contracts/operator/messages.ts';
import { checkMessage } from '../../../src/operator/service/messages.ts';

const CANARY = 'canary text';
const NUMBER = '5511987654321';
const base = {
  type: 'message' as const,
  to: { number: NUMBER, key: NUMBER },
  saveOnTicket: true,
  text: CANARY,
};
const message = { account: 'acme', key: 'k1', request: base };

describe('the contract', () => {
  const { input } = MESSAGES['POST /messages'];
  it('takes a message', () => {
    expect(input.parse(message)).toEqual(message);
  });

  it.each<[string, unknown, RegExp]>([
    ['a list', [], /object/],
    ['an unknown key', { ...message, more: 1 }, /more/],
    [
      'a field of a newer Sluice, rather than leave it out',
      { ...message, request: { ...base, sticker: 'x' } },
      /sticker/,
    ],
    ['another action', { ...message, request: { type: 'flow' } }, /type/],
    ['a key of blanks', { ...message, key: '  ' }, /key/],
    ['a number that is none', { ...message, request: { ...base, to: { number: '12', key: '12' } } }, /"to"/],
  ])('refuses %s, and does not repeat the text', (_, given, problem) => {
    const { error } = input.safeParse(given);
    expect(error?.message).toMatch(problem);
    expect(error?.message).not.toContain(CANARY);
    expect(error?.message).not.toContain(NUMBER);
  });

  it.each<[string, unknown]>([
    ['an empty file', new Uint8Array()],
    ['a body of another type', undefined],
  ])('refuses %s', (_, data) => {
    const files = MESSAGES['POST /messages/files'].input;
    expect(files.safeParse({ account: 'acme', name: 'a.png', type: 'image/png', data }).success).toBe(false);
  });
});

describe('a message that no account could send', () => {
  const reply = { ...base, to: { conversation: 5 } };
  const media = { urls: ['https://a.b/c'], hosts: ['a.b'], maxBytes: 1, allowPrivate: false, timeoutMs: 1 };
  it.each([
    [{ ...base, text: undefined }, /is empty/],
    [{ ...base, outsideWindow: 'template' as const }, /template/],
    [{ ...base, saveOnTicket: false, media }, /saveOnTicket false/],
    [{ ...base, saveOnTicket: false, uploads: ['u'] }, /saveOnTicket false/],
    [{ ...base, to: { number: '551187654321', key: '551187654321' } }, /ninth digit/],
    [{ ...reply, connection: 3 }, /connection/],
    [{ ...reply, contactName: 'Bia' }, /already has a contact/],
    [{ ...reply, saveOnTicket: false }, /always saved/],
  ])('%j', (request, problem) => {
    expect(() => checkMessage(request as never)).toThrow(problem);
  });

  it.each([base, reply, { ...base, text: undefined, uploads: ['u'] }])(
    'but this one could: %j',
    (request) => {
      expect(() => checkMessage(request as never)).not.toThrow();
    },
  );
});
