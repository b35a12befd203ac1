// Shapes of answers: what the client insists on, and what it accepts where the API text shows no shape.
import { describe, expect, it } from 'vitest';
import { UnexpectedShapeError } from '../../../../src/service/api-client/index.ts';
import { aCard, aContact, aPipeline, RATE } from './builders.ts';
import { answer } from './raw-server.ts';
import { failure, setup } from './setup.ts';

describe('strict where the API text speaks', () => {
  const without = (record: Record<string, unknown>, key: string) => ({ ...record, [key]: undefined });
  it.each<[string, unknown, string]>([
    ['no contact', { created: true }, 'contact'],
    ['no id', { contact: without(aContact(), 'id') }, 'contact.id'],
    ['an id as a word', { contact: aContact({ id: 'x1' }) }, 'contact.id'],
    ['a fractional id', { contact: aContact({ id: 1.5 }) }, 'contact.id'],
    ['a tag without name', { contact: aContact({ tags: [{ id: 1 }] }) }, 'contact.tags[0].name'],
    ['no createdAt', { contact: without(aContact(), 'createdAt') }, 'contact.createdAt'],
  ])('get: %s', async (_name, body, path) => {
    const { client } = await setup([answer(200, body)]);
    const error = await failure(client.contacts.get(1));
    expect(error).toBeInstanceOf(UnexpectedShapeError);
    expect(error).toMatchObject({ path, endpoint: '/v1/contacts/{contactId}', sent: true, status: 200 });
    expect((error as Error).message).toContain(path);
  });

  it.each([
    '{"contact":{"id":700000000000000001}}',
    '{"contact":{"id":"700000000000000001"}}',
    '{"contact":{"id":9007199254740992}}',
    '{"contact":{"id":9.2e17}}',
  ])('an id that can not be kept exactly is never rounded: %s', async (body) => {
    const { client } = await setup([answer(201, body)]);
    for (const call of [
      client.contacts.get(1),
      client.contacts.upsert({ number: '1' }),
      client.contacts.setTags(1, []),
    ]) {
      const error = await failure(call);
      expect(error).toMatchObject({ name: 'UnexpectedShapeError', path: 'contact.id', isAccountWide: true });
      expect((error as Error).message).toContain('at most 2^53 - 1');
    }
  });

  it('a card without the stage field is refused, one with stage null is not', async () => {
    const { client } = await setup([
      answer(200, { card: without(aCard(), 'stage') }),
      answer(200, { card: aCard({ stage: null }) }),
    ]);
    expect(await failure(client.cards.get(7))).toMatchObject({ path: 'card.stage' });
    expect((await client.cards.get(7)).data.stage).toBeNull();
  });

  it.each(['count', 'hasMore', 'totalValue', 'cards'])('a page of cards without %s', async (key) => {
    const page = { count: 1, hasMore: false, totalValue: 1, cards: [aCard()] };
    const { client } = await setup([answer(200, without(page, key))]);
    expect(await failure(client.cards.list())).toMatchObject({ path: key });
  });

  it('one bad item does not lose the others', async () => {
    const contacts = [aContact({ id: 1 }), aContact({ id: 2, name: 5 }), null, aContact({ id: 4 })];
    const { client } = await setup([answer(200, { requestId: 'r', count: 4, hasMore: false, contacts })]);
    const { data } = await client.contacts.list();
    expect(data.items.map(({ id }) => id)).toEqual([1, 4]);
    expect(data.invalid).toMatchObject([
      { index: 1, id: 2, path: 'contacts[1].name' },
      { index: 2, id: null, path: 'contacts[2]' },
    ]);
  });
});

describe('tolerant where the API text is silent', () => {
  const tags = [{ id: 1, name: 'vip', color: '#f00', kanban: 3 }];

  it.each([
    ['tags', { requestId: 'r', tags }],
    ['items', { requestId: 'r', items: tags }],
    ['data, beside other fields', { requestId: 'r', total: 1, data: tags, meta: {} }],
    ['tags, beside another list', { requestId: 'r', links: [], tags }],
  ])('tags under %s', async (_name, body) => {
    const { client } = await setup([answer(200, body)]);
    expect((await client.tags.list()).data).toEqual({ items: tags, invalid: [] });
  });

  it('two candidate lists are no answer, until an assumption says which', async () => {
    const body = { requestId: 'r', links: [], labels: tags };
    const { client } = await setup([answer(200, body)]);
    expect(await failure(client.tags.list())).toMatchObject({ path: 'tags' });
    const reported = await setup([answer(200, body)], { assumptions: { 'wrapper.tags': 'labels' } });
    expect((await reported.client.tags.list()).data.items).toHaveLength(1);
  });

  it.each([
    ['card', { requestId: 'r', card: aCard() }],
    ['item', { requestId: 'r', item: aCard() }],
    ['no key', { requestId: 'r', ...aCard() }],
  ])('a single card under %s', async (_name, body) => {
    const { client } = await setup([answer(200, body)]);
    const { data } = await client.cards.get(7);
    expect(data.id).toBe(7);
    expect(data).not.toHaveProperty('requestId');
  });

  it('new enum values and extra fields are kept', async () => {
    const { client } = await setup([answer(200, { card: aCard({ status: 'archived', mood: 'blue' }) })]);
    expect((await client.cards.get(7)).data).toMatchObject({ status: 'archived', mood: 'blue' });
  });

  it('a field named __proto__ pollutes nothing', async () => {
    const { client } = await setup([
      answer(200, `{"tags":[{"id":1,"name":"a","__proto__":{"polluted":true}}],"__proto__":{"x":1}}`),
    ]);
    const { data } = await client.tags.list();
    expect((data.items[0] as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('JSON nested 100,000 deep is an answer like any other', async () => {
    const deep = `{"tags":[],"extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const { client } = await setup([answer(200, deep)]);
    expect((await client.tags.list()).data.items).toEqual([]);
  });

  it('stages come in their order', async () => {
    const { client } = await setup([answer(200, { requestId: 'r', pipelines: [aPipeline()] })]);
    const { data } = await client.pipelines.list();
    expect(data.items[0]?.stages.map(({ id }) => id)).toEqual([11, 12]);
  });

  it.each<[unknown, string[]]>([
    [undefined, []],
    [
      ['plan', { name: 'size' }, { id: 3 }],
      ['plan', 'size', '{"id":3}'],
    ],
    [{ plan: 'unknown' }, ['plan']],
    ['plan', []],
  ])('ignoredCustomFields %j never fails the creation', async (ignoredCustomFields, expected) => {
    const { client } = await setup([answer(201, { card: aCard(), ignoredCustomFields })]);
    const { data } = await client.cards.create({ contactId: 1, pipelineId: 1 });
    expect(data.ignoredCustomFields).toEqual(expected);
  });

  it.each<[string, number, unknown, number | null]>([
    ['wrapped', 200, { requestId: 'r', contact: aContact() }, 1],
    ['bare', 200, aContact(), 1],
    ['only a request id', 200, { requestId: 'r' }, null],
    ['no body', 204, '', null],
  ])('the update of a contact may answer %s', async (_name, status, body, id) => {
    const { client } = await setup([answer(status, body)]);
    const { data } = await client.contacts.update(1, { name: 'Ana' });
    expect(data?.id ?? null).toBe(id);
  });

  it.each([200, 201, 202, 299])('any 2xx is a success by default (%i)', async (status) => {
    const { client } = await setup([answer(status, { card: aCard() })]);
    expect((await client.cards.move(7, 11)).meta.status).toBe(status);
  });

  it('an assumption can narrow the success statuses', async () => {
    const { client } = await setup([answer(202, { card: aCard() })], {
      assumptions: { 'success.statuses': [200, 201] },
    });
    expect(await failure(client.cards.move(7, 11))).toMatchObject({ path: 'status' });
  });

  it.each([
    [{}],
    [{ ...RATE, 'x-ratelimit-reset': 'soon' }],
    [{ ...RATE, 'x-ratelimit-limit': '-1' }],
    [{ ...RATE, 'x-ratelimit-remaining': '1.5' }],
  ])('rate headers %j count as absent', async (headers) => {
    const { client } = await setup([answer(200, { tags: [] }, headers as Record<string, string>)]);
    expect((await client.tags.list()).meta.rate).toBeNull();
  });
});
