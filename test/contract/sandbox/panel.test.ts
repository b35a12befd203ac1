// The panel: what it shows, what it takes, what it refuses with its path.
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Context, fixture, openContext } from './context.ts';

let context: Context;
beforeEach(async () => {
  context = await openContext();
});
afterEach(() => context.close());

const state = async (id = 'acme') => (await context.panel('GET', `/accounts/${id}`)).json;

describe('a fixture is refused with the path of the offending place', () => {
  const acme = (part: object) => ({ accounts: [{ id: 'acme', ...part }] });
  it.each([
    [null, '(root)'],
    [{ acounts: [] }, 'acounts'],
    [{ accounts: [{}] }, 'accounts[0].id'],
    [{ accounts: [{ id: 'a' }, { id: 'a' }] }, 'accounts[1].id'],
    [acme({ tagmode: 'contacts' }), 'accounts[0].tagmode'],
    [acme({ tagMode: 'cards' }), 'accounts[0].tagMode'],
    [acme({ tags: [{ id: 1 }, { id: 1 }] }), 'accounts[0].tags[1].id'],
    [acme({ contacts: [{ id: 1, colour: 'x' }] }), 'accounts[0].contacts[0].colour'],
    [acme({ contacts: [{ id: 1, number: '+55' }] }), 'accounts[0].contacts[0].number'],
    [
      acme({
        contacts: [
          { id: 1, number: '55' },
          { id: 2, number: '55' },
        ],
      }),
      'accounts[0].contacts[1].number',
    ],
    [acme({ contacts: [{ id: 1, tagIds: [5] }] }), 'accounts[0].contacts[0].tagIds[0]'],
    [acme({ cards: [{ id: 1, pipelineId: 1 }] }), 'accounts[0].cards[0].contactId'],
    [
      acme({ contacts: [{ id: 1 }], cards: [{ id: 1, contactId: 1, pipelineId: 7 }] }),
      'accounts[0].cards[0].pipelineId',
    ],
    [
      acme({
        pipelines: [
          { id: 1, stages: [{ id: 1 }] },
          { id: 2, stages: [{ id: 1 }] },
        ],
      }),
      'accounts[0].pipelines[1].stages[0].id',
    ],
    [
      acme({ tokens: [{ value: 'svc_test_x', scopes: ['contacts:delete'] }] }),
      'accounts[0].tokens[0].scopes[0]',
    ],
    [acme({ tokens: [{ value: 'a' }, { value: 'a' }] }), 'accounts[0].tokens[1].value'],
    [acme({ webhooks: [{ hash: 'h' }, { hash: 'h' }] }), 'accounts[0].webhooks[1].hash'],
    [acme({ defaultConnectionId: 3 }), 'accounts[0].defaultConnectionId'],
    [acme({ customFields: [{ name: 'a' }, { name: 'a' }] }), 'accounts[0].customFields[1].name'],
    [acme({ conversations: [{ id: 1, contactId: 4 }] }), 'accounts[0].conversations[0].contactId'],
    [
      {
        accounts: [
          { id: 'a', users: [{ id: 1 }] },
          { id: 'b', users: [{ id: 1 }] },
        ],
      },
      'accounts[1].users[0].id',
    ],
  ])('%j', async (bad, path) => {
    await expect(openContext({ fixture: bad })).rejects.toMatchObject({ name: 'FixtureError', path });
  });
});

describe('PATCH', () => {
  it('what the panel shows can be given back and changes nothing', async () => {
    const before = await state();
    expect((await context.panel('PATCH', '/accounts/acme', before)).json).toEqual(before);
    await context.restart({ fixture: undefined });
    expect(await state()).toEqual(before);
  });

  it('adds or updates by id; tokens by value, webhooks by hash, stages and messages too', async () => {
    const got = await context.panel('PATCH', '/accounts/acme', {
      storageLimitReached: true,
      tokens: [{ value: 'svc_test_none', revoked: true }, { value: 'svc_test_new' }],
      contacts: [{ id: 1, name: 'Beatriz' }],
      pipelines: [
        {
          id: 1,
          stages: [
            { id: 11, probability: 15 },
            { id: 15, order: 9 },
          ],
        },
      ],
      conversations: [{ id: 5, contactId: 1, connectionId: 1, messages: [{ id: 'm1', body: 'a' }] }],
      webhooks: [{ hash: 'h1', action: 'trigger_flow' }],
      cards: [{ id: 1, status: 'won' }],
    });
    expect(got.status).toBe(200);
    const acme = got.json;
    expect(acme.storageLimitReached).toBe(true);
    expect(acme.tokens).toHaveLength(fixture().accounts[0]!.tokens.length + 1);
    expect(acme.contacts[0]).toMatchObject({ name: 'Beatriz', email: 'bia@example.com', tagIds: [1] });
    expect(acme.pipelines[0].stages.map((s: { id: number }) => s.id)).toEqual([11, 12, 13, 14, 15]);
    expect(acme.pipelines[0].stages[0]).toMatchObject({ name: 'New', probability: 15 });
    expect(acme.cards[0]).toMatchObject({ status: 'won', value: 10 });
    expect(acme.conversations[0].messages).toMatchObject([{ id: 'm1', body: 'a', fromMe: false }]);
    expect((await context.call('GET', '/v1/tags', { token: 'svc_test_none' })).json.code).toBe(
      'ERR_TOKEN_REVOKED',
    );
    expect((await context.call('GET', '/v1/tags', { token: 'svc_test_new' })).status).toBe(200);
  });

  it.each([
    [{ id: 'other' }, 'id'],
    [{ tags: [{ id: 1, nam: 'x' }] }, 'tags[0].nam'],
    [{ tags: [{ id: 3 }, { id: 3 }] }, 'tags[1].id'],
    [{ tags: [{ id: 9 }] }, 'tags[0].id'],
    [{ contacts: [{ id: 2, number: '5511987654321' }] }, 'contacts[0].number'],
    [{ tokens: [{ value: 'svc_test_other' }] }, 'tokens[0].value'],
  ])('%j is 400 with its path, and nothing of it is applied', async (patch, path) => {
    const before = await state();
    const got = await context.panel('PATCH', '/accounts/acme', { cardTitlePrefix: 'changed', ...patch });
    expect([got.status, got.json.path]).toEqual([400, path]);
    expect(await state()).toEqual(before);
  });

  it('two contacts may swap their numbers in one patch', async () => {
    const got = await context.panel('PATCH', '/accounts/acme', {
      contacts: [
        { id: 1, number: '551133334444' },
        { id: 2, number: '5511987654321' },
      ],
    });
    expect(got.status).toBe(200);
    const list = await context.call('GET', '/v1/contacts?number=551133334444');
    expect(list.json.contacts.map((contact: { id: number }) => contact.id)).toEqual([1]);
  });

  it('an unknown account is 404, a body that is no JSON 400', async () => {
    expect((await context.panel('PATCH', '/accounts/nobody', {})).status).toBe(404);
    expect((await context.panel('GET', '/accounts/nobody')).status).toBe(404);
    expect((await context.panel('PATCH', '/accounts/acme', 'x')).status).toBe(400);
  });
});

it('a customer who writes gets contact, conversation and message; writing again adds a message alone', async () => {
  const write = (body: string) =>
    context.panel('POST', '/accounts/acme/inbound', { number: '5511944445555', body, connectionId: 1 });
  const first = (await write('hi')).json;
  const second = (await write('there')).json;
  expect(second.conversationId).toBe(first.conversationId);
  const acme = await state();
  const mine = acme.conversations.find((row: { id: number }) => row.id === first.conversationId);
  expect(mine.messages.map((message: { id: string; body: string }) => [message.id, message.body])).toEqual([
    [first.messageId, 'hi'],
    [second.messageId, 'there'],
  ]);
  expect(acme.contacts.filter((row: { number: string }) => row.number === '5511944445555')).toHaveLength(1);
});

it('where nothing happened yet, runs and history are empty', async () => {
  await context.panel('PATCH', '/accounts/acme', { webhooks: [{ hash: 'h1' }] });
  expect((await context.panel('GET', '/flow-runs')).json).toEqual({ runs: [] });
  expect((await context.panel('GET', '/webhooks/h1/history')).json).toEqual({ calls: [] });
  expect((await context.panel('GET', '/webhooks/h2/history')).status).toBe(404);
});

describe('the request log', () => {
  it('has a row for each call with the fixed fields, in order, and continues after a restart', async () => {
    await context.call('GET', '/v1/tags?x=1');
    await context.call('GET', '/v1/contacts/404', { token: null });
    await context.restart();
    await context.call('POST', '/hooks/h1', { token: null, body: {} });
    const { requests } = (await context.panel('GET', '/requests')).json;
    expect(
      requests.map((row: Record<string, unknown>) => [
        row['seq'],
        row['method'],
        row['path'],
        row['status'],
        row['code'],
      ]),
    ).toEqual([
      [1, 'GET', '/v1/tags', 200, null],
      [2, 'GET', '/v1/contacts/404', 401, 'ERR_TOKEN_MISSING'],
      [3, 'POST', '/hooks/h1', 404, 'ERR_WEBHOOK_NOT_FOUND'],
    ]);
    const fields = ['seq', 'at', 'tokenHash', 'method', 'path', 'status', 'code', 'durationMs'];
    for (const row of requests) expect(Object.keys(row)).toEqual(fields);
    expect(requests[0].tokenHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('since=SEQ gives what came after it', async () => {
    for (let i = 0; i < 3; i += 1) await context.call('GET', '/v1/tags');
    const seqs = async (since: string) =>
      (await context.panel('GET', `/requests?since=${since}`)).json.requests.map(
        (row: { seq: number }) => row.seq,
      );
    expect([await seqs('0'), await seqs('2'), await seqs('3'), await seqs('99')]).toEqual([
      [1, 2, 3],
      [3],
      [],
      [],
    ]);
    expect((await context.panel('GET', '/requests?since=x')).status).toBe(400);
  });
});

describe('the panel and names of others', () => {
  it.each([
    ['127.0.0.1', 200],
    ['localhost', 200],
    ['[::1]:4010', 200],
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
  ])('a request that names the host %s is answered %i', async (host, status) => {
    const { statusCode, body } = await request(`${new URL(context.baseUrl).origin}/panel/requests`, {
      headers: { host },
    });
    await body.dump();
    expect(statusCode).toBe(status);
  });
});
