// Cards: creation, moves, the list with all its filters.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Context, openContext } from './context.ts';

let at = 0;
let context: Context;
beforeEach(async () => {
  at = Date.parse('2026-03-01T12:00:00.000Z');
  context = await openContext({ now: () => new Date(at) });
});
afterEach(() => context.close());

const create = (body: unknown) => context.call('POST', '/v1/cards', { body });
const move = (id: number, stageId: unknown) =>
  context.call('PATCH', `/v1/cards/${id}/stage`, { body: { stageId } });

describe('create', () => {
  it('has every field of the table, tags without color', async () => {
    const got = await create({ contactId: 1, pipelineId: 1, stageId: 11 });
    expect(got.status).toBe(201);
    expect(Object.keys(got.json)).toEqual(['requestId', 'card']);
    expect(got.json.card).toEqual({
      id: 10,
      title: 'Lead - Bia',
      value: 0,
      status: 'open',
      probability: 10,
      pipeline: { id: 1, name: 'Sales' },
      stage: { id: 11, name: 'New' },
      contact: {
        id: 1,
        name: 'Bia',
        number: '5511987654321',
        email: 'bia@example.com',
        tags: [{ id: 1, name: 'vip' }],
      },
      user: null,
      source: null,
      lostReason: null,
      originTicketId: null,
      expectedCloseDate: null,
      closedAt: null,
      stageEnteredAt: '2026-03-01T12:00:00.000Z',
      createdAt: '2026-03-01T12:00:00.000Z',
      updatedAt: '2026-03-01T12:00:00.000Z',
    });
    expect((await context.call('GET', '/v1/cards/10')).json.card).toEqual(got.json.card);
  });

  it('without a stage the card has none, and can be moved into one', async () => {
    const { card } = (await create({ contactId: 1, pipelineId: 1 })).json;
    expect([card.stage, card.probability, card.stageEnteredAt]).toEqual([
      null,
      0,
      '2026-03-01T12:00:00.000Z',
    ]);
    expect((await move(card.id, 11)).json.card.stage.id).toBe(11);
  });

  it('a phone reuses the contact, else makes it under the given name', async () => {
    const reused = await create({ phone: '+55 11 98765-4321', pipelineId: 1, contactName: 'Nobody' });
    expect([reused.json.card.contact.id, reused.json.card.contact.name]).toEqual([1, 'Bia']);
    const made = await create({ phone: '5511955556666', pipelineId: 1, contactName: 'Eva' });
    expect(made.json.card).toMatchObject({
      title: 'Lead - Eva',
      contact: { name: 'Eva', number: '5511955556666' },
    });
    const found = await context.call('GET', '/v1/contacts?number=5511955556666');
    expect(found.json.contacts[0].id).toBe(made.json.card.contact.id);
  });

  const base = { contactId: 1, pipelineId: 1, stageId: 11 };
  it.each([
    ['neither contactId nor phone', { pipelineId: 404 }, 400, 'ERR_CONTACT_IDENTIFIER_REQUIRED'],
    ['both', { contactId: 1, phone: '5511' }, 400, 'ERR_CONTACT_IDENTIFIER_REQUIRED'],
    ['an unknown contact', { contactId: 404 }, 404, 'ERR_NO_CONTACT_FOUND'],
    ['a phone without digits', { phone: 'x', pipelineId: 1 }, 400, 'ERR_NUMBER_INVALID'],
    ['no pipeline', { contactId: 1 }, 404, 'ERR_PIPELINE_NOT_FOUND'],
    [
      'an unknown pipeline before its stage',
      { ...base, pipelineId: 404, stageId: 21 },
      404,
      'ERR_PIPELINE_NOT_FOUND',
    ],
    [
      'a stage of another pipeline before the source',
      { ...base, stageId: 21, sourceId: 404 },
      422,
      'ERR_STAGE_NOT_IN_PIPELINE',
    ],
    ['an unknown stage', { ...base, stageId: 404 }, 404, 'ERR_STAGE_NOT_FOUND'],
    ['an unknown source', { ...base, sourceId: 404 }, 404, 'ERR_SOURCE_NOT_FOUND'],
    [
      'an unknown source where one is required',
      { ...base, stageId: 12, sourceId: 404 },
      404,
      'ERR_SOURCE_NOT_FOUND',
    ],
    ['no source where one is required', { ...base, stageId: 12 }, 400, 'ERR_SOURCE_REQUIRED_FOR_STAGE'],
    ['a source where one is required', { ...base, stageId: 12, sourceId: 1 }, 201, undefined],
    ['no stage, so no check of the source', { contactId: 1, pipelineId: 1 }, 201, undefined],
    ['a close date that is none', { ...base, expectedCloseDate: '2026-02-30' }, 400, 'ERR_INVALID_BODY'],
    ['custom fields that are no object', { ...base, customFields: 'plan' }, 400, 'ERR_INVALID_BODY'],
  ])('%s', async (_name, body, status, code) => {
    const got = await create(body);
    expect([got.status, got.json.code]).toEqual([status, code]);
  });

  it('a refused card makes no contact', async () => {
    await create({ phone: '5511977778888', pipelineId: 404 });
    await create({ phone: '5511977778888', pipelineId: 1, title: 5 });
    expect((await context.call('GET', '/v1/contacts?number=5511977778888')).json.count).toBe(0);
  });

  it('bad custom fields are listed and never fail the creation', async () => {
    const got = await create({
      ...base,
      customFields: { plan: 'a', note: 'hi', elsewhere: 'x', nowhere: 1, constructor: 'x' },
    });
    expect(got.status).toBe(201);
    expect(got.json.ignoredCustomFields).toEqual(['elsewhere', 'nowhere', 'constructor']);
    const { cards } = (await context.panel('GET', '/accounts/acme')).json;
    expect(cards.at(-1).customFields).toEqual({ plan: 'a', note: 'hi' });
    expect((await create({ ...base, customFields: { plan: 'c' } })).json.ignoredCustomFields).toEqual([
      'plan',
    ]);
  });

  it.each([
    ['2026-12-01', '2026-12-01'],
    ['2026-12-01T23:30:00-03:00', '2026-12-02'],
    [null, null],
  ])('expectedCloseDate %s is stored as %s', async (given, stored) => {
    expect((await create({ ...base, expectedCloseDate: given })).json.card.expectedCloseDate).toBe(stored);
  });

  it('a card in a final stage is open all the same', async () => {
    expect((await create({ ...base, stageId: 13 })).json.card).toMatchObject({
      status: 'open',
      closedAt: null,
    });
  });
});

describe('move', () => {
  it.each([
    [12, { status: 'open', probability: 40, closedAt: null }],
    [13, { status: 'won', probability: 100, closedAt: '2026-03-02T12:00:00.000Z' }],
    [14, { status: 'lost', probability: 0, closedAt: '2026-03-02T12:00:00.000Z', lostReason: null }],
  ])('to stage %i', async (stageId, expected) => {
    at = Date.parse('2026-03-02T12:00:00.000Z');
    const got = await move(1, stageId);
    expect(got.status).toBe(200);
    expect(got.json.card).toMatchObject({ ...expected, stageEnteredAt: '2026-03-02T12:00:00.000Z' });
  });

  it('to its own stage keeps when it came there', async () => {
    at += 1000;
    expect((await move(1, 11)).json.card.stageEnteredAt).toBe('2026-03-01T12:00:00.000Z');
  });

  it.each([
    [404, { stageId: 404 }, 404, 'ERR_NO_CARD_FOUND'],
    [404, {}, 404, 'ERR_NO_CARD_FOUND'],
    [1, {}, 400, 'ERR_STAGE_REQUIRED'],
    [1, { stageId: null }, 400, 'ERR_STAGE_REQUIRED'],
    [1, { stageId: 404 }, 404, 'ERR_STAGE_NOT_FOUND'],
    [1, { stageId: 'x' }, 404, 'ERR_STAGE_NOT_FOUND'],
    [1, { stageId: 21 }, 422, 'ERR_STAGE_NOT_IN_PIPELINE'],
  ])('card %i with %j', async (id, body, status, code) => {
    const got = await context.call('PATCH', `/v1/cards/${id}/stage`, { body });
    expect([got.status, got.json.code]).toEqual([status, code]);
  });
});

describe('list', () => {
  const day = (n: number) => `2026-01-0${n}T00:00:00.000Z`;
  beforeEach(async () => {
    await context.panel('PATCH', '/accounts/acme', {
      cards: [
        { id: 1, createdAt: day(1), value: 0.1, title: 'b' },
        {
          id: 2,
          contactId: 2,
          pipelineId: 1,
          stageId: 14,
          status: 'lost',
          lostReasonId: 1,
          createdAt: day(2),
          closedAt: day(8),
          value: 0.2,
          title: 'a',
        },
        {
          id: 3,
          contactId: 2,
          pipelineId: 1,
          stageId: 13,
          status: 'won',
          createdAt: day(3),
          closedAt: day(7),
          value: 30,
          title: 'c',
        },
        { id: 4, contactId: 1, pipelineId: 2, createdAt: day(4), value: 4, title: 'd' },
      ],
    });
  });
  const ids = async (query: string) => {
    const got = await context.call('GET', `/v1/cards?${query}`);
    expect([got.status, got.json.code]).toEqual([200, undefined]);
    return got.json.cards.map((card: { id: number }) => card.id);
  };

  it.each([
    ['', [4, 3, 2, 1]],
    ['pipelineId=1', [3, 2, 1]],
    ['stageId=11', [1]],
    ['sourceId=1', [1]],
    ['userId=1', [1]],
    ['contactId=2', [3, 2]],
    ['contactId=x', []],
    ['lostReasonId=1', [2]],
    ['status=won,lost', [3, 2]],
    ['status=nothing', []],
    ['status=', [4, 3, 2, 1]],
    ['contactTagId=1', [4, 1]],
    ['contactTagId=1,2', [4, 3, 2, 1]],
    ['notContactTagId=1', [3, 2]],
    ['notContactTagId=1,2', []],
    ['sortBy=createdAt&sortOrder=asc', [1, 2, 3, 4]],
    ['sortBy=value&sortOrder=asc', [1, 2, 4, 3]],
    ['sortBy=title&sortOrder=desc', [4, 3, 1, 2]],
    ['sortBy=closedAt&sortOrder=desc', [2, 3, 4, 1]],
    ['sortBy=closedAt&sortOrder=asc', [3, 2, 1, 4]],
    ['sortBy=constructor', [4, 3, 2, 1]],
    ['sortBy=id&sortOrder=sideways', [4, 3, 2, 1]],
    [`createdAtAfter=${day(2)}&createdAtBefore=${day(3)}`, [3, 2]],
    ['createdAtAfter=2026-01-02T21:00:00-03:00&createdAtBefore=2026-01-03T00:00:00Z', [3]],
    [`status=lost&closedAtAfter=${day(8)}`, [2]],
    [`closedAtBefore=${day(9)}`, [3, 2]],
    [`createdAtAfter=${day(4)}&createdAtBefore=${day(1)}`, []],
    ['searchParam=C', [3]],
  ])('?%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it.each([
    ['createdAtAfter', '2026-01-01'],
    ['createdAtBefore', '2026-01-01T00:00:00'],
    ['closedAtAfter', '2026-01-01T00:00:00 03:00'],
    ['closedAtBefore', 'yesterday'],
    ['createdAtAfter', '2026-02-30T00:00:00Z'],
    ['createdAtAfter', '1767225600000'],
    ['createdAtAfter', '2026-01-01T25:00:00Z'],
  ])('%s=%s is refused by name', async (param, value) => {
    const got = await context.call('GET', `/v1/cards?${param}=${encodeURIComponent(value)}`);
    expect([got.status, got.json.code, got.json.param]).toEqual([400, 'ERR_INVALID_DATE_FILTER', param]);
  });

  it('totalValue is over all matches, not the page, and count is not the page either', async () => {
    const { json } = await context.call('GET', '/v1/cards?contactTagId=1,2&pipelineId=1&pageSize=1');
    expect([json.count, json.hasMore, json.totalValue, json.cards.length]).toEqual([3, true, 30.3, 1]);
  });

  it('lostReason is filled when the card is lost', async () => {
    expect((await context.call('GET', '/v1/cards/2')).json.card.lostReason).toEqual({ id: 1, name: 'price' });
  });
});

it('pipelines come with their stages in order; lost reasons without pages', async () => {
  const { pipelines } = (await context.call('GET', '/v1/pipelines')).json;
  expect(pipelines.map((pipeline: { id: number }) => pipeline.id)).toEqual([1, 2]);
  expect(pipelines[0].stages.map((stage: { id: number }) => stage.id)).toEqual([11, 12, 13, 14]);
  expect(pipelines[0].stages[2]).toEqual({
    id: 13,
    name: 'Won',
    order: 3,
    isFinal: true,
    isWon: true,
    probability: 100,
  });
  const reasons = (await context.call('GET', '/v1/lost-reasons')).json;
  expect(reasons).toEqual({ requestId: reasons.requestId, lostReasons: [{ id: 1, name: 'price' }] });
});
