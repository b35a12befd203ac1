// What all answers have in common, whatever the endpoint: request ids, flat errors, the version in the path, whole lists.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Context, fixture, openContext } from './context.ts';

let context: Context;
let clock = Date.parse('2026-03-01T12:00:00.000Z');
beforeAll(async () => {
  const parts = fixture();
  const [acme] = parts.accounts;
  const talk = { id: 1, contactId: 2, connectionId: 1, messages: [{ id: 'm1', body: 'hi', fromMe: false }] };
  Object.assign(acme as object, { conversations: [talk] });
  context = await openContext({ fixture: parts, now: () => new Date(clock) });
});
afterAll(() => context.close());

const SUCCESSES: [method: string, path: string, body?: object][] = [
  ['GET', '/v1/conversations'],
  ['GET', '/v1/conversations/1/messages'],
  ['POST', '/v1/conversations/1/messages', { body: 'hello' }],
  ['GET', '/v1/messages/m1/status'],
  ['POST', '/v1/messages/send', { number: '551133334444', body: 'hello' }],
  ['GET', '/v1/connections'],
  ['GET', '/v1/contacts'],
  ['POST', '/v1/contacts', { number: '5511944443333' }],
  ['GET', '/v1/contacts/1'],
  ['PUT', '/v1/contacts/1', { name: 'Bia' }],
  ['PUT', '/v1/contacts/1/tags', { tagIds: [1] }],
  ['GET', '/v1/tags'],
  ['GET', '/v1/cards'],
  ['POST', '/v1/cards', { contactId: 1, pipelineId: 1, stageId: 11 }],
  ['GET', '/v1/cards/1'],
  ['PATCH', '/v1/cards/1/stage', { stageId: 14 }],
  ['GET', '/v1/pipelines'],
  ['GET', '/v1/lost-reasons'],
  ['POST', '/v1/flows/trigger', { flowId: 1, whatsappId: 1, contactId: 1 }],
];

describe('a success', () => {
  it.each(SUCCESSES)('of %s %s carries a requestId of its own', async (method, path, body) => {
    const first = await context.call(method, path, { body });
    expect(first.status).toBeLessThan(300);
    expect(first.json.requestId).toMatch(/.+/);
    const again = await context.call('GET', '/v1/tags');
    expect(again.json.requestId).not.toBe(first.json.requestId);
  });

  it.each(SUCCESSES)('of %s %s needs /v1 in the path', async (method, path, body) => {
    expect((await context.call(method, path.replace('/v1', ''), { body })).status).toBe(404);
  });
});

describe('an error', () => {
  it.each([
    ['GET', '/v1/contacts/404', undefined],
    ['POST', '/v1/contacts', {}],
    ['POST', '/v1/messages/send', {}],
    ['PUT', '/v1/contacts/1/tags', {}],
    ['POST', '/v1/cards', {}],
    ['POST', '/v1/flows/trigger', {}],
    ['GET', '/v1/cards?createdAtAfter=2026-01-01', undefined],
  ])('of %s %s is flat: two texts, extras at the root, no details', async (method, path, body) => {
    const { status, json } = await context.call(method, path, { body });
    expect(status).toBeGreaterThanOrEqual(400);
    expect([typeof json.error, typeof json.code]).toEqual(['string', 'string']);
    for (const value of Object.values(json)) expect(typeof value).not.toBe('object');
    expect(json).not.toHaveProperty('details');
  });
});

describe('a list without pages', () => {
  it.each([
    ['/v1/tags', 'tags', 2],
    ['/v1/pipelines', 'pipelines', 2],
    ['/v1/lost-reasons', 'lostReasons', 1],
    ['/v1/connections', 'connections', 2],
  ])('%s comes whole, whatever page is asked for', async (path, key, count) => {
    const { json } = await context.call('GET', `${path}?pageSize=1&pageNumber=2`);
    expect(json[key]).toHaveLength(count);
    expect(json).not.toHaveProperty('hasMore');
  });
});

it('cards of a stage are counted by a page of one, without reading them', async () => {
  const count = async (stageId: number) =>
    (await context.call('GET', `/v1/cards?pageSize=1&stageId=${stageId}`)).json.count;
  const before = await count(12);
  for (let n = 0; n < 3; n += 1)
    await context.call('POST', '/v1/cards', {
      body: { contactId: 2, pipelineId: 1, stageId: 12, sourceId: 1 },
    });
  expect(await count(12)).toBe(before + 3);
});

it('cards are sorted by when they came into their stage', async () => {
  const create = async () =>
    (await context.call('POST', '/v1/cards', { body: { contactId: 2, pipelineId: 1, stageId: 11 } })).json
      .card.id;
  const [first, second] = [await create(), await create()];
  const order = async (direction: string) => {
    const query = `contactId=2&stageId=14&sortBy=stageEnteredAt&sortOrder=${direction}`;
    return (await context.call('GET', `/v1/cards?${query}`)).json.cards.map(({ id }: { id: number }) => id);
  };
  // The younger card enters first.
  clock += 1000;
  await context.call('PATCH', `/v1/cards/${second}/stage`, { body: { stageId: 14 } });
  clock += 1000;
  await context.call('PATCH', `/v1/cards/${first}/stage`, { body: { stageId: 14 } });
  expect(await order('asc')).toEqual([second, first]);
  expect(await order('desc')).toEqual([first, second]);
});

it('names of origins come inside the cards, and only there', async () => {
  const { json } = await context.call('GET', '/v1/cards?sourceId=1');
  expect(json.cards[0].source).toEqual({ id: 1, name: 'site' });
  expect((await context.call('GET', '/v1/sources')).status).toBe(404);
});

it('a token may call 120 times a minute when nothing else is said', async () => {
  const strict = await openContext({ rate: undefined });
  try {
    const answers = await Promise.all(Array.from({ length: 121 }, () => strict.call('GET', '/v1/tags')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
    const over = answers.find(({ status }) => status === 429);
    expect([over?.json.code, over?.headers['x-ratelimit-limit']]).toEqual(['ERR_RATE_LIMITED', '120']);
  } finally {
    await strict.close();
  }
});
