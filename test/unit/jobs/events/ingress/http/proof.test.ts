// Authentication as senders meet it, and the rate that it protects.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { knock, openEnvironment, raw, TOKEN } from './environment.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEW_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NOW = 1_700_000_000_000;
const STANDARD = { type: 'standard-webhooks', secrets: ['env:A', 'env:B'] };

/** Headers as the reference package makes them. */
function signed(body: string, { secret = SECRET, at = String(NOW / 1000), signAt = NOW } = {}) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': at,
    'webhook-signature': new Webhook(secret).sign('msg_1', new Date(signAt), body),
  };
}

const standardEnvironment = (secrets = [SECRET]) =>
  openEnvironment({ auth: STANDARD, secrets, now: () => NOW });

describe('Standard Webhooks over HTTP', () => {
  it('takes what the reference package signed', async () => {
    const environment = await standardEnvironment();
    expect((await environment.post('{"a":1}', signed('{"a":1}'))).status).toBe(202);
  });

  it('FAULTS 30: a time that is off by 301 s, NaN or has trailing junk is refused with 401, and is not read', async () => {
    const environment = await standardEnvironment();
    const off = (seconds: number) => {
      const signAt = NOW + seconds * 1000;
      return signed('{}', { at: String(signAt / 1000), signAt });
    };
    const answers = [];
    for (const headers of [
      off(-300),
      off(300),
      off(-301),
      off(301),
      signed('{}', { at: 'NaN' }),
      signed('{}', { at: `${NOW / 1000} junk` }),
      signed('{}', { at: `${NOW / 1000}junk` }),
    ]) {
      answers.push((await environment.post('{}', headers)).status);
    }
    expect(answers).toEqual([202, 202, 401, 401, 401, 401, 401]);
    expect(environment.deliveries).toHaveLength(2);
  });

  it('FAULTS 31: while one secret replaces another, both are accepted; afterwards only the new one', async () => {
    const overlap = await standardEnvironment([NEW_SECRET, SECRET]);
    expect((await overlap.post('{}', signed('{}'))).status).toBe(202);
    expect((await overlap.post('{}', signed('{}', { secret: NEW_SECRET }))).status).toBe(202);
    const after = await standardEnvironment([NEW_SECRET]);
    expect((await after.post('{}', signed('{}'))).status).toBe(401);
    expect((await after.post('{}', signed('{}', { secret: NEW_SECRET }))).status).toBe(202);
  });

  it('FAULTS 32: the signature is over raw bytes: the same JSON with a space more is refused', async () => {
    const environment = await standardEnvironment();
    expect((await environment.post('{"a": 1}', signed('{"a":1}'))).status).toBe(401);
    const bytes = Buffer.from([0x22, 0xff, 0x22]);
    const key = Buffer.from(SECRET.slice(6), 'base64');
    const mac = createHmac('sha256', key)
      .update(`msg_1.${NOW / 1000}.`)
      .update(bytes)
      .digest('base64');
    const answer = await environment.post(bytes, { ...signed(''), 'webhook-signature': `v1,${mac}` });
    expect(answer.status).toBe(202);
    expect(Buffer.from(environment.deliveries[0]?.body ?? [])).toEqual(bytes);
  });
});

describe('a request that proves nothing', () => {
  it('is answered alike, whatever was wrong, and leaves nothing of it in answer or log', async () => {
    const environment = await standardEnvironment();
    const good = signed('{}');
    const { 'webhook-id': _id, ...withoutId } = good;
    const attempts: [string, Record<string, string>][] = [
      ['{}', {}],
      ['{}', withoutId],
      ['{"canary":1}', good],
      ['{}', { ...good, 'webhook-id': 'canary' }],
      ['{}', { ...good, 'webhook-timestamp': 'canary' }],
      ['{}', { ...good, 'webhook-signature': 'v1,canary' }],
      ['{}', signed('{}', { secret: NEW_SECRET })],
      ['{}', { authorization: `Bearer ${SECRET}` }],
    ];
    const answers = new Set<string>();
    for (const [body, headers] of attempts) {
      const answer = await environment.post(body, headers, '/hooks/lead?canary=1');
      answers.add(`${answer.status} ${await answer.text()}`);
    }
    expect([...answers]).toEqual([
      '401 {"error":"the request is not authenticated","code":"UNAUTHENTICATED"}',
    ]);
    expect(JSON.stringify(environment.lines)).not.toMatch(/canary|whsec|msg_1/);
    expect(environment.deliveries).toEqual([]);
  });

  it('is refused before its body is read if the headers are enough', async () => {
    const environment = await openEnvironment();
    const socket = knock(environment.port);
    socket.write(raw('', { authorization: 'Bearer wrong', 'content-length': '1000' }));
    const answer = await socket.until((text) => text.includes('UNAUTHENTICATED'));
    expect(answer).toMatch(/^HTTP\/1\.1 401 [\s\S]*\r\nWWW-Authenticate: Bearer\r\n/);
  });

  it('learns nothing of how a body has to be', async () => {
    const environment = await openEnvironment();
    const answer = await environment.post('x', {
      authorization: 'Bearer wrong',
      'content-type': 'text/plain',
      'content-encoding': 'zstd',
    });
    expect(answer.status).toBe(401);
  });
});

it('what proves a sender is not handed on to the route', async () => {
  const bearer = await openEnvironment();
  await bearer.post('{}', { cookie: `a=${TOKEN}` });
  const auth = { type: 'token', header: 'X-Service-Token', secrets: ['env:A'] };
  const other = await openEnvironment({ auth, secrets: [TOKEN] });
  await other.post('{}', { 'X-Service-Token': TOKEN });
  const given = [...bearer.deliveries, ...other.deliveries].map(({ headers }) => headers);
  expect(given).toHaveLength(2);
  expect(JSON.stringify(given)).not.toContain(TOKEN);
});

describe('no proof', () => {
  it('is enough on loopback, and not behind a proxy on the same machine: 403', async () => {
    const environment = await openEnvironment({ auth: { type: 'none' } });
    expect((await environment.post('{}')).status).toBe(202);
    const answer = await environment.post('{}', { 'x-forwarded-for': '203.0.113.7' });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: 'this route is open to senders on this machine only', code: 'LOOPBACK_ONLY' },
    ]);
  });
});

describe('HubSpot over HTTP', () => {
  const auth = { type: 'hmac', style: 'hubspot', secrets: ['env:A'] };
  const sign = (uri: string) => ({
    'x-hubspot-request-timestamp': String(NOW),
    'x-hubspot-signature-v3': createHmac('sha256', 's').update(`POST${uri}{}${NOW}`).digest('base64'),
  });

  it('covers the address under which senders reach this server', async () => {
    const environment = await openEnvironment({
      auth,
      secrets: ['s'],
      now: () => NOW,
      http: { publicUrl: 'https://hooks.example.com/in/' },
    });
    const path = '/hooks/lead?x=a%3Ab';
    expect(
      (await environment.post('{}', sign('https://hooks.example.com/in/hooks/lead?x=a:b'), path)).status,
    ).toBe(202);
    expect((await environment.post('{}', sign(`${environment.url}/hooks/lead?x=a:b`), path)).status).toBe(
      401,
    );
  });

  it('covers the address of the request where no other is configured', async () => {
    const environment = await openEnvironment({ auth, secrets: ['s'], now: () => NOW });
    expect((await environment.post('{}', sign(`${environment.url}/hooks/lead`))).status).toBe(202);
    const socket = knock(environment.port);
    const { 'x-hubspot-request-timestamp': at, 'x-hubspot-signature-v3': signature } = sign(
      'http://127.0.0.1/hooks/lead',
    );
    const headers = {
      'x-hubspot-request-timestamp': at,
      'x-hubspot-signature-v3': signature,
      connection: 'close',
    };
    socket.write(raw('{}', headers, 'POST http://127.0.0.1/hooks/lead HTTP/1.1'));
    expect(await socket.closed).toMatch(/^HTTP\/1\.1 202 /);
  });
});

describe('the rate of a route', () => {
  it('is used up by all senders together, and then answered with 429 and the time to wait', async () => {
    const environment = await openEnvironment({ perMinute: 3 });
    const answers = [];
    for (let at = 0; at < 5; at += 1)
      answers.push(await environment.post('{}', { 'x-forwarded-for': `10.0.0.${at}` }));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429, 429]);
    const [first, , , last] = answers;
    expect(first?.headers.get('ratelimit')).toMatch(/^"leads"; r=2; t=\d+$/);
    expect(last?.headers.get('ratelimit')).toMatch(/^"leads"; r=0; t=\d+$/);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await last?.json()).toEqual({ error: 'more than 3 requests a minute', code: 'RATE_LIMITED' });
    expect(environment.deliveries).toHaveLength(3);
  });

  it('can not be used up by those who prove nothing', async () => {
    const environment = await openEnvironment({ perMinute: 1 });
    for (let at = 0; at < 10; at += 1) {
      expect((await environment.post('{}', { authorization: 'Bearer wrong' })).status).toBe(401);
    }
    expect((await environment.post('{}')).status).toBe(202);
    expect((await environment.post('{}')).status).toBe(429);
  });
});

describe('a server that would not be safe', () => {
  it.each([
    [
      { type: 'standard-webhooks', secrets: ['env:A'] },
      ['not base64!'],
      /^routes\.leads\.http\.auth: secret 1 is not base64/,
    ],
    [{ type: 'token', secrets: ['env:A'] }, [''], /^routes\.leads\.http\.auth: token 1 is empty/],
    [{ type: 'hmac', secrets: ['env:A'] }, [], /^routes\.leads\.http\.auth: there is no secret/],
  ])('does not start: %j with %j', async (auth, secrets, message) => {
    await expect(openEnvironment({ auth, secrets })).rejects.toThrow(message);
  });

  it('knows its token, and takes it', async () => {
    const environment = await openEnvironment();
    expect((await environment.post('{}', { authorization: `Bearer ${TOKEN}` })).status).toBe(202);
  });
});
