// What answers become: results, or errors by status and body.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ApiError, type MessagingClient, TransportError } from '../../../../src/service/api-client/index.ts';
import { aCard, RATE } from './builders.ts';
import { answer } from './raw-server.ts';
import { failure, setup } from './setup.ts';

const HTML = '<html><body>Bad gateway</body></html>';
const NOTHING = { retryAfterMs: null, requiredScope: null, ticketId: null, param: null };

describe('an error answer', () => {
  const cases: Array<[string, number, unknown, Record<string, string>, Record<string, unknown>]> = [
    [
      'a known code',
      404,
      { error: 'x', code: 'ERR_NO_CARD_FOUND' },
      {},
      { code: 'ERR_NO_CARD_FOUND', kind: 'coded', ...NOTHING },
    ],
    ['a new code', 422, { error: 'x', code: 'ERR_NEW_IN_2030' }, {}, { code: 'ERR_NEW_IN_2030' }],
    [
      '400 with param',
      400,
      { code: 'ERR_INVALID_DATE_FILTER', param: 'closedAtAfter' },
      {},
      { param: 'closedAtAfter' },
    ],
    [
      '403 with scope',
      403,
      { code: 'ERR_SCOPE_MISSING', requiredScope: 'cards:write' },
      {},
      { requiredScope: 'cards:write' },
    ],
    ['409 with ticket', 409, { code: 'ERR_TICKET_IN_HUMAN_SERVICE', ticketId: 31 }, {}, { ticketId: 31 }],
    [
      '409 with a garbage ticket',
      409,
      { code: 'ERR_TICKET_IN_HUMAN_SERVICE', ticketId: 'x' },
      {},
      { ticketId: null },
    ],
    [
      '429 in seconds',
      429,
      { code: 'ERR_RATE_LIMITED', retryAfter: 9 },
      { 'retry-after': '17' },
      { retryAfterMs: 17_000 },
    ],
    [
      '429 as a date, against the date of the answer',
      429,
      { code: 'ERR_RATE_LIMITED' },
      { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT', date: 'Fri, 20 Nov 2026 10:00:00 GMT' },
      { retryAfterMs: 30_000 },
    ],
    [
      '429 as a date that is past',
      429,
      { code: 'ERR_RATE_LIMITED' },
      { 'retry-after': 'Fri, 20 Nov 2026 09:00:00 GMT', date: 'Fri, 20 Nov 2026 10:00:00 GMT' },
      { retryAfterMs: 0 },
    ],
    ['429 only in the body', 429, { code: 'ERR_RATE_LIMITED', retryAfter: 9 }, {}, { retryAfterMs: 9000 }],
    [
      '429 garbage, body good',
      429,
      { retryAfter: 9 },
      { 'retry-after': 'apples 5' },
      { retryAfterMs: 9000, kind: 'unrecognised' },
    ],
    ['429 all garbage', 429, { retryAfter: 'soon' }, { 'retry-after': '-3' }, { retryAfterMs: null }],
    ['429 negative in the body', 429, { retryAfter: -1 }, {}, { retryAfterMs: null }],
    ['429 without anything', 429, '', {}, { code: null, retryAfterMs: null, kind: 'unrecognised' }],
    ['500 without code', 500, { error: 'generic' }, {}, { code: null, kind: 'internal', detail: 'generic' }],
    ['500 with a code', 500, { code: 'ERR_X' }, {}, { code: 'ERR_X', kind: 'coded' }],
    [
      '502 with a page',
      502,
      HTML,
      { 'content-type': 'text/html' },
      { code: null, kind: 'internal', detail: null },
    ],
    ['403 without code', 403, { error: 'not in plan' }, {}, { code: null, kind: 'forbidden' }],
    ['403 with a page', 403, HTML, {}, { kind: 'unrecognised' }],
    ['404 with a page', 404, HTML, {}, { kind: 'unrecognised' }],
    ['404 with a list', 404, [], {}, { kind: 'unrecognised' }],
    ['400 with a code that is no text', 400, { code: 17 }, {}, { code: null, kind: 'unrecognised' }],
    ['400 with a code that has a phone', 400, { code: 'ERR_5511987654321' }, {}, { code: null }],
    ['400 with a code that may be a name', 400, { code: 'Iolanda' }, {}, { code: null }],
    ['400 with a code that is a phone', 400, { code: '5511987654321' }, {}, { code: null }],
    [
      '404 in an unknown encoding',
      404,
      { code: 'ERR_X' },
      { 'content-encoding': 'zstd' },
      { status: 404, code: null },
    ],
  ];

  it.each(cases)('%s', async (_name, status, body, headers, expected) => {
    const { client } = await setup([answer(status, body, headers)]);
    const error = (await failure(client.cards.get(7))) as ApiError;
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, method: 'GET', path: '/v1/cards/{cardId}', ...expected });
    expect(error.message).toContain(
      `GET /v1/cards/{cardId} answered ${status} ${error.code ?? `(${error.kind})`}`,
    );
  });

  it('keeps the rate and the request id', async () => {
    const { client } = await setup([answer(404, { code: 'ERR_NO_CARD_FOUND', requestId: 'r-9' }, RATE)]);
    const error = (await failure(client.cards.get(7))) as ApiError;
    expect(error.rate).toEqual({ limit: 120, remaining: 119, resetAt: new Date(1_795_000_000_000) });
    expect(error.requestId).toBe('r-9');
  });

  it('hides the words of the service from inspection and JSON', async () => {
    const { client } = await setup([answer(400, { error: 'no 5511987654321', code: 'ERR_X' })]);
    const error = (await failure(client.cards.get(7))) as ApiError;
    expect(error.detail).toBe('no 5511987654321');
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain('5511987654321');
  });
});

describe('a 2xx that is not an answer is never a success', () => {
  const card = JSON.stringify({ requestId: 'r', card: aCard() });
  it.each<[string, string | Buffer, Record<string, string>]>([
    ['a page', HTML, { 'content-type': 'text/html' }],
    ['cut JSON', card.slice(0, -5), {}],
    ['nothing', '', {}],
    ['null', 'null', {}],
    ['a list', '[]', {}],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), {}],
    ['JSON and trailing junk', `${card}x`, {}],
    ['an unknown encoding', card, { 'content-encoding': 'zstd' }],
    ['gzip in name only', card, { 'content-encoding': 'gzip' }],
  ])('%s', async (_name, body, headers) => {
    const { client } = await setup([answer(200, body, headers)]);
    const error = await failure(client.cards.create({ contactId: 1, pipelineId: 1 }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ reason: 'invalid_body', sent: true, status: 200 });
  });

  it('a 304 or 302 counts as a redirect', async () => {
    const { client } = await setup([answer(304, '')]);
    expect(await failure(client.cards.get(7))).toMatchObject({ reason: 'redirect', status: 304 });
  });
});

describe('a write that shows no record is done', () => {
  it.each<[string, number, unknown, number | null]>([
    ['a word in its place', 201, { requestId: 'r', card: 'created', contact: 'created' }, null],
    ['a message', 200, { message: 'ok' }, null],
    ['an id alone', 201, { requestId: 'r', id: 7 }, 7],
    ['an id in its place', 201, { card: { id: '7' }, contact: { id: '7' } }, 7],
    ['nothing', 204, '', null],
    ['a text', 200, '"created"', null],
    ['a record that lacks a field', 200, { card: { id: 7, title: null }, contact: { id: 7 } }, 7],
    ['something else', 202, { card: null, contact: [], data: { queued: true } }, null],
  ])('%s', async (_name, status, body, id) => {
    const { client } = await setup([answer(status, body)]);
    const unseen = { id };
    expect((await client.cards.create({ contactId: 1, pipelineId: 1 })).data).toMatchObject({
      card: null,
      ...unseen,
    });
    expect((await client.cards.move(7, 1)).data).toEqual({ card: null, ...unseen });
    expect((await client.contacts.upsert({ number: '1' })).data).toMatchObject({ contact: null, ...unseen });
    expect((await client.contacts.update(7, { name: 'x' })).data).toEqual({ contact: null, ...unseen });
    expect((await client.contacts.setTags(7, [])).data).toEqual({ contact: null, ...unseen });
    const sent = { ticketId: null, contactId: null, whatsappId: null, channel: null, messages: [] };
    expect((await client.messages.send({ number: '1', body: 'x' })).data).toEqual(sent);
    expect((await client.conversations.reply(1, { body: 'x' })).data.messages).toEqual([]);
    const trigger = { flowId: 1, whatsappId: 1, contact: { id: 99 } };
    expect((await client.flows.trigger(trigger)).data.contact).not.toBe('same');
  });

  it.each([
    [201, true],
    [200, false],
    [202, null],
  ])('an upsert with %i created: %s', async (status, created) => {
    const { client } = await setup([answer(status, { message: 'ok' })]);
    expect((await client.contacts.upsert({ number: '1' })).data.created).toBe(created);
  });
});

describe('an assumption that a refusal may come from', () => {
  const trigger = (client: MessagingClient) =>
    client.flows.trigger({ flowId: 1, whatsappId: 2, contact: { id: 3 } });
  it.each<[number, unknown, boolean]>([
    [422, { error: 'x', code: 'ERR_PERSON_REQUIRED' }, true],
    [400, { error: 'x', code: 'ERR_CONTACT_IDENTIFIER_REQUIRED' }, true],
    [404, { error: 'x', code: 'ERR_NO_CONTACT_FOUND' }, true],
    [400, { message: 'validation failed' }, true],
    [404, { error: 'x', code: 'ERR_FLOW_NOT_FOUND' }, false],
    [409, { error: 'x', code: 'ERR_TICKET_IN_HUMAN_SERVICE', ticketId: 1 }, false],
    [500, { error: 'x' }, false],
    [403, { error: 'x' }, false],
  ])('%i %j of a trigger: %s', async (status, body, blames) => {
    const { client } = await setup([answer(status, body)]);
    const error = (await failure(trigger(client))) as ApiError;
    const keys = ['flows.contactField', 'flows.contactIdentity', 'flows.flowIdType'];
    expect(error.assumptions).toEqual(blames ? keys : []);
    if (blames)
      for (const key of keys) expect(error.message).toContain(`accounts.<name>.assumptions: { ${key}: … }`);
  });

  it('names the endpoint and that the code is not listed', async () => {
    const { client } = await setup([answer(422, { error: 'x', code: 'ERR_NEW_IN_2030' })]);
    expect(await failure(client.cards.get(7))).toMatchObject({
      message: 'GET /v1/cards/{cardId} answered 422 ERR_NEW_IN_2030, a code that the API text does not list',
      assumptions: [],
    });
    expect(await failure(client.contacts.update(1, { name: 'x' }))).toMatchObject({
      assumptions: ['contactUpdate.nameField'],
    });
  });

  it.each<[unknown, string]>([
    [{ contactId: 3 }, 'same'],
    [{ data: { contact: { id: '3' } } }, 'same'],
    [{ contactId: 4 }, 'other'],
    [{ run: { id: 9, contactId: 4 } }, 'other'],
    [{ contact: { id: 3, number: '5511900000000' } }, 'other'],
    [{ runId: 'x', id: 4 }, 'not shown'],
  ])('a 202 of %j names the contact of the flow: %s', async (body, contact) => {
    const { client } = await setup([answer(202, body)]);
    const input = { flowId: 1, whatsappId: 2, contact: { id: 3, number: '5511987654321' } };
    expect((await client.flows.trigger(input)).data.contact).toBe(contact);
  });
});
