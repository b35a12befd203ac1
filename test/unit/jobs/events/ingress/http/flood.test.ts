// Senders without a secret who take connections and memory, and never come to an end. Others are served meanwhile.
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../../../support/until.ts';
import { type Environment, knock, openEnvironment, type RawSocket, raw, type Script } from './environment.ts';

const KEY = 'a-secret-of-enough-bytes';
const KIB = 1024;
const LEAD = JSON.stringify({ phone: '+5511987654321', note: 'x'.repeat(500) });

const open = (script: Script = {}): Promise<Environment> =>
  openEnvironment({
    auth: { type: 'hmac', secrets: ['env:A'] },
    secrets: [KEY],
    also: ['/other'],
    ...script,
  });

/** Status of a request from an address of its own. */
function ask(
  environment: Environment,
  path: string,
  from = '127.0.0.1',
  body: string | null = LEAD,
): Promise<number> {
  const sign = createHmac('sha256', KEY)
    .update(body ?? '')
    .digest('hex');
  const headers = { 'content-type': 'application/json', 'x-signature': sign };
  const at = { host: '127.0.0.1', port: environment.port, localAddress: from, path, agent: false };
  return new Promise((resolve, reject) => {
    const req = request(
      body === null ? at : { ...at, method: 'POST', headers: { ...headers, 'content-length': body.length } },
      (res) => {
        res.resume().on('end', () => resolve(res.statusCode ?? 0));
      },
    );
    req.on('error', reject).end(body ?? undefined);
  });
}

/** What everybody else gets: the same and another route, the same and another peer, and who watches over it. */
const others = async (environment: Environment): Promise<number[]> =>
  await Promise.all([
    ask(environment, '/hooks/lead'),
    ask(environment, '/other'),
    ask(environment, '/hooks/lead', '127.9.9.9'),
    ask(environment, '/other', '127.9.9.9'),
    ask(environment, '/openapi.json', '127.0.0.1', null),
  ]);
const SERVED = [202, 202, 202, 202, 200];

const WRONG = { 'x-signature': '0'.repeat(64), authorization: 'none' };
const beginning = (length: number, declared = 1_048_576) =>
  raw('', { ...WRONG, 'content-length': String(declared) }) + ' '.repeat(length);
const ONE_PEER = () => '127.0.0.1';
const MANY_PEERS = (at: number) => `127.0.${1 + (at % 100)}.7`;

const sockets: RawSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

function flood(
  environment: Environment,
  count: number,
  text: string | Uint8Array,
  from: (at: number) => string,
): RawSocket[] {
  return Array.from({ length: count }, (_, at) => {
    const socket = knock(environment.port, from(at));
    socket.write(text);
    sockets.push(socket);
    return socket;
  });
}

const bodyBytes = async (environment: Environment): Promise<number> =>
  Number(/body_bytes\{sender="unproven"\} (\d+)/.exec(await environment.figures())?.[1]);

describe('bodies that stop short of their end', () => {
  const http = {
    maxBodyBytes: 64 * KIB,
    unauthenticated: {
      maxBytes: 400 * KIB,
      maxBytesPerRoute: 300 * KIB,
      maxBytesPerPeer: 200 * KIB,
      maxConnectionsPerPeer: 250,
    },
  };
  const most = 400 * KIB + 66 * 16 * KIB;

  it.each([
    ['66 of one peer', 66, ONE_PEER],
    ['66 of many peers', 66, MANY_PEERS],
  ])('%s: take their share, and everybody else gets an answer', async (_, count, from) => {
    const environment = await open({ http });
    const slow = flood(environment, count, beginning(60 * KIB, 64 * KIB), from);
    const refused = await Promise.race(slow.map((socket) => socket.until((text) => text.includes('BUSY'))));
    expect(refused).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1/);
    expect(await bodyBytes(environment)).toBeLessThanOrEqual(most);
    expect(await others(environment)).toEqual(SERVED);
    for (const socket of slow) socket.destroy();
    await until('nothing is taken any more', async () => (await bodyBytes(environment)) === 0);
  });

  it('a long body of another peer gets memory beside them, and one of the same peer does not', async () => {
    const environment = await open({ http });
    const slow = flood(environment, 10, beginning(60 * KIB, 64 * KIB), ONE_PEER);
    await Promise.race(slow.map((socket) => socket.until((text) => text.includes('BUSY'))));
    const long = JSON.stringify({ note: 'x'.repeat(60 * KIB) });
    expect(await ask(environment, '/hooks/lead', '127.9.9.9', long)).toBe(202);
    expect(await ask(environment, '/other', '127.0.0.1', long)).toBe(503);
  });

  it('one route leaves memory to the others', async () => {
    const environment = await open({ http });
    const slow = flood(environment, 40, beginning(60 * KIB, 64 * KIB), MANY_PEERS);
    await Promise.race(slow.map((socket) => socket.until((text) => text.includes('BUSY'))));
    const long = JSON.stringify({ note: 'x'.repeat(60 * KIB) });
    expect(await ask(environment, '/hooks/lead', '127.9.9.9', long)).toBe(503);
    expect(await ask(environment, '/other', '127.9.9.9', long)).toBe(202);
  });

  it('a bomb takes no more than its share', async () => {
    const environment = await open({ http });
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const headers = { ...WRONG, 'content-encoding': 'gzip', 'content-length': String(bomb.length) };
    const whole = Buffer.concat([Buffer.from(raw('', headers)), bomb]);
    const bombs = flood(environment, 20, whole, ONE_PEER);
    for (const socket of bombs)
      expect(await socket.until((text) => text.includes('}'))).toMatch(/ (?:413|503) /);
    expect(await others(environment)).toEqual(SERVED);
  });
});

describe('connections that stop short', () => {
  const http = {
    maxConnections: 60,
    unauthenticated: {
      maxBytes: 1024 * KIB,
      maxBytesPerRoute: 1024 * KIB,
      maxBytesPerPeer: 1024 * KIB,
      maxConnectionsPerPeer: 20,
    },
  };

  it.each([
    ['say nothing, of one peer', '', ONE_PEER],
    ['say nothing, of many peers', '', MANY_PEERS],
    ['stop in their headers, of one peer', 'POST /hooks/lead HTTP/1.1\r\nhost: x\r\n', ONE_PEER],
    ['stop in their headers, of many peers', 'POST /hooks/lead HTTP/1.1\r\nhost: x\r\n', MANY_PEERS],
    ['stop in their bodies, of one peer', beginning(10), ONE_PEER],
    ['stop in their bodies, of many peers', beginning(10), MANY_PEERS],
    [
      'ask whether to go on, and never do',
      raw('', { ...WRONG, expect: '100-continue', 'content-length': '1000' }),
      ONE_PEER,
    ],
    [
      'stop behind requests that are refused',
      `${raw('{}', WRONG)}${raw('{}', WRONG)}${beginning(10)}`,
      MANY_PEERS,
    ],
  ])('200 that %s: the oldest are closed for those who come', async (_, text, from) => {
    const environment = await open({ http });
    const slow = flood(environment, 200, text, from);
    await until('all have knocked', async () => {
      const closed = /not_accepted_total\{route="-",reason="BUSY"\} (\d+)/.exec(
        await environment.figures(),
      )?.[1];
      return Number(closed) >= 140;
    });
    expect(await others(environment)).toEqual(SERVED);
    await slow[0]?.closed;
  });

  it('a proven sender is not closed for others, however slowly its next body comes', async () => {
    const environment = await open({ http });
    const proven = knock(environment.port);
    const sign = { 'x-signature': createHmac('sha256', KEY).update('{}').digest('hex') };
    proven.write(raw('{}', sign));
    await proven.until((text) => text.includes('received'));
    flood(environment, 200, '', ONE_PEER);
    await until('others are closed', async () => /reason="BUSY"/.test(await environment.figures()));
    proven.write(raw('{}', sign));
    expect(await proven.until((text) => text.split('received').length > 2)).not.toContain('503');
  });

  it('who waits for an answer is not closed for others', async () => {
    let accept: () => void = () => undefined;
    const accepted = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const environment = await open({
      http: { ...http, maxConnections: 3 },
      accept: async () => {
        await accepted;
        return [{ id: 'e1', duplicate: false }];
      },
    });
    const waiting = [ask(environment, '/hooks/lead'), ask(environment, '/other')];
    await until('both are read', () => environment.deliveries.length === 2);
    flood(environment, 20, '', ONE_PEER);
    expect(await ask(environment, '/openapi.json', '127.0.0.1', null)).toBe(200);
    accept();
    expect(await Promise.all(waiting)).toEqual([202, 202]);
  });
});

describe('bodies that come too slowly', () => {
  const http = { bodyIdleTimeout: '200ms', bodyTimeout: '20s', minBytesPerSecond: 1000 };
  const answer = /^HTTP\/1\.1 408 [\s\S]*"code":"TOO_SLOW"/;

  it.each([
    ['proves itself by its body', { type: 'hmac', secrets: ['env:A'] }, WRONG],
    ['is proven already', { type: 'token', secrets: ['env:A'] }, { authorization: `Bearer ${KEY}` }],
  ])('stop: 408, though the whole request has time left, where the sender %s', async (_, auth, headers) => {
    const environment = await open({ http, auth });
    const socket = knock(environment.port);
    socket.write(`${raw('', { ...headers, 'content-length': '5000' })}{`);
    expect(await socket.until((text) => text.includes('}'))).toMatch(answer);
  });

  it.each([
    ['a byte now and then', '', 'a'],
    ['chunks of a byte without end', 'chunked', '1\r\na\r\n'],
  ])('drip %s: 408', async (_, encoding, piece) => {
    const environment = await open({ http });
    const socket = knock(environment.port);
    const head = raw('', { ...WRONG, 'content-length': '5000' });
    socket.write(encoding === '' ? head : head.replace('content-length: 5000', 'transfer-encoding: chunked'));
    const drip = setInterval(() => socket.write(piece), 20);
    try {
      expect(await socket.until((text) => text.includes('}'))).toMatch(answer);
    } finally {
      clearInterval(drip);
    }
  });

  it('but not when they bring what they have to, however long it takes', async () => {
    const environment = await open({ http });
    const socket = knock(environment.port);
    const body = ' '.repeat(6000);
    const sign = createHmac('sha256', KEY).update(body).digest('hex');
    socket.write(raw('', { 'x-signature': sign, 'content-length': '6000' }));
    let sent = 0;
    const drip = setInterval(() => {
      if (sent < 6000) socket.write(body.slice(sent, sent + 300));
      sent += 300;
    }, 40);
    try {
      expect(await socket.until((text) => text.includes('}'))).toMatch(/^HTTP\/1\.1 202 /);
    } finally {
      clearInterval(drip);
    }
  });
});

describe('behind a proxy', () => {
  const http = {
    maxBodyBytes: 64 * KIB,
    unauthenticated: {
      maxBytes: 1024 * KIB,
      maxBytesPerRoute: 1024 * KIB,
      maxBytesPerPeer: 64 * KIB,
      maxConnectionsPerPeer: 250,
    },
  };
  const long = JSON.stringify({ note: 'x'.repeat(40 * KIB) });
  const sign = createHmac('sha256', KEY).update(long).digest('hex');
  const from = (peer: string) => ({ 'x-signature': sign, 'x-forwarded-for': peer });

  it.each([
    ['that is trusted, a peer is who it names', ['127.0.0.0/8'], 202],
    ['that is not, a peer is who connects', [], 503],
  ])('%s', async (_, trustProxy, expected) => {
    const environment = await open({ http: { ...http, trustProxy } });
    const slow = knock(environment.port);
    slow.write(
      raw('', { ...WRONG, 'x-forwarded-for': '203.0.113.1', 'content-length': '65536' }) + ' '.repeat(60_000),
    );
    await until('it is read', async () => (await bodyBytes(environment)) >= 60_000);
    expect((await environment.post(long, from('203.0.113.2'))).status).toBe(expected);
    expect((await environment.post(long, from('203.0.113.1'))).status).toBe(503);
  });
});

it('while events without an answer take all memory, it says that it is not ready', async () => {
  let accept: () => void = () => undefined;
  const accepted = new Promise<void>((resolve) => {
    accept = resolve;
  });
  const environment = await open({
    http: { maxBodyBytes: 4 * 1_048_576 },
    auth: { type: 'token', header: 'X-Signature', secrets: ['env:A'] },
    accept: async () => {
      await accepted;
      return [{ id: 'e1', duplicate: false }];
    },
  });
  const long = JSON.stringify({ note: 'x'.repeat(4_194_000) });
  const send = async () => (await environment.post(long, { 'x-signature': KEY })).status;
  const waiting = Array.from({ length: 32 }, send);
  await until('it is full', async () => !(await environment.ingress.readiness()).ready);
  expect(await environment.ingress.readiness()).toMatchObject({ code: 'BUSY' });
  expect(await ask(environment, '/openapi.json', '127.0.0.1', null)).toBe(200);
  accept();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([202]));
  expect(await environment.ingress.readiness()).toMatchObject({ ready: true });
});
