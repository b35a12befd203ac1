// Messages: sending to a number by every rule of the text, and how far each message is.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Context, openContext } from './context.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const NEW = '5511955556666';
let at = START;
let context: Context;
beforeEach(async () => {
  at = START;
  context = await openContext({ now: () => new Date(at) });
});
afterEach(() => context.close());

const send = (body: unknown) => context.call('POST', '/v1/messages/send', { body });
const patch = async (body: object) => {
  expect((await context.panel('PATCH', '/accounts/acme', body)).status).toBe(200);
};
const state = async () => (await context.panel('GET', '/accounts/acme')).json;
const statusOf = async (id: string) => (await context.call('GET', `/v1/messages/${id}/status`)).json.status;
const template = { templateName: 'hello', templateLanguage: 'pt_BR', templateParameters: ['Bia'] };

describe('what a send carries', () => {
  it.each([
    ['nothing at all', {}, 400, 'ERR_MISSING_CONTENT'],
    ['no content, reported before the missing number', { body: '' }, 400, 'ERR_MISSING_CONTENT'],
    ['number missing', { body: 'x' }, 400, 'ERR_NUMBER_REQUIRED'],
    ['number null', { body: 'x', number: null }, 400, 'ERR_NUMBER_REQUIRED'],
    ['number empty', { body: 'x', number: '' }, 400, 'ERR_NUMBER_REQUIRED'],
    ['no valid digits after normalization', { body: 'x', number: 'call me' }, 400, 'ERR_NUMBER_INVALID'],
    ['too many digits', { body: 'x', number: '1234567890123456' }, 400, 'ERR_NUMBER_INVALID'],
    ['a number of type number', { body: 'x', number: 5511 }, 400, 'ERR_INVALID_BODY'],
    ['saveOnTicket of another type', { body: 'x', number: NEW, saveOnTicket: 'no' }, 400, 'ERR_INVALID_BODY'],
    ['a template that is no JSON', { number: NEW, templateData: '{' }, 400, 'ERR_INVALID_BODY'],
    ['a template that is a list', { number: NEW, templateData: [] }, 400, 'ERR_INVALID_BODY'],
    [
      'template parameters that are no texts',
      { number: NEW, templateData: { ...template, templateParameters: [1] } },
      400,
      'ERR_INVALID_BODY',
    ],
    ['templateData as object', { number: NEW, templateData: template }, 200, undefined],
    ['templateData as JSON string', { number: NEW, templateData: JSON.stringify(template) }, 200, undefined],
    ['a text', { number: NEW, body: 'x' }, 200, undefined],
  ])('%s', async (_name, body, status, code) => {
    const got = await send(body);
    expect([got.status, got.json.code]).toEqual([status, code]);
  });

  it('text and template become a message each, the template kept as it was sent', async () => {
    const got = await send({ number: NEW, body: 'x', templateData: JSON.stringify(template) });
    const { messages } = (await context.call('GET', `/v1/conversations/${got.json.ticketId}/messages`)).json;
    expect(messages.map((row: { id: string }) => row.id)).toEqual(
      got.json.messages.map((row: { id: string }) => row.id),
    );
    expect(messages).toMatchObject([
      { body: '', templateData: template, fromMe: true },
      { body: 'x', templateData: null, fromMe: true },
    ]);
  });
});

describe('contact and conversation', () => {
  it('are created when they do not exist, the contact under contactName', async () => {
    const got = await send({ number: '+55 (11) 95555-6666', body: 'x', contactName: 'Eva' });
    expect(got.status).toBe(200);
    expect(got.json).toEqual({
      requestId: got.json.requestId,
      ticketId: expect.any(Number),
      contactId: expect.any(Number),
      whatsappId: 1,
      channel: 'waba',
      messages: [{ id: expect.any(String), status: 'queued', ack: 0, createdAt: new Date(at).toISOString() }],
    });
    const { contact } = (await context.call('GET', `/v1/contacts/${got.json.contactId}`)).json;
    expect(contact).toMatchObject({ number: NEW, name: 'Eva' });
    const { conversations } = (await context.call('GET', '/v1/conversations')).json;
    expect(conversations).toMatchObject([
      { id: got.json.ticketId, status: 'open', lastMessage: 'x', userId: null, contact: { name: 'Eva' } },
    ]);
  });

  it('are reused when they exist, and contactName changes nothing then', async () => {
    const first = await send({ number: NEW, body: 'x', contactName: 'Eva' });
    const second = await send({ number: NEW, body: 'y', contactName: 'Other' });
    expect([second.json.contactId, second.json.ticketId]).toEqual([
      first.json.contactId,
      first.json.ticketId,
    ]);
    const { contact } = (await context.call('GET', `/v1/contacts/${first.json.contactId}`)).json;
    expect(contact.name).toBe('Eva');
    expect((await send({ number: '5511987654321', body: 'x', contactName: 'Z' })).json.contactId).toBe(1);
  });

  it('a closed conversation stays closed and another connection has its own: a new one is opened', async () => {
    const first = await send({ number: NEW, body: 'x' });
    await patch({ conversations: [{ id: first.json.ticketId, status: 'closed' }] });
    const second = await send({ number: NEW, body: 'x' });
    const third = await send({ number: NEW, body: 'x', whatsappId: 2 });
    expect(new Set([first, second, third].map((got) => got.json.ticketId)).size).toBe(3);
  });

  it('a refused send makes neither', async () => {
    const before = await state();
    await send({ number: NEW, body: 'x', whatsappId: 404 });
    await send({ number: NEW, templateData: '{' });
    expect(await state()).toEqual(before);
  });

  it('concurrent sends to one new number make one contact and one conversation', async () => {
    const sent = await Promise.all(Array.from({ length: 12 }, () => send({ number: NEW, body: 'x' })));
    expect(new Set(sent.map((got) => `${got.json.contactId} ${got.json.ticketId}`)).size).toBe(1);
    expect(new Set(sent.map((got) => got.json.messages[0].id)).size).toBe(12);
  });
});

describe('the outgoing connection', () => {
  const more = [
    { id: 3, name: 'face', channel: 'facebook', isDefault: true },
    { id: 4, name: 'spare', channel: 'whatsapp' },
    { id: 5, name: 'spare', channel: 'whatsapp' },
  ];
  const chosen = async (ask: object) => {
    const got = await send({ number: NEW, body: 'x', ...ask });
    return got.json.whatsappId ?? `${got.status} ${got.json.code}`;
  };

  it.each([
    ['whatsappId before whatsappName', { whatsappId: 2, whatsappName: 'main' }, 2],
    [
      'whatsappId that does not exist, whatever the name',
      { whatsappId: 404, whatsappName: 'main' },
      '404 ERR_CONNECTION_NOT_FOUND',
    ],
    ['whatsappId of another account', { whatsappId: 9 }, '404 ERR_CONNECTION_NOT_FOUND'],
    ['whatsappId that is no integer', { whatsappId: 'x' }, '404 ERR_CONNECTION_NOT_FOUND'],
    ['whatsappName', { whatsappName: 'spare' }, 4],
    ['whatsappName that does not exist', { whatsappName: 'none' }, '404 ERR_CONNECTION_NOT_FOUND'],
    ['whatsappId null counts as not sent', { whatsappId: null, whatsappName: '' }, 1],
    ['a channel that cannot send, by id', { whatsappId: 3 }, '400 ERR_UNSUPPORTED_CHANNEL'],
    ['a channel that cannot send, by name', { whatsappName: 'face' }, '400 ERR_UNSUPPORTED_CHANNEL'],
  ])('as asked for: %s', async (_name, ask, expected) => {
    await patch({ connections: more });
    expect(await chosen(ask)).toBe(expected);
  });

  it.each([
    [
      'the default of the account, though not connected',
      { defaultConnectionId: 2, connections: [{ id: 2, status: 'DISCONNECTED' }] },
      2,
    ],
    [
      'the default of the account, though it cannot send',
      { defaultConnectionId: 3 },
      '400 ERR_UNSUPPORTED_CHANNEL',
    ],
    ['no default: the first CONNECTED one, lowest id', { connections: [{ id: 1, status: 'OPENING' }] }, 2],
    ['no default: isDefault has no part in it', { connections: [{ id: 5, isDefault: true }] }, 1],
    [
      'none CONNECTED: the first existing one, lowest id',
      { connections: [1, 2, 4, 5].map((id) => ({ id, status: 'DISCONNECTED' })) },
      1,
    ],
    [
      'whatsapp and waba alike, no other channel',
      {
        connections: [
          { id: 1, channel: 'facebook' },
          { id: 2, channel: 'instagram' },
        ],
      },
      4,
    ],
    [
      'no whatsapp or waba connection at all',
      { connections: [1, 2, 4, 5].map((id) => ({ id, channel: 'instagram' })) },
      '404 ERR_NO_CONNECTION_AVAILABLE',
    ],
  ])('not asked for: %s', async (_name, changes, expected) => {
    await patch({ defaultConnectionId: null, connections: more });
    await patch(changes);
    expect(await chosen({})).toBe(expected);
  });
});

describe('status', () => {
  it('goes queued, sent, server_ack, delivered, read with its ack as time passes, also over a restart', async () => {
    const { id } = (await send({ number: NEW, templateData: template })).json.messages[0];
    const seen = [];
    for (const ms of [0, 500, 1_000, 3_000, 30_000, 1_000_000]) {
      at = START + ms;
      if (ms === 3_000) await context.restart();
      const { json } = await context.call('GET', `/v1/messages/${encodeURIComponent(id)}/status`);
      expect(json).toMatchObject({
        requestId: expect.any(String),
        id,
        createdAt: new Date(START).toISOString(),
      });
      seen.push([json.status, json.ack]);
    }
    expect(seen).toEqual([
      ['queued', 0],
      ['sent', 1],
      ['server_ack', 2],
      ['delivered', 3],
      ['read', 4],
      ['read', 4],
    ]);
  });

  it.each([
    ['a text outside the waba window', { number: NEW, body: 'x' }, 'failed'],
    ['a number that is not on the network', { number: '5511900000000', body: 'x', whatsappId: 2 }, 'failed'],
    ['whatsapp has no window', { number: NEW, body: 'x', whatsappId: 2 }, 'read'],
    ['a connection that is not CONNECTED', { number: NEW, body: 'x', whatsappId: 3 }, 'queued'],
  ])('in the end: %s', async (_name, body, status) => {
    await patch({ connections: [{ id: 3, channel: 'whatsapp', status: 'DISCONNECTED' }] });
    const { id } = (await send(body)).json.messages[0];
    at += 1_000_000;
    expect(await statusOf(id)).toBe(status);
  });

  it('what a contact wrote is received', async () => {
    const { messageId } = (
      await context.panel('POST', '/accounts/acme/inbound', { number: NEW, body: 'x', connectionId: 1 })
    ).json;
    expect(await statusOf(messageId)).toBe('received');
  });

  it.each(['nothing', 'theirs', '__proto__', '%2F'])(
    'unknown message %s: 404 ERR_MESSAGE_NOT_FOUND',
    async (id) => {
      const got = await context.call('GET', `/v1/messages/${id}/status`);
      expect([got.status, got.json.code]).toEqual([404, 'ERR_MESSAGE_NOT_FOUND']);
    },
  );
});
