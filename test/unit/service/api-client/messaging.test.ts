// Conversations, messages and flows: what goes out, and how answers are read where the API text is silent.
import { describe, expect, it } from 'vitest';
import {
  InvalidArgumentError,
  MAX_PAGE_SIZE,
  type MessagingClient,
} from '../../../../src/service/api-client/index.ts';
import { aConversation, aSentMessage } from './builders.ts';
import { answer } from './raw-server.ts';
import { failure, setup } from './setup.ts';

const RECEIPT = { requestId: 'r', ticketId: 5, contactId: 1, whatsappId: 1, channel: 'waba', messages: [] };

describe('conversations.list', () => {
  it('sends its filters as the API text writes them', async () => {
    const page = { count: 1, hasMore: false, conversations: [aConversation()] };
    const { client, server } = await setup([answer(200, page)]);
    const { data } = await client.conversations.list({
      status: ['open', 'pending'],
      whatsappId: 3,
      searchParam: 'a&b',
      pageSize: 500,
    });
    expect(data).toMatchObject({ count: 1, items: [{ id: 5, owner: { name: 'Ana' } }], invalid: [] });
    const target = server.requests[0]?.line.split(' ')[1] ?? '';
    const { pathname, searchParams } = new URL(target, 'http://x');
    expect(pathname).toBe('/wapi/v1/conversations');
    expect(Object.fromEntries(searchParams)).toEqual({
      status: 'open,pending',
      whatsappId: '3',
      searchParam: 'a&b',
      pageSize: '500',
    });
  });

  it.each<[string, Record<string, unknown>, string | null]>([
    ['nobody serves it, no queue', { queueId: null, userId: null, queue: null, owner: null }, null],
    [
      'fields left out that may be null',
      { queue: undefined, owner: undefined, lastMessage: undefined },
      null,
    ],
    ['words of tomorrow', { status: 'snoozed', channel: 'telegram', later: 1 }, null],
    ['no connection', { connection: null }, 'conversations[0].connection'],
    ['a contact without number', { contact: { id: 1, name: 'B' } }, 'conversations[0].contact.number'],
    ['chatbot as text', { chatbot: 'yes' }, 'conversations[0].chatbot'],
  ])('%s', async (_name, over, path) => {
    const page = { count: 1, hasMore: false, conversations: [aConversation(over)] };
    const { client } = await setup([answer(200, page)]);
    const { data } = await client.conversations.list();
    expect(data.invalid).toMatchObject(path === null ? [] : [{ index: 0, id: 5, path }]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an empty status list', { status: [] }, 'status'],
    ['several connections', { whatsappId: [1, 2] }, 'whatsappId'],
    ['an unknown filter', { queue: 1 }, 'argument'],
  ])('%s is refused before a call is spent', async (_name, query, field) => {
    const { client, server } = await setup([answer(200, {})]);
    const error = await failure(client.conversations.list(query as never));
    expect(error).toMatchObject({ name: 'InvalidArgumentError', field });
    expect(server.requests).toHaveLength(0);
  });
});

describe('messages.send', () => {
  it('sends JSON as it was given', async () => {
    const { client, server } = await setup([answer(200, { ...RECEIPT, messages: [aSentMessage()] })]);
    const templateData = { templateName: 't', templateLanguage: 'pt_BR', templateParameters: ['x'] };
    const message = { number: '5511987654321', body: 'Olá', templateData, whatsappId: 3 };
    const { data } = await client.messages.send(message);
    expect(server.requests[0]?.line).toBe('POST /wapi/v1/messages/send HTTP/1.1');
    expect(JSON.parse(Buffer.from(server.requests[0]?.body ?? '', 'latin1').toString())).toEqual(message);
    expect(data).toMatchObject({ ticketId: 5, messages: [{ id: 'wamid.A', status: 'queued', ack: 0 }] });
  });

  it('leaves it to the service to miss number and content', async () => {
    const { client, server } = await setup([answer(400, { code: 'ERR_MISSING_CONTENT' })]);
    await failure(client.messages.send({ number: '' }));
    expect(server.requests[0]?.body).toBe('{"number":""}');
  });

  it('takes an answer without conversation, and null ids', async () => {
    const unsaved = { whatsappId: 1, channel: 'waba', messages: [aSentMessage({ id: null })] };
    const { client } = await setup([answer(200, unsaved)]);
    const { data } = await client.messages.send({ number: '1', body: 'x', saveOnTicket: false });
    expect(data).toMatchObject({ ticketId: null, contactId: null, messages: [{ id: null }] });
  });
});

describe('messages.status', () => {
  const record = { ack: 3, status: 'delivered', later: 1 };
  it.each<[string, unknown]>([
    ['at the root', { requestId: 'r', ...record }],
    ['at the root, beside an object', { ...record, later: { id: 1 } }],
    ['under message', { requestId: 'r', message: record, other: {} }],
    ['under any one key', { requestId: 'r', data: record }],
  ])('is read %s', async (_name, body) => {
    const { client } = await setup([answer(200, body)]);
    expect((await client.messages.status('m1')).data).toMatchObject({ ack: 3, status: 'delivered' });
  });

  it.each<[string, string]>([
    ['wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjQ5+Q==', 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjQ5%2BQ%3D%3D'],
    ['3EB0C767D26A1B2C3D4E', '3EB0C767D26A1B2C3D4E'],
    ['true_5511@c.us_3A:1', 'true_5511%40c.us_3A%3A1'],
    ['6f1c2a34-9f0e-4c55-8a37-1d1d1f0a9d11', '6f1c2a34-9f0e-4c55-8a37-1d1d1f0a9d11'],
    ['...', '...'],
  ])('the id %s is one segment of the path', async (id, segment) => {
    const { client, server } = await setup([answer(200, record)]);
    await client.messages.status(id);
    expect(server.requests[0]?.line).toBe(`GET /wapi/v1/messages/${segment}/status HTTP/1.1`);
  });

  it.each<[unknown]>([
    [''],
    ['.'],
    ['..'],
    ['../contacts'],
    ['a/b'],
    ['a\\b'],
    ['a?x=1'],
    ['a#b'],
    ['%2e%2e'],
    ['a b'],
    ['a\r\nx: y'],
    ['ção'],
    ['x'.repeat(513)],
    [7],
    [null],
    [undefined],
    [{}],
  ])('the id %j is refused', async (id) => {
    const { client, server } = await setup([answer(200, record)]);
    const error = await failure(client.messages.status(id as string));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ field: 'messageId' });
    expect(server.requests).toHaveLength(0);
  });

  it('errors and reports name the template, never the id, which contains the number', async () => {
    const heard: string[] = [];
    const { client } = await setup([answer(404, { code: 'ERR_MESSAGE_NOT_FOUND' })], {
      onResponse: ({ path }) => heard.push(path),
    });
    const error = await failure(client.messages.status('wamid.CANARY'));
    expect(error).toMatchObject({ path: '/v1/messages/{messageId}/status', code: 'ERR_MESSAGE_NOT_FOUND' });
    expect(String(error)).not.toContain('CANARY');
    expect(heard).toEqual(['/v1/messages/{messageId}/status']);
  });
});

describe('conversations.reply', () => {
  it('goes to the conversation', async () => {
    const { client, server } = await setup([answer(200, { messages: [] })]);
    await client.conversations.reply(7, { body: 'x' });
    expect(server.requests).toMatchObject([
      { line: 'POST /wapi/v1/conversations/7/messages HTTP/1.1', body: '{"body":"x"}' },
    ]);
  });

  it.each<[string, unknown, number]>([
    ['messages like those of a send', { messages: [aSentMessage(), aSentMessage({ id: 'b' })] }, 2],
    ['one that is not', { messages: [aSentMessage(), { text: 'x' }] }, 1],
    ['something else', { message: { id: 'x' } }, 0],
    ['no body at all', '', 0],
  ])('was sent, whatever the answer shows: %s', async (_name, body, messages) => {
    const { client } = await setup([answer(200, body)]);
    const { data } = await client.conversations.reply(7, { body: 'x' });
    expect(data.messages).toHaveLength(messages);
    expect(data.raw).toEqual(body === '' ? {} : body);
  });

  it('a quotation without a name for its field is refused', async () => {
    const { client, server } = await setup([answer(200, {})]);
    const error = await failure(client.conversations.reply(7, { body: 'x', quotedMessageId: 'm' }));
    expect(error).toMatchObject({ name: 'InvalidArgumentError', field: 'quotedMessageId' });
    expect(String(error)).toContain('reply.quotedMessageField');
    expect(server.requests).toHaveLength(0);
  });
});

describe('flows.trigger', () => {
  const input = { flowId: 1, whatsappId: 2, contact: { id: 3, number: '5511987654321' } };

  it.each<[string, unknown]>([
    ['a body', { requestId: 'r', runId: 9 }],
    ['an empty one', ''],
  ])('keeps the answer as it came: %s', async (_name, body) => {
    const { client, server } = await setup([answer(202, body)]);
    const { data, meta } = await client.flows.trigger({ ...input, variables: { coupon: 'X' } });
    expect(data.raw).toEqual(body === '' ? {} : body);
    expect(meta.status).toBe(202);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      flowId: 1,
      whatsappId: 2,
      contactId: 3,
      variables: { coupon: 'X' },
    });
  });

  it.each<[string, unknown, string]>([
    ['no contact', undefined, 'contact.id'],
    ['a number where the id goes out', { number: '1' }, 'contact.id'],
    ['an id of 0', { id: 0 }, 'contact.id'],
    ['an id as text', { id: '3' }, 'contact.id'],
  ])('%s is refused', async (_name, contact, field) => {
    const { client, server } = await setup([answer(202, {})]);
    const error = await failure(client.flows.trigger({ ...input, contact } as never));
    expect(error).toMatchObject({ name: 'InvalidArgumentError', field });
    expect(server.requests).toHaveLength(0);
  });

  it.each<[unknown, unknown, string]>([
    [{ error: 'x' }, null, 'unrecognised'],
    [{ code: 'ERR_CONNECTION_NOT_FOUND' }, 'ERR_CONNECTION_NOT_FOUND', 'coded'],
    [{ code: 'ERR_SOMETHING' }, 'ERR_SOMETHING', 'coded'],
  ])('a 404 for the connection may carry any code or none: %j', async (body, code, kind) => {
    const { client } = await setup([answer(404, body)]);
    expect(await failure(client.flows.trigger(input))).toMatchObject({ status: 404, code, kind });
  });
});

describe('ids of conversations', () => {
  it.each<[string, (client: MessagingClient) => Promise<unknown>]>([
    ['messages', (client) => client.conversations.messages('7/x' as never)],
    ['reply', (client) => client.conversations.reply(0, { body: 'x' })],
    ['iterateMessages', (client) => client.conversations.iterateMessages(-1).next()],
  ])('%s refuses what is none', async (_name, call) => {
    const { client, server } = await setup([answer(200, {})]);
    expect(await failure(call(client))).toMatchObject({ field: 'ticketId' });
    expect(server.requests).toHaveLength(0);
  });
});

it('page sizes are those of the API text', () => {
  expect(MAX_PAGE_SIZE).toEqual({ conversations: 100, messages: 200, contacts: 100, cards: 100 });
});
