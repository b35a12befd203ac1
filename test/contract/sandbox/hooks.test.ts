// The inbound webhook receiver: its three actions, its mapping, its key, its limits, its history.
import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ask, type Context, openContext } from './context.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR = 3_600_000;
const PHONE = '5511955556666';
let at = START;
let context: Context;
beforeEach(async () => {
  at = START;
  context = await openContext({ now: () => new Date(at) });
  const fieldMapping = { phone: 'lead.phone', contactName: 'lead.name' };
  const got = await context.panel('PATCH', '/accounts/acme', {
    flows: [{ id: 2, active: false }],
    webhooks: [
      {
        hash: 'sync',
        action: 'upsert_contact',
        fieldMapping: { ...fieldMapping, email: 'lead.email', document: 'lead.doc', title: 'lead.title' },
      },
      {
        hash: 'card',
        action: 'create_opportunity',
        pipelineId: 1,
        stageId: 12,
        fieldMapping: {
          ...fieldMapping,
          title: 'deal.title',
          value: 'deal.value',
          notes: 'deal.notes',
          email: 'lead.email',
          'custom.plan': 'deal.plan',
          'custom.elsewhere': 'deal.other',
          'custom.note': 'deal.missing',
        },
      },
      { hash: 'flow', action: 'trigger_flow', flowId: 1, connectionId: 1, fieldMapping },
      { hash: 'off', active: false, fieldMapping },
      { hash: 'locked', authMode: 'token', token: 's3cret', fieldMapping },
      { hash: 'mislaid', authMode: 'token', fieldMapping },
    ],
  });
  expect(got.status).toBe(200);
});
afterEach(() => context.close());

const post = (hash: string, body: unknown, ask: Ask = {}) =>
  context.call('POST', `/hooks/${hash}`, { token: null, body, ...ask });
const history = async (hash: string) => (await context.panel('GET', `/webhooks/${hash}/history`)).json.calls;
const resultOf = async (hash: string) => (await history(hash)).at(-1).result;
const state = async () => (await context.panel('GET', '/accounts/acme')).json;
const lead = (more: object = {}) => ({ lead: { phone: PHONE, name: 'Eva', ...more } });

it('answers 202 with received: true, without any token, and keeps raw body and result', async () => {
  const raw = '{ "lead": {"phone": "+55 (11) 95555-6666", "n": 1.50} }';
  const got = await post('sync', undefined, { raw, headers: { 'content-type': 'text/plain' } });
  expect(got.status).toBe(202);
  expect(got.json).toEqual({ requestId: expect.any(String), received: true });
  const { text, json } = await context.panel('GET', '/webhooks/sync/history');
  expect(text).toContain(raw);
  expect(json.calls).toEqual([
    {
      at: new Date(at).toISOString(),
      body: JSON.parse(raw),
      idempotencyKey: null,
      result: { status: 'done', contactId: expect.any(Number), contactCreated: true },
    },
  ]);
});

describe('upsert_contact', () => {
  const contact = async () =>
    (await state()).contacts.find((row: { number: string }) => row.number === PHONE);

  it('creates with contactName, email and document', async () => {
    await post('sync', lead({ email: 'e@example.com', doc: 123 }));
    expect(await contact()).toMatchObject({ name: 'Eva', email: 'e@example.com', document: '123' });
  });

  it('updates email and document when filled; empty or absent erases nothing; the name stays', async () => {
    await post('sync', lead({ email: 'e@example.com', doc: '123' }));
    await post('sync', { lead: { phone: PHONE, name: 'Other', email: '', doc: null } });
    await post('sync', { lead: { phone: PHONE, email: '  ' } });
    expect(await contact()).toMatchObject({ name: 'Eva', email: 'e@example.com', document: '123' });
    await post('sync', lead({ email: 'new@example.com', title: 'no card' }));
    expect(await contact()).toMatchObject({ email: 'new@example.com', document: '123' });
    expect(await resultOf('sync')).toMatchObject({ status: 'done', contactCreated: false });
    expect((await state()).cards).toHaveLength(1);
  });
});

describe('create_opportunity', () => {
  it('creates contact and card with title, value, notes and custom fields, and lists the ignored ones', async () => {
    await post('card', {
      ...lead({ email: 'e@example.com' }),
      deal: { title: 'Big', value: '99.5', notes: 'call back', plan: 'a', other: 'x' },
    });
    const result = await resultOf('card');
    expect(result).toMatchObject({
      status: 'done',
      contactCreated: true,
      ignoredCustomFields: ['elsewhere'],
    });
    const { cards, contacts } = await state();
    expect(cards.at(-1)).toMatchObject({
      id: result.cardId,
      contactId: result.contactId,
      pipelineId: 1,
      stageId: 12,
      title: 'Big',
      value: 99.5,
      notes: 'call back',
      customFields: { plan: 'a' },
    });
    // Mapped all the same, but e-mail is upsert_contact's alone.
    expect(contacts.at(-1)).toMatchObject({ number: PHONE, name: 'Eva', email: null });
    const shown = await state();
    expect((await context.panel('PATCH', '/accounts/acme', shown)).json).toEqual(shown);
  });

  it('without title, value and name takes the defaults; each call makes a card', async () => {
    await post('card', { lead: { phone: 5511987654321 }, deal: { value: 'much' } });
    await post('card', { lead: { phone: '5511987654321' } });
    const { cards } = await state();
    expect(cards.slice(1)).toMatchObject([
      { contactId: 1, title: 'Lead - Bia', value: 0 },
      { contactId: 1, title: 'Lead - Bia', value: 0 },
    ]);
  });

  it.each([
    [{ pipelineId: null }, 'ERR_PIPELINE_NOT_FOUND'],
    [{ stageId: 21 }, 'ERR_STAGE_NOT_IN_PIPELINE'],
  ])('set up as %j it fails silently, and makes no contact', async (changes, code) => {
    await context.panel('PATCH', '/accounts/acme', { webhooks: [{ hash: 'card', ...changes }] });
    expect((await post('card', lead())).status).toBe(202);
    expect(await resultOf('card')).toEqual({ status: 'failed', code, reason: expect.any(String) });
    expect((await state()).contacts).toHaveLength(2);
  });
});

describe('trigger_flow', () => {
  it('runs the flow on a ticket of the contact', async () => {
    await post('flow', lead());
    const { contactId, flowRunId, ticketId } = await resultOf('flow');
    expect((await context.panel('GET', '/flow-runs')).json.runs).toMatchObject([
      { id: flowRunId, accountId: 'acme', flowId: 1, contactId, ticketId, connectionId: 1, variables: {} },
    ]);
  });

  it.each([
    ['a flow that is not executable', { webhooks: [{ hash: 'flow', flowId: 2 }] }, 'ERR_FLOW_NOT_EXECUTABLE'],
    ['no connection', { webhooks: [{ hash: 'flow', connectionId: null }] }, 'ERR_CONNECTION_NOT_FOUND'],
    [
      'human service',
      {
        contacts: [{ id: 50, number: PHONE }],
        conversations: [{ id: 7, contactId: 50, connectionId: 1, userId: 1 }],
      },
      'ERR_TICKET_IN_HUMAN_SERVICE',
    ],
  ])('fails silently with %s', async (_name, changes, code) => {
    await context.panel('PATCH', '/accounts/acme', changes);
    expect((await post('flow', lead())).status).toBe(202);
    expect(await resultOf('flow')).toMatchObject({ status: 'failed', code });
    expect((await context.panel('GET', '/flow-runs')).json.runs).toEqual([]);
  });
});

describe('a phone that does not resolve fails silently for the caller', () => {
  it.each([
    ['absent', { lead: {} }],
    ['null', { lead: { phone: null } }],
    ['an object', { lead: { phone: { a: PHONE } } }],
    ['without digits', { lead: { phone: 'call me' } }],
    ['too short', { lead: { phone: '5511' } }],
    ['too long', { lead: { phone: '1234567890123456' } }],
    ['a list as payload', [PHONE]],
    ['a text as payload', PHONE],
    ['null as payload', null],
  ])('%s', async (_name, body) => {
    const before = await state();
    const got = await post('sync', undefined, { raw: JSON.stringify(body) });
    expect([got.status, got.json.received]).toEqual([202, true]);
    expect(await resultOf('sync')).toMatchObject({ status: 'failed', code: 'ERR_NUMBER_INVALID' });
    expect(await state()).toEqual(before);
  });

  it('without a mapping for phone too', async () => {
    await context.panel('PATCH', '/accounts/acme', { webhooks: [{ hash: 'sync', fieldMapping: {} }] });
    await post('sync', lead());
    expect(await resultOf('sync')).toMatchObject({ status: 'failed', code: 'ERR_NUMBER_INVALID' });
  });

  it('paths follow own properties only, lists by position', async () => {
    const map = (phone: string, contactName: string) =>
      context.panel('PATCH', '/accounts/acme', {
        webhooks: [{ hash: 'sync', fieldMapping: { phone, contactName } }],
      });
    await map('leads.0.phone', 'constructor.name');
    await post('sync', { leads: [{ phone: PHONE }] });
    expect((await state()).contacts.at(-1)).toMatchObject({ number: PHONE, name: PHONE });
    await map('__proto__.phone', 'x');
    await post('sync', undefined, { raw: '{"leads":{},"phone":"5511900001111"}' });
    expect(await resultOf('sync')).toMatchObject({ status: 'failed' });
  });
});

describe('the idempotency key', () => {
  const keyOf = async (headers: Record<string, string>, body: object) => {
    await post('sync', { ...lead(), ...body }, { headers });
    return (await history('sync')).at(-1).idempotencyKey;
  };

  it('is the first found of two headers, then three body fields', async () => {
    const body = { idempotency_key: 'c', event_id: 'd', eventId: 'e' };
    expect(await keyOf({ 'Idempotency-Key': 'a', 'X-Idempotency-Key': 'b' }, body)).toBe('a');
    expect(await keyOf({ 'X-Idempotency-Key': 'b' }, body)).toBe('b');
    expect(await keyOf({}, body)).toBe('c');
    expect(await keyOf({}, { ...body, idempotency_key: '' })).toBe('d');
    expect(await keyOf({ 'Idempotency-Key': '' }, { event_id: {}, eventId: 42 })).toBe('42');
    expect(await keyOf({}, {})).toBe(null);
  });

  it('a repeat within an hour is not reprocessed and carries duplicate: true; after it, it is', async () => {
    const call = () => post('card', { ...lead(), event_id: 'e1' });
    expect((await call()).json).not.toHaveProperty('duplicate');
    at += HOUR - 1;
    const repeat = await call();
    expect([repeat.status, repeat.json]).toEqual([
      202,
      { requestId: expect.any(String), received: true, duplicate: true },
    ]);
    expect((await state()).cards).toHaveLength(2);
    // The hour is that of the processed call: a repeat does not prolong it.
    at += 1;
    expect((await call()).json.duplicate).toBeUndefined();
    expect((await state()).cards).toHaveLength(3);
    expect((await history('card')).map((each: { result: { status: string } }) => each.result.status)).toEqual(
      ['done', 'duplicate', 'done'],
    );
  });

  it('is remembered over a restart and for each hash on its own; without a key nothing is a repeat', async () => {
    await post('card', { ...lead(), event_id: 'e1' });
    await context.restart();
    expect((await post('card', { ...lead(), event_id: 'e1' })).json.duplicate).toBe(true);
    expect((await post('sync', { ...lead(), event_id: 'e1' })).json.duplicate).toBeUndefined();
    await post('card', lead());
    expect((await post('card', lead())).json.duplicate).toBeUndefined();
  });

  it('a hundred at once are processed once', async () => {
    const headers = { 'Idempotency-Key': 'same' };
    const answers = await Promise.all(Array.from({ length: 100 }, () => post('card', lead(), { headers })));
    expect(answers.filter((got) => got.json.duplicate === undefined)).toHaveLength(1);
    expect((await state()).cards).toHaveLength(2);
  });
});

describe('refusals', () => {
  const big = (bytes: number) => JSON.stringify({ pad: 'x'.repeat(bytes - '{"pad":""}'.length) });
  it.each([
    ['an unknown hash', 'nobody', { body: lead() }, 404, 'ERR_WEBHOOK_NOT_FOUND'],
    ['an inactive or paused hash', 'off', { body: lead() }, 404, 'ERR_WEBHOOK_NOT_FOUND'],
    ['token mode without the token', 'locked', { body: lead() }, 401, 'ERR_WEBHOOK_TOKEN_INVALID'],
    [
      'token mode with a wrong token, before a broken body',
      'locked',
      { raw: '{', headers: { 'X-Service-Token': 'S3cret' } },
      401,
      'ERR_WEBHOOK_TOKEN_INVALID',
    ],
    ['token mode that has no token', 'mislaid', { body: lead() }, 401, 'ERR_WEBHOOK_TOKEN_INVALID'],
    ['a bearer token instead', 'locked', { token: 's3cret', body: lead() }, 401, 'ERR_WEBHOOK_TOKEN_INVALID'],
    ['the right token', 'locked', { body: lead(), headers: { 'X-Service-Token': 's3cret' } }, 202, undefined],
    [
      'a token where none is asked for',
      'sync',
      { body: lead(), headers: { 'X-Service-Token': 'x' } },
      202,
      undefined,
    ],
    ['a body of 1 MB', 'sync', { raw: big(1_048_576) }, 202, undefined],
    ['one byte more', 'sync', { raw: big(1_048_577) }, 413, 'ERR_BODY_TOO_LARGE'],
    [
      'a small body that inflates',
      'sync',
      { raw: gzipSync(big(2_000_000)), headers: { 'content-encoding': 'gzip' } },
      413,
      'ERR_BODY_TOO_LARGE',
    ],
    ['broken JSON', 'sync', { raw: '{"lead":' }, 400, 'ERR_INVALID_JSON'],
    ['no body', 'sync', {}, 400, 'ERR_INVALID_JSON'],
    ['JSON nested deeply', 'sync', { raw: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }, 202, undefined],
  ])('%s', async (_name, hash, ask: Ask, status, code) => {
    const got = await context.call('POST', `/hooks/${hash}`, { token: null, ...ask });
    expect([got.status, got.json.code]).toEqual([status, code]);
    expect(got.headers['x-ratelimit-limit']).toMatch(/^\d+$/);
    if (status !== 202 && hash === 'sync') expect(await history(hash)).toEqual([]);
    expect((await post('sync', lead())).status).toBe(202);
  });

  it('more calls than --hook-rate a minute for one hash: 429, apart from tokens and other hashes', async () => {
    await context.restart({ hookRate: 2, rate: 1 });
    const calls = [];
    for (let i = 0; i < 3; i += 1) calls.push(await post('sync', lead()));
    expect(calls.map((got) => [got.status, got.headers['x-ratelimit-remaining']])).toEqual([
      [202, '1'],
      [202, '0'],
      [429, '0'],
    ]);
    expect(calls[2]?.json).toMatchObject({ code: 'ERR_RATE_LIMITED', retryAfter: 60 });
    expect(calls[2]?.headers['retry-after']).toBe('60');
    expect((await post('card', lead())).status).toBe(202);
    expect((await context.call('GET', '/v1/tags')).status).toBe(200);
    expect((await history('sync')).length).toBe(2);
    at += 60_000;
    expect((await post('sync', lead())).status).toBe(202);
  });
});

it('a call that was acknowledged but not processed when the process died is processed at the next start', async () => {
  // The journal is cut behind the acknowledgement, where kill -9 leaves it.
  const journal = `${context.dataDir}/journal.jsonl`;
  await post('card', { ...lead(), event_id: 'e1' });
  await history('card');
  const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n');
  expect(lines.at(-2)).toContain('"pending"');
  await writeFile(journal, `${lines.slice(0, -1).join('\n')}\n`);
  await context.restart();
  expect(await history('card')).toMatchObject([{ idempotencyKey: 'e1', result: { status: 'done' } }]);
  expect((await state()).cards).toHaveLength(2);
  expect((await post('card', { ...lead(), event_id: 'e1' })).json.duplicate).toBe(true);
});
