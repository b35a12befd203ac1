// Contacts and tags, sentence by sentence of the API text.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Context, openContext } from './context.ts';

let context: Context;
beforeEach(async () => {
  context = await openContext();
});
afterEach(() => context.close());

const upsert = (body: unknown) => context.call('POST', '/v1/contacts', { body });
const extraOf = async (id: number) =>
  (await context.call('GET', `/v1/contacts/${id}`)).json.contact.extraInfo;

describe('upsert', () => {
  it('a new number is 201 with every field of the table and no extraInfo', async () => {
    const got = await upsert({
      number: '5511911112222',
      name: 'Davi',
      extraInfo: [{ name: 'a', value: 'b' }],
    });
    expect(got.status).toBe(201);
    expect(got.json.created).toBe(true);
    const { createdAt, updatedAt, id, ...rest } = got.json.contact;
    expect(rest).toEqual({
      name: 'Davi',
      number: '5511911112222',
      email: null,
      document: null,
      channel: 'whatsapp',
      profilePicUrl: null,
      disableBot: false,
      tags: [],
    });
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(updatedAt).toBe(createdAt);
    expect(await extraOf(id)).toEqual([{ name: 'a', value: 'b' }]);
  });

  it.each(['+55 (11) 98765-4321', '55 11 98765 4321', '5511987654321'])(
    '%s is the contact of that number: 200',
    async (number) => {
      const got = await upsert({ number, document: '123' });
      expect([got.status, got.json.created, got.json.contact.id]).toEqual([200, false, 1]);
    },
  );

  it('the other form of a Brazilian number is another contact', async () => {
    expect((await upsert({ number: '551187654321' })).status).toBe(201);
  });

  it('an update leaves alone what is not sent, null or empty', async () => {
    const got = await upsert({
      number: '5511987654321',
      name: '',
      email: null,
      document: '  ',
      disableBot: null,
      extraInfo: null,
    });
    expect(got.json.contact).toMatchObject({
      name: 'Bia',
      email: 'bia@example.com',
      document: null,
      disableBot: false,
    });
    expect(got.json.contact.tags).toEqual([{ id: 1, name: 'vip', color: '#ff0000' }]);
    expect(await extraOf(1)).toEqual([{ name: 'cpf', value: '1' }]);
  });

  it('false is not empty, and extraInfo replaces the whole list', async () => {
    await upsert({ number: '5511987654321', disableBot: true });
    await upsert({ number: '5511987654321', disableBot: false, extraInfo: [{ name: 'x', value: 'y' }] });
    const { contact } = (await context.call('GET', '/v1/contacts/1')).json;
    expect([contact.disableBot, contact.extraInfo]).toEqual([false, [{ name: 'x', value: 'y' }]]);
  });

  it.each([
    ['no number', {}, 400, 'ERR_MISSING_NUMBER'],
    ['null', { number: null }, 400, 'ERR_MISSING_NUMBER'],
    ['empty', { number: '' }, 400, 'ERR_MISSING_NUMBER'],
    ['no digits', { number: 'call me' }, 400, 'ERR_NUMBER_INVALID'],
    ['too many digits', { number: '1234567890123456' }, 400, 'ERR_NUMBER_INVALID'],
    ['a number of type number', { number: 5511 }, 400, 'ERR_INVALID_BODY'],
    ['an e-mail of another type', { number: '5511', email: 1 }, 400, 'ERR_INVALID_BODY'],
    [
      'extraInfo values of another type',
      { number: '5511', extraInfo: [{ name: 'a', value: 1 }] },
      400,
      'ERR_INVALID_BODY',
    ],
    ['an unknown connection', { number: '5511', whatsappId: 77 }, 404, 'ERR_WHATSAPP_NOT_FOUND'],
    [
      'off network, asked on whatsapp',
      { number: '5511900000000', validateNumber: true, whatsappId: 2 },
      422,
      'ERR_NUMBER_NOT_ON_WHATSAPP',
    ],
    [
      'off network, asked on waba',
      { number: '5511900000000', validateNumber: true, whatsappId: 1 },
      201,
      undefined,
    ],
    ['off network, default is waba', { number: '5511900000000', validateNumber: true }, 201, undefined],
    ['off network, not asked', { number: '5511900000000', whatsappId: 2 }, 201, undefined],
  ])('%s', async (_name, body, status, code) => {
    const got = await upsert(body);
    expect([got.status, got.json.code]).toEqual([status, code]);
  });

  it('a refused number makes no contact', async () => {
    await upsert({ number: '5511900000000', validateNumber: true, whatsappId: 2 });
    expect((await context.call('GET', '/v1/contacts?number=5511900000000')).json.count).toBe(0);
  });

  it.each([
    [[{ id: 31, channel: 'facebook' }], 'ERR_NO_CONNECTION_AVAILABLE'],
    [[], 'ERR_NO_CONNECTION_AVAILABLE'],
  ])('with connections %j there is nothing to validate on', async (connections, code) => {
    await context.close();
    context = await openContext({
      fixture: { accounts: [{ id: 'bare', tokens: [{ value: 'svc_test_all' }], connections }] },
    });
    const got = await upsert({ number: '5511', validateNumber: true });
    expect([got.status, got.json.code]).toEqual([404, code]);
    expect((await upsert({ number: '5511' })).status).toBe(201);
  });
});

describe('get and update', () => {
  it('extraInfo is only in GET of one contact', async () => {
    const one = (await context.call('GET', '/v1/contacts/1')).json;
    expect(one.contact.extraInfo).toEqual([{ name: 'cpf', value: '1' }]);
    const list = (await context.call('GET', '/v1/contacts')).json.contacts;
    const put = (await context.call('PUT', '/v1/contacts/1', { body: { name: 'B' } })).json.contact;
    const tags = (await context.call('PUT', '/v1/contacts/1/tags', { body: { tagIds: [] } })).json.contact;
    for (const contact of [...list, put, tags]) expect(contact).not.toHaveProperty('extraInfo');
  });

  it.each(['404', '0', '-1', 'abc', '1.0', '1e0', '%31x'])('contact %s is unknown', async (id) => {
    const got = await context.call('GET', `/v1/contacts/${id}`);
    expect([got.status, got.json.code]).toEqual([404, 'ERR_NO_CONTACT_FOUND']);
  });

  it('only what is sent changes; null erases; extraInfo replaces the list', async () => {
    await context.call('PUT', '/v1/contacts/1', { body: { document: '9' } });
    await context.call('PUT', '/v1/contacts/1', { body: { email: null, extraInfo: [] } });
    const { contact } = (await context.call('GET', '/v1/contacts/1')).json;
    expect(contact).toMatchObject({ name: 'Bia', email: null, document: '9', extraInfo: [] });
  });

  it.each([
    ['another number', 1, { number: '5511' }, 400, 'ERR_NUMBER_IMMUTABLE'],
    ['its own number', 1, { number: '5511987654321' }, 400, 'ERR_NUMBER_IMMUTABLE'],
    ['a number for nobody', 404, { number: '5511' }, 400, 'ERR_NUMBER_IMMUTABLE'],
    ['nobody', 404, { name: 'x' }, 404, 'ERR_NO_CONTACT_FOUND'],
    ['a name of another type', 1, { name: 7 }, 400, 'ERR_INVALID_BODY'],
  ])('PUT with %s', async (_name, id, body, status, code) => {
    const got = await context.call('PUT', `/v1/contacts/${id}`, { body });
    expect([got.status, got.json.code]).toEqual([status, code]);
  });
});

describe('tags', () => {
  it('the list is replaced as a whole; unknown, foreign and doubled ids are ignored', async () => {
    const got = await context.call('PUT', '/v1/contacts/1/tags', {
      body: { tagIds: [2, 404, 9, 2, 'x', null] },
    });
    expect(got.status).toBe(200);
    expect(got.json.contact.tags).toEqual([{ id: 2, name: 'cold', color: '#0000ff' }]);
    const none = await context.call('PUT', '/v1/contacts/1/tags', { body: { tagIds: [] } });
    expect(none.json.contact.tags).toEqual([]);
  });

  it.each([
    ['missing', 1, {}, 400, 'ERR_INVALID_TAG_IDS'],
    ['not an array', 1, { tagIds: 1 }, 400, 'ERR_INVALID_TAG_IDS'],
    ['not an array for nobody', 404, { tagIds: '1' }, 400, 'ERR_INVALID_TAG_IDS'],
    ['nobody', 404, { tagIds: [1] }, 404, 'ERR_NO_CONTACT_FOUND'],
  ])('%s', async (_name, id, body, status, code) => {
    const got = await context.call('PUT', `/v1/contacts/${id}/tags`, { body });
    expect([got.status, got.json.code]).toEqual([status, code]);
  });

  it('an account with tags for conversations alone refuses, and changes nothing', async () => {
    await context.panel('PATCH', '/accounts/acme', { tagMode: 'conversations' });
    const got = await context.call('PUT', '/v1/contacts/1/tags', { body: { tagIds: [2] } });
    expect([got.status, got.json.code]).toEqual([400, 'ERR_INVALID_TAGMODE']);
    expect((await context.call('GET', '/v1/contacts/1')).json.contact.tags[0].id).toBe(1);
  });

  it('the list of tags has no pages and only those of the account', async () => {
    const got = await context.call('GET', '/v1/tags');
    expect(Object.keys(got.json)).toEqual(['requestId', 'tags']);
    expect(got.json.tags.map((tag: { id: number }) => tag.id)).toEqual([1, 2]);
  });
});

describe('list', () => {
  const ids = async (query: string) => {
    const got = await context.call('GET', `/v1/contacts?${query}`);
    expect(got.status).toBe(200);
    return got.json.contacts.map((contact: { id: number }) => contact.id);
  };

  it.each([
    ['', [1, 2]],
    ['searchParam=bI', [1]],
    ['searchParam=8765', [1]],
    ['searchParam=%2B55 (11) 9', [1]],
    ['searchParam=', [1, 2]],
    ['searchParam=nobody', []],
    ['number=5511987654321', [1]],
    ['number=551187654321', [1]],
    ['number=%2B55 11 98765-4321', [1]],
    ['number=551133334444', [2]],
    ['number=551198765432', []],
    ['number=abc', []],
    ['email=BIA@', [1]],
    ['email=bia@example.com.br', []],
    ['channel=waba', [2]],
    ['channel=wab', []],
    ['tagId=1', [1]],
    ['tagId=1,2', [1, 2]],
    ['tagId=404, 2', [2]],
    ['tagId=x', []],
    ['tagId=1&channel=waba', []],
  ])('?%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it('a page is capped at 100 silently, is 40 by default, and count covers all', async () => {
    const contacts = Array.from({ length: 150 }, (_, i) => ({ id: 1000 + i }));
    await context.panel('PATCH', '/accounts/acme', { contacts });
    const shape = async (query: string) => {
      const { json } = await context.call('GET', `/v1/contacts?${query}`);
      return [json.count, json.hasMore, json.contacts.length];
    };
    expect(await shape('')).toEqual([152, true, 40]);
    expect(await shape('pageSize=500')).toEqual([152, true, 100]);
    expect(await shape('pageSize=100&pageNumber=2')).toEqual([152, false, 52]);
    expect(await shape('pageSize=76&pageNumber=2')).toEqual([152, false, 76]);
    expect(await shape('pageNumber=99')).toEqual([152, false, 0]);
    expect(await shape('pageSize=0&pageNumber=0')).toEqual([152, true, 40]);
    expect(await shape('pageSize=x&pageNumber=-3')).toEqual([152, true, 40]);
  });
});

it('connections have count and no hasMore, and the fields of the table', async () => {
  const { json } = await context.call('GET', '/v1/connections');
  expect(Object.keys(json)).toEqual(['requestId', 'count', 'connections']);
  expect(Object.keys(json.connections[0])).toEqual([
    'id',
    'name',
    'channel',
    'status',
    'isDefault',
    'lastWebhookAt',
    'updatedAt',
  ]);
});
