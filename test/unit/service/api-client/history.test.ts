// A conversation's history: which items can be read, and what each of them says.
import { describe, expect, it } from 'vitest';
import type {
  AssumptionKey,
  AssumptionOverrides,
  MessagingClientOptions,
} from '../../../../src/service/api-client/index.ts';
import { answer } from './raw-server.ts';
import { setup } from './setup.ts';

type Item = Record<string, unknown>;
const AT = '2026-11-20T10:00:00.000Z';

async function read(messages: unknown[], over: Partial<MessagingClientOptions> = {}) {
  const { client } = await setup([answer(200, { count: messages.length, hasMore: false, messages })], over);
  return (await client.conversations.messages(7)).data;
}

describe('an item', () => {
  it('is read by the assumed names, and kept as it came', async () => {
    const item = { id: 'm1', body: 'hi', fromMe: false, createdAt: AT, mediaType: 'chat' };
    const { items } = await read([item]);
    expect(items).toEqual([
      {
        key: 'id:m1',
        hashKey: expect.stringMatching(/^hash:/),
        id: 'm1',
        body: 'hi',
        fromMe: false,
        createdAt: AT,
        status: null,
        ack: null,
        raw: item,
      },
    ]);
  });

  const good = { id: 'a', body: 'hi', fromMe: false, createdAt: AT };
  const without = (name: string, more: Item = {}): Item => ({
    ...Object.fromEntries(Object.entries(good).filter(([key]) => key !== name)),
    ...more,
  });

  it.each<[string, Item, Item]>([
    ['an integer id', { ...good, id: 9 }, { id: '9', key: 'id:9' }],
    ['an id above 2^53', { ...good, id: '700000000000000001' }, { key: 'id:700000000000000001' }],
    ['an empty id', { ...good, id: '' }, { id: null }],
    ['a text of null', { ...good, body: null }, { body: null }],
    ['an empty text', { ...good, body: '' }, { body: '' }],
    ['no text beside media', without('body', { mediaUrl: 'https://x' }), { body: null }],
    ['no text beside a list of media', without('body', { media: [{ url: 'https://x' }] }), { body: null }],
    ['no text beside a template', without('body', { templateData: { templateName: 'a' } }), { body: null }],
    ['a delivery code as digits', { ...good, ack: '3' }, { ack: 3 }],
    ['no status at all', good, { status: null, ack: null }],
    ['a status word of tomorrow', { ...good, status: 'played' }, { status: 'played' }],
  ])('with %s is read', async (_name, item, expected) => {
    const { items, invalid } = await read([item]);
    expect(items[0]).toMatchObject(expected);
    expect(items[0]?.raw).toEqual(item);
    expect(invalid).toEqual([]);
  });

  it.each<[string, Item, AssumptionKey, string]>([
    ['an id that is an object', { ...good, id: { x: 1 } }, 'message.idField', 'id.x'],
    ['no direction', without('fromMe'), 'message.fromMeField', 'createdAt'],
    ['a direction of null', { ...good, fromMe: null }, 'message.fromMeField', 'fromMe'],
    ['a direction as text', { ...good, fromMe: 'true' }, 'message.fromMeField', 'fromMe'],
    ['a direction of 0', { ...good, fromMe: 0 }, 'message.fromMeField', 'fromMe'],
    ['the direction elsewhere', without('fromMe', { direction: 'in' }), 'message.fromMeField', 'direction'],
    ['a text that is an object', { ...good, body: { text: 'x' } }, 'message.bodyField', 'body.text'],
    ['a text that is a number', { ...good, body: 5 }, 'message.bodyField', 'body'],
    [
      'the text elsewhere',
      without('body', { content: { text: 'sair' } }),
      'message.bodyField',
      'content.text',
    ],
    ['a text of null, and one elsewhere', { ...good, body: null, text: 'sair' }, 'message.bodyField', 'text'],
    ['no text beside an empty list of media', without('body', { media: [] }), 'message.bodyField', 'media'],
    ['a time in seconds', { ...good, createdAt: 1_795_000_000 }, 'message.timeField', 'createdAt'],
    [
      'a time without an offset',
      { ...good, createdAt: '2026-11-20 10:00' },
      'message.timeField',
      'createdAt',
    ],
    [
      'the time elsewhere',
      without('createdAt', { timestamp: 1_795_000_000 }),
      'message.timeField',
      'timestamp',
    ],
    ['a status that is a number', { ...good, status: 3 }, 'message.statusField', 'status'],
    ['the status elsewhere', { ...good, deliveryStatus: 'read' }, 'message.statusField', 'deliveryStatus'],
    [
      'the status nested',
      { ...good, meta: { ack: { word: 'read' } } },
      'message.statusField',
      'meta.ack.word',
    ],
    ['a delivery code as a word', { ...good, ack: 'three' }, 'message.ackField', 'ack'],
    ['nothing at all', {}, 'message.fromMeField', ''],
  ])('with %s is not read, and says why', async (_name, item, assumption, seen) => {
    const { items, invalid } = await read([item]);
    expect(items).toEqual([]);
    expect(invalid).toMatchObject([{ index: 0, assumption }]);
    if (seen !== '') expect(invalid[0]?.seen).toContain(seen);
  });

  it.each<[string, Item, Item]>([
    ['text', without('body'), { body: null }],
    ['time', without('createdAt'), { createdAt: null }],
    ['status', { ...good, deliveryStatus: 'read' }, { status: null }],
  ])('without a %s that another message shows has none', async (_name, item, expected) => {
    const { items, invalid } = await read([{ ...good, id: 'b', status: 'sent' }, item]);
    expect(invalid).toEqual([]);
    expect(items[1]).toMatchObject(expected);
  });

  it.each<[string, Item, boolean]>([
    ['a text elsewhere', without('body', { text: 'sair' }), false],
    ['a text of null, and one elsewhere', { ...good, body: null, content: { text: 'sair' } }, false],
    ['a text elsewhere, and a list of no media', without('body', { text: 'sair', media: [] }), false],
    ['media with another text', without('body', { text: 'photo', media: [{ url: 'x' }] }), true],
    ['a message that it quotes', without('body', { quotedMsg: { body: 'hello' } }), true],
    ['a text elsewhere in one of our own', without('body', { fromMe: true, message: 'moved' }), true],
  ])('that a customer sent with %s, where others show theirs', async (_name, item, isRead) => {
    const { items, invalid } = await read([
      { ...good, id: 'b', fromMe: true },
      { ...item, id: 'c' },
    ]);
    expect(items).toHaveLength(isRead ? 2 : 1);
    expect(invalid.map(({ assumption }) => assumption)).toEqual(isRead ? [] : ['message.bodyField']);
  });

  it('shows neither values nor names that may be personal', async () => {
    const { invalid } = await read([{ '5511987654321': 'Bia', 'Bia Souza': 1, 'a@b.c': 2, x: 'secret' }]);
    expect(invalid[0]?.seen).toEqual(['(masked)', 'x']);
    expect(JSON.stringify(invalid)).not.toMatch(/Bia|secret|5511/);
  });

  it('keeps the digits of long integers elsewhere in the item, as text', async () => {
    const text =
      '{"count":1,"hasMore":false,"messages":[{"id":"a","body":"hi","fromMe":false,"createdAt":"2026-11-20T10:00:00.000Z","nanoseconds":1795000000123456789}]}';
    const { client } = await setup([answer(200, text)]);
    const [item] = (await client.conversations.messages(7)).data.items;
    expect(JSON.parse(JSON.stringify(item?.raw))).toMatchObject({ nanoseconds: '1795000000123456789' });
  });

  it('names the fields of the message before those of its parts', async () => {
    const contact = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`field${n}`, n]));
    const { invalid } = await read([{ contact, id: 'a', direction: 'in' }]);
    expect(invalid[0]?.seen.slice(0, 4)).toEqual(['contact', 'id', 'direction', 'contact.field0']);
  });

  it('names at most 24 fields and counts the others', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, n]));
    const { invalid } = await read([many]);
    expect(invalid[0]?.seen).toHaveLength(25);
    expect(invalid[0]?.seen.at(-1)).toMatch(/more$/);
  });

  it.each<[string, Item, AssumptionOverrides, Item]>([
    [
      'a nested text',
      without('body', { content: [{ text: 'x' }] }),
      { 'message.bodyField': 'content.0.text' },
      { body: 'x' },
    ],
    [
      'a name with a dot',
      without('fromMe', { meta: { 'from.me': true } }),
      { 'message.fromMeField': ['meta', 'from.me'] },
      { fromMe: true },
    ],
    [
      'a word for the direction',
      without('fromMe', { direction: 'outbound' }),
      { 'message.fromMeField': { path: 'direction', values: { inbound: false, outbound: true } } },
      { fromMe: true },
    ],
    [
      '0 and 1',
      { ...good, fromMe: 1 },
      { 'message.fromMeField': { path: 'fromMe', values: { 0: false, 1: true } } },
      { fromMe: true },
    ],
    [
      'a boolean the other way round',
      without('fromMe', { received: true }),
      { 'message.fromMeField': { path: 'received', values: { true: false, false: true } } },
      { fromMe: false },
    ],
    [
      'an id of the user who sent it, or null',
      without('fromMe', { userId: 7 }),
      { 'message.fromMeField': { path: 'userId', values: { null: false, '*': true } } },
      { fromMe: true },
    ],
    [
      'a direction that only sent messages show',
      without('fromMe'),
      { 'message.fromMeField': { path: 'mine', values: { absent: false, true: true } } },
      { fromMe: false },
    ],
    [
      'seconds',
      without('createdAt', { t: 1_795_000_000 }),
      { 'message.timeField': { path: 't', unit: 's' } },
      { createdAt: new Date(1_795_000_000_000).toISOString() },
    ],
    [
      'milliseconds as digits',
      without('createdAt', { t: '1795000000123' }),
      { 'message.timeField': { path: 't', unit: 'ms' } },
      { createdAt: new Date(1_795_000_000_123).toISOString() },
    ],
    [
      'a status as a code',
      { ...good, status: 3 },
      { 'message.statusField': { path: 'status', values: { 3: 'delivered' } } },
      { status: 'delivered' },
    ],
    [
      'a text that may be missing',
      without('body', { kind: 'call' }),
      { 'message.bodyField': { path: 'body', optional: true } },
      { body: null },
    ],
  ])('%s is read by an override', async (_name, item, assumptions, expected) => {
    const { items, invalid } = await read([item], { assumptions });
    expect(invalid).toEqual([]);
    expect(items[0]).toMatchObject(expected);
  });

  it.each<[string, Item, AssumptionOverrides]>([
    [
      'seconds in the place of milliseconds',
      { t: 1_795_000_000 },
      { 'message.timeField': { path: 't', unit: 'ms' } },
    ],
    [
      'milliseconds in the place of seconds',
      { t: 1_795_000_000_000 },
      { 'message.timeField': { path: 't', unit: 's' } },
    ],
    [
      'a word that the override does not name',
      { direction: 'internal' },
      { 'message.fromMeField': { path: 'direction', values: { in: false, out: true } } },
    ],
    [
      'a field of the prototype',
      {},
      { 'message.fromMeField': { path: 'constructor', values: { '*': true, null: false } } },
    ],
  ])('%s stays unreadable', async (_name, over, assumptions) => {
    const { items } = await read([{ ...good, ...over }], { assumptions });
    expect(items).toEqual([]);
  });

  it.each([null, 'text', [1]])('%j is no item', async (item) => {
    expect(await read([item])).toMatchObject({
      items: [],
      invalid: [{ index: 0, id: null, path: 'messages[0]', expected: 'expected object', assumption: null }],
    });
  });
});
