// Conversations: the list with its filters, the history with its pages, replies.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Context, openContext } from './context.ts';
import { form } from './form.ts';
import type { Got } from './openapi-conformance.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR = 3_600_000;
let at = START;
let context: Context;
beforeEach(async () => {
  at = START;
  context = await openContext({ now: () => new Date(at) });
});
afterEach(() => context.close());

const add = async (conversations: object[], more: object = {}) => {
  const got = await context.panel('PATCH', '/accounts/acme', { ...more, conversations });
  expect(got.status).toBe(200);
};
const ids = (rows: { id: number }[]) => rows.map((row) => row.id);
const time = (hour: number) => new Date(START - HOUR * (24 - hour)).toISOString();

describe('GET /v1/conversations', () => {
  const list = async (query: string) => {
    const got = await context.call('GET', `/v1/conversations?${query}`);
    expect(got.status).toBe(200);
    return ids(got.json.conversations);
  };
  beforeEach(() =>
    add([
      { id: 1, contactId: 1, connectionId: 1, status: 'open', userId: 1, updatedAt: time(5) },
      { id: 2, contactId: 2, connectionId: 2, status: 'pending', chatbot: true, updatedAt: time(9) },
      {
        id: 3,
        contactId: 2,
        connectionId: 1,
        status: 'closed',
        queueId: 4,
        updatedAt: time(7),
        messages: [
          { id: 'm1', body: 'the older words', at: time(1) },
          { id: 'm2', body: 'The Newest Words', at: time(2) },
        ],
      },
    ]),
  );

  it('shows every field of the conversation table', async () => {
    const got = await context.call('GET', '/v1/conversations?status=closed');
    expect(Object.keys(got.json)).toEqual(['requestId', 'count', 'hasMore', 'conversations']);
    expect(got.json.conversations).toEqual([
      {
        id: 3,
        status: 'closed',
        channel: 'waba',
        chatbot: false,
        queueId: 4,
        userId: null,
        lastMessage: 'The Newest Words',
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: time(7),
        contact: { id: 2, name: 'Caio', number: '551133334444', email: null, profilePicUrl: null },
        connection: { id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' },
        queue: { id: 4, name: 'queue 4', color: '#808080' },
        owner: null,
      },
    ]);
    const mine = await context.call('GET', '/v1/conversations?status=open');
    expect(mine.json.conversations[0].owner).toEqual({ id: 1, name: 'Ana' });
  });

  it.each([
    ['', [2, 3, 1]],
    ['status=open', [1]],
    ['status=open,pending', [2, 1]],
    ['status=open,%20closed', [3, 1]],
    ['status=nothing', []],
    ['status=', [2, 3, 1]],
    ['whatsappId=1', [3, 1]],
    ['whatsappId=2&status=open', []],
    ['whatsappId=x', []],
    ['searchParam=caio', [2, 3]],
    ['searchParam=9876', [1]],
    ['searchParam=%2B55 (11) 3333', [2, 3]],
    ['searchParam=newest w', [3]],
    ['searchParam=older', []],
    ['searchParam=nobody', []],
    ['pageSize=2', [2, 3]],
    ['pageSize=2&pageNumber=2', [1]],
    ['pageSize=2&pageNumber=3', []],
    ['pageNumber=0&pageSize=0', [2, 3, 1]],
  ])(
    'most recently updated first, filtered by status, whatsappId and searchParam: ?%s',
    async (query, expected) => {
      expect(await list(query)).toEqual(expected);
    },
  );

  it('a conversation with a new message comes first, also after a restart', async () => {
    await context.call('POST', '/v1/conversations/1/messages', { body: { body: 'hi' } });
    expect(await list('')).toEqual([1, 2, 3]);
    at += 1;
    await context.panel('POST', '/accounts/acme/inbound', {
      number: '551133334444',
      body: 'x',
      connectionId: 2,
    });
    expect(await list('')).toEqual([2, 1, 3]);
    await context.restart();
    expect(await list('')).toEqual([2, 1, 3]);
  });

  it('count and hasMore cover all matches; the page is 40 by default and silently capped at 100', async () => {
    const many = Array.from({ length: 120 }, (_, i) => ({ id: 100 + i, contactId: 1, connectionId: 1 }));
    await add(many);
    const shape = async (query: string) => {
      const { json } = await context.call('GET', `/v1/conversations?whatsappId=1&${query}`);
      return [json.count, json.hasMore, json.conversations.length];
    };
    expect(await shape('')).toEqual([122, true, 40]);
    expect(await shape('pageSize=1000')).toEqual([122, true, 100]);
    expect(await shape('pageSize=100&pageNumber=2')).toEqual([122, false, 22]);
  });
});

describe('GET /v1/conversations/{ticketId}/messages', () => {
  const history = (query = '') => context.call('GET', `/v1/conversations/1/messages?${query}`);
  const range = (got: Got) => {
    const rows: { id: string }[] = got.json.messages;
    return [got.json.count, got.json.hasMore, rows.length, rows[0]?.id, rows.at(-1)?.id];
  };

  it('page 1 has the most recent messages, each page in chronological order, 100 by default and at most 200', async () => {
    const messages = Array.from({ length: 450 }, (_, i) => ({
      id: `m${i}`,
      body: `n ${i}`,
      at: new Date(START - HOUR + i).toISOString(),
    }));
    // Given newest first: the order is that of time, not of arrival.
    await add([{ id: 1, contactId: 1, connectionId: 1, messages: messages.toReversed() }]);
    expect(range(await history())).toEqual([450, true, 100, 'm350', 'm449']);
    expect(range(await history('pageSize=200'))).toEqual([450, true, 200, 'm250', 'm449']);
    expect(range(await history('pageSize=500'))).toEqual([450, true, 200, 'm250', 'm449']);
    expect(range(await history('pageSize=200&pageNumber=3'))).toEqual([450, false, 50, 'm0', 'm49']);
    expect(range(await history('pageSize=200&pageNumber=4'))).toEqual([450, false, 0, undefined, undefined]);
    const seen: string[] = [];
    for (let page = 5; page >= 1; page -= 1) {
      const { json } = await history(`pageNumber=${page}`);
      seen.push(...json.messages.map((row: { id: string }) => row.id));
    }
    expect(seen).toEqual(messages.map((message) => message.id));
  });

  it('shows requestId, count, hasMore, messages', async () => {
    await add([{ id: 1, contactId: 1, connectionId: 1, messages: [{ id: 'm1', body: 'hi', at: time(1) }] }]);
    const { json } = await history();
    expect(json).toEqual({
      requestId: json.requestId,
      count: 1,
      hasMore: false,
      messages: [
        {
          id: 'm1',
          ticketId: 1,
          body: 'hi',
          fromMe: false,
          status: 'received',
          ack: 2,
          media: null,
          templateData: null,
          createdAt: time(1),
        },
      ],
    });
  });

  it.each(['404', '9', 'x', '1.0', '-1'])('unknown conversation %s: 404 ERR_NO_TICKET_FOUND', async (id) => {
    const got = await context.call('GET', `/v1/conversations/${id}/messages`);
    expect([got.status, got.json.code]).toEqual([404, 'ERR_NO_TICKET_FOUND']);
  });
});

describe('POST /v1/conversations/{ticketId}/messages', () => {
  const template = { templateName: 'hello', templateLanguage: 'pt_BR', templateParameters: ['Bia'] };
  const reply = (id: number, body: unknown) =>
    context.call('POST', `/v1/conversations/${id}/messages`, { body });
  beforeEach(() =>
    add(
      [
        {
          id: 1,
          contactId: 1,
          connectionId: 1,
          messages: [{ id: 'in1', body: 'hello?', at: time(1) }],
        },
        { id: 2, contactId: 1, connectionId: 2 },
        { id: 3, contactId: 1, connectionId: 3 },
      ],
      { connections: [{ id: 3, channel: 'facebook' }] },
    ),
  );

  it('replies over the connection of the ticket, not the default one, and is last in its history', async () => {
    const got = await reply(2, { body: 'hi', whatsappId: 1 });
    expect(got.status).toBe(200);
    expect(got.json).toEqual({
      requestId: got.json.requestId,
      ticketId: 2,
      contactId: 1,
      whatsappId: 2,
      channel: 'whatsapp',
      messages: [{ id: expect.any(String), status: 'queued', ack: 0, createdAt: new Date(at).toISOString() }],
    });
    const { json } = await context.call('GET', '/v1/conversations/2/messages');
    expect(json.messages).toMatchObject([{ id: got.json.messages[0].id, body: 'hi', fromMe: true }]);
  });

  it.each([
    ['nothing', {}, 400, 'ERR_MISSING_CONTENT'],
    ['an empty text', { body: '' }, 400, 'ERR_MISSING_CONTENT'],
    ['nulls', { body: null, templateData: null }, 400, 'ERR_MISSING_CONTENT'],
    ['medias that are JSON and so no files', { medias: ['a.png'] }, 400, 'ERR_MISSING_CONTENT'],
    ['a text of another type', { body: 5 }, 400, 'ERR_INVALID_BODY'],
    ['a template without a language', { templateData: { templateName: 'x' } }, 400, 'ERR_INVALID_BODY'],
    ['a text', { body: 'x' }, 200, undefined],
    ['a template', { templateData: template }, 200, undefined],
    ['a template as JSON text', { templateData: JSON.stringify(template) }, 200, undefined],
  ])('needs at least one of body, medias, templateData: %s', async (_name, body, status, code) => {
    const got = await reply(1, body);
    expect([got.status, got.json.code]).toEqual([status, code]);
  });

  it('an unknown ticket is reported before missing content; a facebook ticket cannot send', async () => {
    expect((await reply(404, {})).json.code).toBe('ERR_NO_TICKET_FOUND');
    const got = await reply(3, { body: 'x' });
    expect([got.status, got.json.code]).toEqual([400, 'ERR_UNSUPPORTED_CHANNEL']);
  });

  it('takes one or more files as multipart', async () => {
    const got = await context.call(
      'POST',
      '/v1/conversations/2/messages',
      form([
        { name: 'medias', value: 'abc', filename: 'a.txt', type: 'text/plain' },
        { name: 'medias', value: 'def', filename: 'b.txt', type: 'text/plain' },
      ]),
    );
    expect([got.status, got.json.messages.length]).toEqual([200, 2]);
    const { messages } = (await context.call('GET', '/v1/conversations/2/messages')).json;
    expect(messages.map((row: { media: { name: string } }) => row.media.name)).toEqual(['a.txt', 'b.txt']);
    const last = await context.call('GET', '/v1/conversations?whatsappId=2');
    expect(last.json.conversations[0].lastMessage).toBe('b.txt');
  });

  it('outside the 24-hour window of waba only templates are delivered: a text is accepted and fails', async () => {
    // The contact wrote at START - 23 h.
    const ends = async (body: unknown) => {
      const { id } = (await reply(1, body)).json.messages[0];
      const sentAt = at;
      at += HOUR / 60;
      const { status } = (await context.call('GET', `/v1/messages/${id}/status`)).json;
      at = sentAt;
      return status;
    };
    at = START + HOUR - 1;
    expect([await ends({ body: 'x' }), await ends({ templateData: template })]).toEqual(['read', 'read']);
    at = START + HOUR;
    expect([await ends({ body: 'x' }), await ends({ templateData: template })]).toEqual(['failed', 'read']);
    // What we send does not open the window; what the contact writes does.
    await context.panel('POST', '/accounts/acme/inbound', {
      number: '5511987654321',
      body: 'y',
      connectionId: 1,
    });
    expect(await ends({ body: 'x' })).toBe('read');
  });

  it('reopens a closed conversation and leaves its owner alone', async () => {
    await add([{ id: 2, status: 'closed', userId: 1 }]);
    await reply(2, { body: 'x' });
    const { json } = await context.call('GET', '/v1/conversations?whatsappId=2');
    expect(json.conversations[0]).toMatchObject({ id: 2, status: 'open', userId: 1 });
  });
});
