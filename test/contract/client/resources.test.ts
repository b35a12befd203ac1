// The client against the sandbox: both were built from the API text alone, so what they agree on is it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/service/api-client/index.ts';
import { anAccount, type Context, openContext } from './context.ts';

let context: Context;
beforeEach(async () => {
  context = await openContext();
});
afterEach(() => context.close());

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe('contacts', () => {
  it('upsert creates, then updates; get shows the extra fields', async () => {
    const { client } = context;
    const extraInfo = [{ name: 'cpf', value: '9' }];
    const first = await client.contacts.upsert({ number: '5511911112222', name: 'Caio', extraInfo });
    expect(first.meta).toMatchObject({ status: 201 });
    expect(first.meta.requestId).not.toBeNull();
    expect(first.meta.rate?.limit).toBeGreaterThan(0);
    expect(first.data.created).toBe(true);
    const second = await client.contacts.upsert({ number: '5511911112222', email: 'c@example.com' });
    expect(second.data).toMatchObject({ created: false, contact: { name: 'Caio', email: 'c@example.com' } });
    const { data } = await client.contacts.get(first.data.id as number);
    expect(data.extraInfo).toEqual(extraInfo);
  });

  it('a list finds the number with and without the ninth digit', async () => {
    const { data } = await context.client.contacts.list({ number: '551187654321' });
    expect(data).toMatchObject({ count: 1, hasMore: false, invalid: [] });
    expect(data.items[0]).toMatchObject({ id: 1, tags: [{ id: 1, name: 'vip' }] });
  });

  it('filters by any of several tags', async () => {
    expect((await context.client.contacts.list({ tagId: [1, 2] })).data.count).toBe(1);
    expect((await context.client.contacts.list({ tagId: 2 })).data.count).toBe(0);
  });

  it('update changes what is sent and nothing else', async () => {
    const { data } = await context.client.contacts.update(1, {
      name: 'Bia B',
      document: '123',
      disableBot: true,
    });
    const contact = { name: 'Bia B', document: '123', disableBot: true, number: '5511987654321' };
    expect(data).toMatchObject({ id: 1, contact });
    expect((await context.client.contacts.get(1)).data.extraInfo).toEqual([{ name: 'cpf', value: '1' }]);
  });

  it('setTags replaces the list; ids that do not exist are ignored', async () => {
    const { data } = await context.client.contacts.setTags(1, [2, 999]);
    expect(data.contact?.tags.map(({ id }) => id)).toEqual([2]);
  });

  it.each<[string, (context: Context) => Promise<unknown>, number, string]>([
    ['unknown contact', ({ client }) => client.contacts.get(999), 404, 'ERR_NO_CONTACT_FOUND'],
    [
      'tags of an unknown contact',
      ({ client }) => client.contacts.setTags(999, []),
      404,
      'ERR_NO_CONTACT_FOUND',
    ],
    ['no number', ({ client }) => client.contacts.upsert({ number: '' }), 400, 'ERR_MISSING_NUMBER'],
    [
      'not on the network',
      ({ client }) => client.contacts.upsert({ number: '5511900000000', validateNumber: true }),
      422,
      'ERR_NUMBER_NOT_ON_WHATSAPP',
    ],
    [
      'foreign connection',
      ({ client }) =>
        client.contacts.upsert({ number: '5511900000001', validateNumber: true, whatsappId: 9 }),
      404,
      'ERR_WHATSAPP_NOT_FOUND',
    ],
  ])('%s', async (_name, call, status, code) => {
    expect(await refusal(call(context))).toMatchObject({ status, code, kind: 'coded' });
  });
});

describe('cards', () => {
  const input = { contactId: 1, pipelineId: 1, stageId: 11 };

  it('create, get, move and find', async () => {
    const { client } = context;
    const { data } = await client.cards.create({
      ...input,
      sourceId: 1,
      title: 'Big one',
      expectedCloseDate: '2026-12-01',
      customFields: { plan: 'a', nonsense: 1 },
    });
    expect(data.ignoredCustomFields).toEqual(['nonsense']);
    expect(data.card).toMatchObject({
      title: 'Big one',
      status: 'open',
      expectedCloseDate: '2026-12-01',
      stage: { id: 11 },
      source: { id: 1, name: 'site' },
      contact: { id: 1, number: '5511987654321' },
    });
    const id = data.id as number;
    expect((await client.cards.get(id)).data).toEqual(data.card);
    expect((await client.cards.move(id, 12)).data).toMatchObject({
      card: { status: 'open', stage: { id: 12 }, probability: 50 },
    });
    const won = { status: 'won', probability: 100 };
    expect((await client.cards.move(id, 13)).data).toMatchObject({ id, card: won });
    const found = await client.cards.list({ contactId: 1, pipelineId: 1, status: ['won', 'lost'] });
    expect(found.data).toMatchObject({ count: 1, totalValue: 0, items: [{ id }] });
    const since = { createdAtAfter: new Date(data.card?.createdAt ?? 0) };
    expect((await client.cards.list(since)).data.count).toBe(1);
    expect((await client.cards.list({ title: 'big', contactTagId: 1 })).data.count).toBe(1);
    expect((await client.cards.list({ notContactTagId: [1] })).data.count).toBe(0);
  });

  it('a phone creates the contact, under the name given', async () => {
    const { data } = await context.client.cards.create({
      phone: '5511933334444',
      pipelineId: 2,
      contactName: 'Davi',
    });
    expect(data.card).toMatchObject({ stage: null, title: 'Lead - Davi', contact: { name: 'Davi' } });
  });

  it('sorts by a column in both directions', async () => {
    for (const title of ['b', 'a', 'c']) await context.client.cards.create({ ...input, title });
    const titles = async (sortDirection: 'asc' | 'desc') =>
      (await context.client.cards.list({ sortBy: 'title', sortDirection })).data.items.map(
        ({ title }) => title,
      );
    expect(await titles('asc')).toEqual(['a', 'b', 'c']);
    expect(await titles('desc')).toEqual(['c', 'b', 'a']);
  });

  it.each<[string, (context: Context) => Promise<unknown>, number, string]>([
    [
      'neither contact nor phone',
      ({ client }) => client.cards.create({ pipelineId: 1 }),
      400,
      'ERR_CONTACT_IDENTIFIER_REQUIRED',
    ],
    [
      'unknown pipeline',
      ({ client }) => client.cards.create({ ...input, pipelineId: 9 }),
      404,
      'ERR_PIPELINE_NOT_FOUND',
    ],
    [
      'stage of another pipeline',
      ({ client }) => client.cards.create({ ...input, stageId: 21 }),
      422,
      'ERR_STAGE_NOT_IN_PIPELINE',
    ],
    [
      'unknown source',
      ({ client }) => client.cards.create({ ...input, sourceId: 9 }),
      404,
      'ERR_SOURCE_NOT_FOUND',
    ],
    ['unknown card', ({ client }) => client.cards.get(999), 404, 'ERR_NO_CARD_FOUND'],
    ['move of an unknown card', ({ client }) => client.cards.move(999, 11), 404, 'ERR_NO_CARD_FOUND'],
  ])('%s', async (_name, call, status, code) => {
    expect(await refusal(call(context))).toMatchObject({ status, code });
  });
});

describe('lists without pages', () => {
  it('tags, pipelines, lost reasons and connections come whole', async () => {
    const { client } = context;
    expect((await client.tags.list()).data.items.map(({ name }) => name)).toEqual(['vip', 'cold']);
    const pipelines = (await client.pipelines.list()).data.items;
    expect(pipelines.map(({ stages }) => stages.map(({ id }) => id))).toEqual([[11, 12, 13], [21]]);
    expect((await client.lostReasons.list()).data.items).toMatchObject([{ id: 1 }]);
    expect((await client.connections.list()).data.items).toMatchObject([
      { id: 1, channel: 'whatsapp', isDefault: true },
    ]);
  });

  it('whatever their wrapper keys are called', async () => {
    const wrappers = {
      tags: 'items',
      card: 'data',
      pipelines: 'boards',
      lostReasons: 'reasons',
      updatedContact: 'record',
    };
    const other = await openContext(anAccount(), { choices: { wrappers } });
    try {
      const { client } = other;
      expect((await client.tags.list()).data.items).toHaveLength(2);
      expect((await client.pipelines.list()).data.items).toHaveLength(2);
      expect((await client.lostReasons.list()).data.items).toHaveLength(1);
      const { data } = await client.cards.create({ contactId: 1, pipelineId: 1 });
      expect((await client.cards.get(data.id as number)).data).toEqual(data.card);
      expect((await client.contacts.update(1, { name: 'X' })).data.contact?.name).toBe('X');
    } finally {
      await other.close();
    }
  });
});

describe('tokens', () => {
  it.each<[string, string, number, string]>([
    ['unknown', 'svc_test_nobody', 401, 'ERR_TOKEN_INVALID'],
    ['revoked', 'svc_test_revoked', 401, 'ERR_TOKEN_REVOKED'],
    ['expired', 'svc_test_expired', 401, 'ERR_TOKEN_EXPIRED'],
    ['without the scope', 'svc_test_read', 403, 'ERR_SCOPE_MISSING'],
  ])('%s', async (_name, token, status, code) => {
    const error = await refusal(context.clientWith({ token }).contacts.upsert({ number: '5511911112222' }));
    expect(error).toMatchObject({ status, code });
    expect(error.requiredScope).toBe(status === 403 ? 'contacts:write' : null);
  });

  it('a feature outside the plan is a 403 without code', async () => {
    const other = await openContext(anAccount({ missingFeatures: ['cards'] }));
    try {
      expect(await refusal(other.client.pipelines.list())).toMatchObject({
        status: 403,
        code: null,
        kind: 'forbidden',
      });
    } finally {
      await other.close();
    }
  });

  it('the call over the limit says how long to wait', async () => {
    const other = await openContext(anAccount(), { rate: 2 });
    try {
      const { meta } = await other.client.tags.list();
      expect(meta.rate).toMatchObject({ limit: 2, remaining: 1 });
      await other.client.tags.list();
      const error = await refusal(other.client.tags.list());
      expect(error).toMatchObject({ status: 429, code: 'ERR_RATE_LIMITED', rate: { remaining: 0 } });
      expect(error.retryAfterMs).toBeGreaterThan(0);
      expect(error.retryAfterMs).toBeLessThanOrEqual(60_000);
    } finally {
      await other.close();
    }
  });
});
