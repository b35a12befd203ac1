// Tokens, scopes, isolation, envelopes and rate headers of every response.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL, type Context, openContext } from './context.ts';

let context: Context;
beforeAll(async () => {
  context = await openContext();
});
afterAll(() => context.close());

const flat = (body: Record<string, unknown>) =>
  Object.values(body).every((value) => value === null || typeof value !== 'object');

describe('a token', () => {
  it.each([
    ['missing', null, {}, 'ERR_TOKEN_MISSING'],
    ['unknown', 'svc_test_nobody', {}, 'ERR_TOKEN_INVALID'],
    ['of another scheme', null, { authorization: 'Basic c3ZjX3Rlc3RfYWxs' }, 'ERR_TOKEN_INVALID'],
    ['without a scheme', null, { authorization: ALL }, 'ERR_TOKEN_INVALID'],
    ['empty behind Bearer', null, { authorization: 'Bearer ' }, 'ERR_TOKEN_INVALID'],
    ['revoked', 'svc_test_revoked', {}, 'ERR_TOKEN_REVOKED'],
    ['expired', 'svc_test_expired', {}, 'ERR_TOKEN_EXPIRED'],
  ])('%s is refused with 401', async (_name, token, headers, code) => {
    const got = await context.call('GET', '/v1/contacts', { token, headers });
    expect([got.status, got.json.code, typeof got.json.error]).toEqual([401, code, 'string']);
    expect(got.json).not.toHaveProperty('requestId');
  });

  it.each([
    ['svc_test_contacts_read', 'GET', '/v1/contacts', null],
    ['svc_test_contacts_write', 'GET', '/v1/contacts', null],
    ['svc_test_contacts_write', 'GET', '/v1/tags', null],
    ['svc_test_contacts_read', 'POST', '/v1/contacts', 'contacts:write'],
    ['svc_test_contacts_read', 'PUT', '/v1/contacts/1', 'contacts:write'],
    ['svc_test_contacts_read', 'PUT', '/v1/contacts/1/tags', 'contacts:write'],
    ['svc_test_contacts_write', 'GET', '/v1/cards', 'cards:read'],
    ['svc_live_cards_read', 'GET', '/v1/pipelines', null],
    ['svc_test_cards_write', 'GET', '/v1/lost-reasons', null],
    ['svc_live_cards_read', 'POST', '/v1/cards', 'cards:write'],
    ['svc_live_cards_read', 'PATCH', '/v1/cards/1/stage', 'cards:write'],
    ['svc_test_cards_write', 'GET', '/v1/tags', 'contacts:read'],
    ['svc_test_none', 'GET', '/v1/connections', 'connections:read'],
    ['svc_test_none', 'GET', '/v1/conversations', 'conversations:read'],
    ['svc_test_none', 'GET', '/v1/conversations/1/messages', 'messages:read'],
    ['svc_test_none', 'POST', '/v1/conversations/1/messages', 'messages:send'],
    ['svc_test_none', 'POST', '/v1/messages/send', 'messages:send'],
    ['svc_test_none', 'GET', '/v1/messages/x/status', 'messages:read'],
    ['svc_test_none', 'POST', '/v1/flows/trigger', 'flows:trigger'],
  ])('%s on %s %s needs %s', async (token, method, path, requiredScope) => {
    const got = await context.call(method, path, { token });
    if (requiredScope === null) expect(got.status).toBe(200);
    else {
      expect([got.status, got.json.code, got.json.requiredScope]).toEqual([
        403,
        'ERR_SCOPE_MISSING',
        requiredScope,
      ]);
    }
  });
});

it.each([
  ['GET', '/v1/contacts/9', undefined, 'ERR_NO_CONTACT_FOUND'],
  ['PUT', '/v1/contacts/9', { name: 'x' }, 'ERR_NO_CONTACT_FOUND'],
  ['PUT', '/v1/contacts/9/tags', { tagIds: [] }, 'ERR_NO_CONTACT_FOUND'],
  ['GET', '/v1/cards/9', undefined, 'ERR_NO_CARD_FOUND'],
  ['PATCH', '/v1/cards/9/stage', { stageId: 91 }, 'ERR_NO_CARD_FOUND'],
  ['PATCH', '/v1/cards/1/stage', { stageId: 91 }, 'ERR_STAGE_NOT_FOUND'],
  ['POST', '/v1/cards', { contactId: 9, pipelineId: 1 }, 'ERR_NO_CONTACT_FOUND'],
  ['POST', '/v1/cards', { contactId: 1, pipelineId: 9 }, 'ERR_PIPELINE_NOT_FOUND'],
  ['POST', '/v1/cards', { contactId: 1, pipelineId: 1, sourceId: 9 }, 'ERR_SOURCE_NOT_FOUND'],
  ['POST', '/v1/contacts', { number: '5511', whatsappId: 9 }, 'ERR_WHATSAPP_NOT_FOUND'],
  ['GET', '/v1/conversations/9/messages', undefined, 'ERR_NO_TICKET_FOUND'],
  ['POST', '/v1/conversations/9/messages', { body: 'x' }, 'ERR_NO_TICKET_FOUND'],
  ['GET', '/v1/messages/theirs/status', undefined, 'ERR_MESSAGE_NOT_FOUND'],
  ['POST', '/v1/messages/send', { number: '5511', body: 'x', whatsappId: 9 }, 'ERR_CONNECTION_NOT_FOUND'],
  [
    'POST',
    '/v1/messages/send',
    { number: '5511', body: 'x', whatsappName: 'theirs' },
    'ERR_CONNECTION_NOT_FOUND',
  ],
  ['POST', '/v1/flows/trigger', { flowId: 9, whatsappId: 1, contactId: 1 }, 'ERR_FLOW_NOT_FOUND'],
  ['POST', '/v1/flows/trigger', { flowId: 1, whatsappId: 9, contactId: 1 }, 'ERR_CONNECTION_NOT_FOUND'],
  ['POST', '/v1/flows/trigger', { flowId: 1, whatsappId: 1, contactId: 9 }, 'ERR_NO_CONTACT_FOUND'],
])('%s %s of another account does not exist', async (method, path, body, code) => {
  const got = await context.call(method, path, { body });
  expect([got.status, got.json.code]).toEqual([404, code]);
  expect(flat(got.json)).toBe(true);
});

it('the same number in two accounts is two contacts', async () => {
  const got = await context.call('GET', '/v1/contacts?number=5511987654321', { token: 'svc_test_other' });
  expect(got.json.contacts.map((contact: { id: number }) => contact.id)).toEqual([9]);
});

describe('every response carries the rate headers', () => {
  const big = Buffer.from(`{"number":"${'1'.repeat(1_100_000)}"}`);
  it.each([
    ['a success', 'GET', '/v1/tags', {}, 200, undefined],
    ['no token', 'GET', '/v1/tags', { token: null }, 401, 'ERR_TOKEN_MISSING'],
    ['a missing scope', 'GET', '/v1/tags', { token: 'svc_test_none' }, 403, 'ERR_SCOPE_MISSING'],
    ['an unknown path', 'GET', '/v1/nothing', {}, 404, 'ERR_ROUTE_NOT_FOUND'],
    ['an unknown path without a token', 'GET', '/nothing', { token: null }, 404, 'ERR_ROUTE_NOT_FOUND'],
    ['a known path, another method', 'DELETE', '/v1/contacts/1', {}, 404, 'ERR_ROUTE_NOT_FOUND'],
    ['OPTIONS', 'OPTIONS', '/v1/contacts', {}, 404, 'ERR_ROUTE_NOT_FOUND'],
    ['a path that cannot be decoded', 'GET', '/v1/contacts/%E0%A4%A', {}, 400, 'ERR_BAD_REQUEST'],
    ['broken JSON', 'POST', '/v1/contacts', { raw: '{"number":' }, 400, 'ERR_INVALID_JSON'],
    ['a JSON scalar', 'POST', '/v1/contacts', { raw: '"x"' }, 400, 'ERR_INVALID_JSON'],
    ['a body over the limit', 'POST', '/v1/contacts', { raw: big }, 413, 'ERR_BODY_TOO_LARGE'],
    ['a JSON array', 'POST', '/v1/contacts', { body: [] }, 400, 'ERR_MISSING_NUMBER'],
    ['no body', 'POST', '/v1/contacts', {}, 400, 'ERR_MISSING_NUMBER'],
    ['an unknown webhook', 'POST', '/hooks/h1', { token: null }, 404, 'ERR_WEBHOOK_NOT_FOUND'],
  ])('%s', async (_name, method, path, ask, status, code) => {
    const got = await context.call(method, path, ask);
    expect([got.status, got.json.code]).toEqual([status, code]);
    for (const name of ['limit', 'remaining', 'reset']) {
      expect(got.headers[`x-ratelimit-${name}`]).toMatch(/^\d+$/);
    }
    if (status >= 400) expect(Object.keys(got.json).slice(0, 2)).toEqual(['error', 'code']);
    else expect(got.json.requestId).toMatch(/.+/);
  });
});

it('a feature outside the plan is 403 without a code', async () => {
  await context.panel('PATCH', '/accounts/other', { missingFeatures: ['cards'] });
  const got = await context.call('GET', '/v1/cards', { token: 'svc_test_other' });
  expect([got.status, got.json.code]).toEqual([403, undefined]);
  expect((await context.call('GET', '/v1/tags', { token: 'svc_test_other' })).status).toBe(200);
});

it('an internal error is 500 with a fixed text and no code', async () => {
  const said: string[] = [];
  const progressMs = Object.defineProperty({}, 'sent', {
    get: () => {
      throw new Error('broken on purpose');
    },
  }) as never;
  const broken = await openContext({ warn: (message) => said.push(message), choices: { progressMs } });
  try {
    const got = await broken.call('POST', '/v1/messages/send', { body: { number: '5511', body: 'x' } });
    expect([got.status, got.json]).toEqual([500, { error: 'Internal server error' }]);
    expect(said.join()).toContain('broken on purpose');
  } finally {
    await broken.close();
  }
});

describe('the rate limit', () => {
  it('the call over it is 429 with the same wait in header and body, and only for that token', async () => {
    let at = Date.parse('2026-01-01T00:00:00.500Z');
    const limited = await openContext({ rate: 3, now: () => new Date(at) });
    try {
      const call = (token?: string) => limited.call('GET', '/v1/tags', token === undefined ? {} : { token });
      const remaining = [];
      for (let i = 0; i < 3; i += 1) remaining.push((await call()).headers['x-ratelimit-remaining']);
      expect(remaining).toEqual(['2', '1', '0']);
      at += 20_000;
      const over = await call();
      expect([over.status, over.json.code, over.json.retryAfter, over.headers['retry-after']]).toEqual([
        429,
        'ERR_RATE_LIMITED',
        40,
        '40',
      ]);
      expect(over.headers['x-ratelimit-reset']).toBe(String(Date.parse('2026-01-01T00:01:01Z') / 1000));
      expect((await call('svc_test_contacts_read')).status).toBe(200);
      at += 39_999;
      expect((await call()).status).toBe(429);
      at += 1;
      expect((await call()).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  it('refusals of a valid token cost a call, those of a bad one do not', async () => {
    const limited = await openContext({ rate: 4, now: () => new Date(1_000_000) });
    try {
      await limited.call('GET', '/v1/nothing');
      await limited.call('GET', '/v1/contacts/404');
      await limited.call('POST', '/v1/contacts', { raw: '{' });
      await limited.call('GET', '/v1/tags', { token: null });
      const last = await limited.call('GET', '/v1/tags');
      expect(last.headers['x-ratelimit-remaining']).toBe('0');
      const anonymous = await limited.call('GET', '/v1/tags', { token: null });
      expect(anonymous.headers['x-ratelimit-remaining']).toBe('4');
    } finally {
      await limited.close();
    }
  });
});

it('any number of concurrent upserts of the same new numbers makes one contact each', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 24 }),
      async (picks) => {
        run += 1;
        const numbers = picks.map((pick) => `5521${1_000_000 + run}${pick}`);
        const answers = await Promise.all(
          numbers.map((number) => context.call('POST', '/v1/contacts', { body: { number, name: 'N' } })),
        );
        for (const number of new Set(numbers)) {
          const mine = answers.filter((_, index) => numbers[index] === number);
          const created = mine.filter((got) => got.status === 201 && got.json.created === true);
          const updated = mine.filter((got) => got.status === 200 && got.json.created === false);
          expect([created.length, updated.length]).toEqual([1, mine.length - 1]);
          expect(new Set(mine.map((got) => got.json.contact.id)).size).toBe(1);
        }
      },
    ),
    { numRuns: 25 },
  );
});
