// Messages of operators: what the contract and the API text refuse, and that no refusal repeats what was sent.
import { describe, expect, it } from 'vitest';
import { OperatorConfig } from '../../../src/config/schema/operator.ts';
import { MESSAGES } from '../../../src/jobs/events/contract/messages.ts';
import { checkMessage, withMedia } from '../../../src/jobs/events/operator/messages.ts';

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
    ...['hosts', 'maxBytes', 'allowPrivate', 'timeoutMs'].map((field): [string, unknown, RegExp] => [
      `${field} of files, which the configuration decides`,
      { ...message, request: { ...base, media: { urls: ['https://a.b/c'], [field]: 1 } } },
      new RegExp(field),
    ]),
    [
      'a file of this machine',
      { ...message, request: { ...base, media: { urls: ['file:///etc/passwd'] } } },
      /urls/,
    ],
    [
      'eleven URLs',
      { ...message, request: { ...base, media: { urls: Array(11).fill('https://a.b/c') } } },
      /urls/,
    ],
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
  const media = { urls: ['https://a.b/c'] };
  it.each([
    [{ ...base, text: undefined }, /is empty/],
    [{ ...base, outsideWindow: 'template' as const }, /template/],
    [{ ...base, saveOnTicket: false, media }, /saveOnTicket false/],
    [{ ...base, saveOnTicket: false, uploads: ['u'] }, /saveOnTicket false/],
    [{ ...base, to: { number: '551187654321', key: '551187654321' } }, /ninth digit/],
    [{ ...base, media, uploads: Array(10).fill('u') }, /10 files at most/],
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

describe('files of a message', () => {
  const rules = (media: object) => OperatorConfig.parse({ media }).media;
  const urls = (...list: string[]) => ({ ...base, media: { urls: list } });

  it('have the limits of the configuration', () => {
    const given = rules({ hosts: ['files.example.com'], maxBytes: 5, timeout: '2s' });
    expect(withMedia(urls('https://files.example.com/a'), given).media).toEqual({
      urls: ['https://files.example.com/a'],
      hosts: ['files.example.com'],
      maxBytes: 5,
      allowPrivate: false,
      timeoutMs: 2000,
    });
  });

  it.each([
    ['https://canary.example.com/a', {}, /operator\.media\.hosts/],
    ['http://127.0.0.1:8088/canary', {}, /operator\.media\.hosts/],
    ['https://canary.example.com:22/a', { hosts: ['canary.example.com'] }, /operator\.media\.hosts/],
    ['http://canary.example.com/a', { hosts: ['canary.example.com'] }, /https/],
    ['https://user:canary@example.com/a', { hosts: ['example.com'] }, /password/],
  ])('%s is refused with %j, without the address', (url, config, problem) => {
    const work = () => withMedia(urls(url), rules(config));
    expect(work).toThrow(problem);
    expect(work).not.toThrow(/canary/);
  });
});
