// The codec server as Temporal's web UI, its command line and strangers meet it.
import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { request } from 'undici';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../../../src/config/load.ts';
import { OperatorConfig } from '../../../../src/config/schema/operator.ts';
import { TemporalConfig } from '../../../../src/config/schema/temporal.ts';
import { type Role } from '../../../../src/core/endpoint.ts';
import { openCodec } from '../../../../src/protect/codec/index.ts';
import { jsonOf, payloadOf } from '../../../../src/protect/codec/payload-json.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { openBrowser } from '../identity/http-context.ts';
import { serveRoles } from '../identity/roles-context.ts';

const DECODE = '/api/v1/codec/decode';
const ENCODE = '/api/v1/codec/encode';
const UI = 'http://localhost:8233';
const KEY = randomBytes(32).toString('base64');
const PHONE = '5511987654321';

let temporalUi: string | undefined = UI;
let keys = [{ id: 'a', key: 'env:KEY' }];

const db = await testLedger();
const config = () =>
  ({
    file: '/nowhere/sluice.yaml',
    config: {
      operator: OperatorConfig.parse({ http: { port: 0 }, temporalUi }),
      temporal: TemporalConfig.parse({ encryption: { keys } }),
    },
    secret: async () => ({ value: KEY, warnings: [] }),
  }) as unknown as LoadedConfig;
const { server, browser } = await serveRoles(db, config);
afterAll(() => server.close());
beforeEach(() => {
  temporalUi = `${UI}/`;
  keys = [{ id: 'a', key: 'env:KEY' }];
});

const plain = () => defaultPayloadConverter.toPayload({ phone: PHONE }) as Payload;
const encrypted = async () => {
  const codec = await openCodec({ keys: [{ id: 'a', key: 'env:KEY' }], secret: async () => KEY });
  const payloads = (await codec?.encode([plain()])) ?? [];
  return { payloads: payloads.map(jsonOf) };
};
const contentOf = (body: unknown): unknown => {
  const { payloads } = body as { payloads: Parameters<typeof payloadOf>[0][] };
  return payloads.map((payload) => defaultPayloadConverter.fromPayload(payloadOf(payload)));
};
/** What a page of the UI can send: no CSRF token, and an origin of its own. */
const fromUi = (origin = UI) => ({
  origin,
  'sec-fetch-site': 'same-site',
  'x-csrf-token': null,
  'x-namespace': 'default',
});
const audit = async () =>
  await db.query<{ identity: string; action: string; outcome: string; details: object }>(
    "select identity, action, outcome, details from operator_audit where action like 'POST /codec%' order by id",
  );

describe("a page of Temporal's web UI", () => {
  it.each<Role>(['operator', 'approver', 'admin'])(
    'decrypts with the login of the console: role %s',
    async (role) => {
      const answer = await browser(role).send('POST', DECODE, await encrypted(), fromUi());
      expect(answer.status).toBe(200);
      expect(contentOf(answer.body)).toEqual([{ phone: PHONE }]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(UI);
      expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
      expect(answer.headers.get('vary')).toContain('Origin');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
  );

  it('is refused without a login and to a viewer, and may read why', async () => {
    const body = await encrypted();
    for (const [from, status] of [
      [openBrowser(server), 401],
      [browser('viewer'), 403],
    ] as const) {
      const answer = await from.send('POST', DECODE, body, fromUi());
      expect(answer.status).toBe(status);
      expect(answer.text).not.toContain(PHONE);
      expect(answer.headers.get('access-control-allow-origin')).toBe(UI);
    }
  });

  it('encrypts for an admin only', async () => {
    const body = { payloads: [jsonOf(plain())] };
    for (const role of ['viewer', 'operator', 'approver'] as const)
      expect((await browser(role).send('POST', ENCODE, body, fromUi())).status).toBe(403);
    const { body: made } = await browser('admin').send('POST', ENCODE, body, fromUi());
    expect(JSON.stringify(made)).not.toContain(jsonOf(plain()).data);
    expect(
      contentOf((await browser('operator').send('POST', DECODE, made as object, fromUi())).body),
    ).toEqual([{ phone: PHONE }]);
  });

  it('may ask before, without a login: for POST, and with the headers that it sends', async () => {
    const { statusCode, headers } = await request(server.url + DECODE, {
      method: 'OPTIONS',
      headers: { origin: UI, 'access-control-request-method': 'POST', 'sec-fetch-site': 'same-site' },
    });
    expect(statusCode).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': UI,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type, X-Namespace',
    });
  });

  it('does not keep a login alive by refreshing', async () => {
    const seen = async () =>
      (await db.query<{ at: string }>('select max(seen_at)::text as at from user_sessions'))[0]?.at;
    await db.query("update user_sessions set seen_at = seen_at - interval '5 minutes'");
    const before = await seen();
    await browser('operator').send('POST', DECODE, await encrypted(), fromUi());
    expect(await seen()).toBe(before);
    await browser('operator').send('GET', '/api/v1/session');
    expect(await seen()).not.toBe(before);
  });
});

describe('another page', () => {
  it.each([
    'https://evil.example',
    'null',
    'http://localhost:8234',
    'https://localhost:8233',
    'http://localhost:8233.evil.example',
    'http://LOCALHOST:8233',
    'http://127.0.0.1:8233',
  ])('at %s is refused with every role, and cannot read the answer', async (origin) => {
    for (const path of [DECODE, ENCODE]) {
      const answer = await browser('admin').send('POST', path, await encrypted(), fromUi(origin));
      expect(answer.status).toBe(403);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.text).not.toContain(PHONE);
    }
    const asked = await request(server.url + DECODE, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(asked.statusCode).toBe(403);
    expect(asked.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('is the UI itself where none is configured, or where its address is not encrypted', async () => {
    for (const [configured, origin] of [
      [undefined, UI],
      ['http://temporal.example', 'http://temporal.example'],
    ] as const) {
      temporalUi = configured;
      const answer = await browser('admin').send('POST', DECODE, await encrypted(), fromUi(origin));
      expect(answer.status).toBe(403);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it.each(['/api/v1/session', '/api/v1/users', '/api/v1/codec/decode/', '/api/v1/codec/DECODE', '/'])(
    'is the UI on %s: only the codec answers it',
    async (path) => {
      const answer = await browser('admin').send('POST', path, {}, fromUi());
      expect(answer.status).toBe(403);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  it('is one under a foreign name of this server, whatever origin it claims', async () => {
    for (const host of ['evil.example', 'localhost.evil.example:8088']) {
      const answer = await browser('admin').send('POST', DECODE, await encrypted(), { ...fromUi(), host });
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain(PHONE);
    }
  });

  it('without an origin needs the CSRF token, as for every command', async () => {
    const headers = { origin: null, 'x-csrf-token': null };
    const answer = await browser('admin').send('POST', DECODE, await encrypted(), headers);
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'CSRF' } } });
  });
});

describe("Temporal's command line", () => {
  it('decrypts with an access token', async () => {
    const made = await browser('operator').send('POST', '/api/v1/tokens', { name: 'temporal', days: 1 });
    const { secret: token } = made.body as { secret: string };
    expect(token).toMatch(/^slu_/);
    const headers = { authorization: `Bearer ${token}`, origin: null };
    const answer = await openBrowser(server).send('POST', DECODE, await encrypted(), headers);
    expect(contentOf(answer.body)).toEqual([{ phone: PHONE }]);
  });
});

describe('a payload', () => {
  it('with an unknown key or a changed byte is a conflict that names the key', async () => {
    const { payloads } = await encrypted();
    const data = Buffer.from(payloads[0]?.data ?? '', 'base64');
    data[30] = (data[30] as number) ^ 1;
    const damaged = { payloads: [{ ...payloads[0], data: data.toString('base64') }] };
    const answer = await browser('operator').send('POST', DECODE, damaged, fromUi());
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'PAYLOAD_DAMAGED' } } });
    keys = [{ id: 'b', key: 'env:KEY' }];
    const unknown = await browser('operator').send('POST', DECODE, { payloads }, fromUi());
    expect(unknown).toMatchObject({ status: 409, body: { error: { code: 'ENCRYPTION_KEY_UNKNOWN' } } });
    keys = [];
    const off = await browser('operator').send('POST', DECODE, { payloads }, fromUi());
    expect(off).toMatchObject({ status: 404, body: { error: { code: 'NO_ENCRYPTION' } } });
  });

  it.each([
    ['no payloads', {}],
    ['no list', { payloads: 'x' }],
    ['data that is no base64', { payloads: [{ data: 'ä' }] }],
    ['metadata that is no base64', { payloads: [{ metadata: { encoding: '<' }, data: '' }] }],
    ['too many', { payloads: Array.from({ length: 1001 }, () => ({})) }],
  ])('is refused: %s', async (_, body) => {
    expect((await browser('operator').send('POST', DECODE, body, fromUi())).status).toBe(400);
  });

  it('of 2 MB, the most that Temporal takes, is decrypted; a body over 8 MB is refused', async () => {
    const data = randomBytes(2_000_000).toString('base64');
    expect((await browser('operator').send('POST', DECODE, { payloads: [{ data }] }, fromUi())).status).toBe(
      200,
    );
    const payloads = [{ data }, { data }, { data }, { data }];
    const answer = await browser('operator').send('POST', DECODE, { payloads }, fromUi());
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'BODY_TOO_LARGE' } } });
  });
});

describe('the audit log', () => {
  it('has who decrypted and who was refused, and nothing of the content', async () => {
    await db.query('delete from operator_audit');
    await browser('operator').send('POST', DECODE, await encrypted(), fromUi());
    await browser('viewer').send('POST', DECODE, await encrypted(), fromUi());
    const lines = await audit();
    expect(lines.map(({ identity, outcome }) => [identity, outcome])).toEqual([
      ['user:operator', 'ok'],
      ['user:viewer', 'denied'],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${PHONE}|payloads`));
  });

  it('counts the requests of a page in one line, and what failed in lines of their own', async () => {
    await db.query('delete from operator_audit');
    const body = await encrypted();
    for (let n = 0; n < 5; n++) await browser('operator').send('POST', DECODE, body, fromUi());
    keys = [];
    await browser('operator').send('POST', DECODE, body, fromUi());
    expect(await audit()).toMatchObject([
      { outcome: 'ok', details: { times: 6 } },
      { outcome: 'failed', details: { code: 'NO_ENCRYPTION' } },
    ]);
  });

  it('begins a new line after ten minutes', async () => {
    await db.query('delete from operator_audit');
    const body = await encrypted();
    await browser('operator').send('POST', DECODE, body, fromUi());
    await db.query(`update operator_audit set at = at - interval '10 minutes'`);
    await browser('operator').send('POST', DECODE, body, fromUi());
    expect(await audit()).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }]);
  });
});
