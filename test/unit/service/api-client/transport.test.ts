// Hostile connections: what each becomes, whether the request may have been processed, and that
// nothing is ever sent twice.
import { connect } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { Pool } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ApiError,
  isAmbiguous,
  MessagingClient,
  type MessagingClientOptions,
  TransportError,
} from '../../../../src/service/api-client/index.ts';
import { answer, bytesThen, http, type RawServer, type Reply, rawServer } from './raw-server.ts';

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

function clientFor(baseUrl: string, over: Partial<MessagingClientOptions> = {}): MessagingClient {
  const client = new MessagingClient({ baseUrl, token: 'svc_test_a', ...over });
  open.push(client);
  return client;
}

async function serve(...script: Reply[]): Promise<RawServer> {
  const server = await rawServer(...script);
  // Opened first, so closed first: a client closes only once its calls have ended.
  open.push(server);
  return server;
}

async function failure(promise: Promise<unknown>): Promise<TransportError> {
  const outcome = await promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(TransportError);
  return outcome as TransportError;
}

const TAGS = { requestId: 'r', tags: [] };
const OK = answer(200, TAGS);
const create = (client: MessagingClient) => client.cards.create({ contactId: 1, pipelineId: 1 });
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n`;
const SHORT = `${HEAD}content-length: 100\r\n`;

/** undici hands a connection out again one turn of the event loop after its answer. */
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('a connection that breaks after the request was sent', () => {
  it.each<[string, Reply, Record<string, unknown>]>([
    ['reset before headers', bytesThen('cut', ''), { reason: 'reset', status: null }],
    ['closed before headers', bytesThen('end', ''), { reason: 'reset', status: null }],
    ['reset in the headers', bytesThen('cut', 'HTTP/1.1 200 O'), { reason: 'reset' }],
    ['reset after the headers', bytesThen('cut', `${SHORT}\r\n`), { reason: 'reset', status: 200 }],
    [
      'body shorter than announced',
      bytesThen('end', `${SHORT}\r\n{"tags":[]}`),
      { reason: 'reset', status: 200 },
    ],
    [
      'body shorter than announced, closing',
      bytesThen('end', `${SHORT}connection: close\r\n\r\n{"tags":[]}`),
      { reason: 'reset', status: 200 },
    ],
    ['chunks cut', bytesThen('end', `${CHUNKED}\r\n5\r\n{"tag`), { reason: 'reset', status: 200 }],
    [
      'chunks cut, closing',
      bytesThen('end', `${CHUNKED}connection: close\r\n\r\n5\r\n{"tag`),
      { reason: 'reset', status: 200 },
    ],
    [
      'no length and cut',
      bytesThen('end', `${HEAD}connection: close\r\n\r\n{"tags":[`),
      { reason: 'invalid_body', status: 200 },
    ],
    ['not HTTP', bytesThen('end', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'), { reason: 'invalid_body', status: null }],
    [
      'headers without end',
      bytesThen('hang', `${HEAD}x: ${'a'.repeat(80_000)}\r\n\r\n`),
      { reason: 'invalid_body', status: null },
    ],
    ['a broken chunk', bytesThen('hang', `${CHUNKED}\r\nzz\r\n`), { reason: 'invalid_body', status: 200 }],
    ['a redirect', answer(302, '', { location: '/wapi/v1/cards' }), { reason: 'redirect', status: 302 }],
  ])('%s', async (_name, reply, expected) => {
    const server = await serve(reply);
    const error = await failure(create(clientFor(server.baseUrl)));
    expect(error).toMatchObject({ sent: true, method: 'POST', path: '/v1/cards', ...expected });
    expect(isAmbiguous(error)).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  it('an early hint is no status line', async () => {
    const server = await serve(bytesThen('end', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'));
    expect(await failure(create(clientFor(server.baseUrl)))).toMatchObject({ reason: 'reset', status: null });
  });

  it('an error answer that is cut short is no answer either', async () => {
    const server = await serve(bytesThen('cut', 'HTTP/1.1 404 X\r\ncontent-length: 50\r\n\r\n{"code"'));
    expect(await failure(clientFor(server.baseUrl).tags.list())).toMatchObject({
      reason: 'reset',
      status: 404,
    });
  });
});

describe('nothing was sent', () => {
  it('connection refused', async () => {
    const server = await rawServer(OK);
    await server.close();
    const error = await failure(create(clientFor(server.baseUrl)));
    expect(error).toMatchObject({ reason: 'connect', sent: false, status: null, causeCode: 'ECONNREFUSED' });
    expect(isAmbiguous(error)).toBe(false);
  });

  it('a name that does not resolve', async () => {
    const error = await failure(create(clientFor('http://no-such-host.invalid/wapi')));
    expect(error).toMatchObject({ reason: 'connect', sent: false });
  });

  it('TLS against a port that does not speak it', async () => {
    const server = await serve(OK);
    const client = clientFor(server.baseUrl.replace('http:', 'https:'));
    const hello = failure(create(client));
    expect(server.requests).toHaveLength(0);
    // The handshake hangs on a server that waits for more: cutting it is what a plain port does.
    const poll = setInterval(() => void server.cut(), 5);
    expect(await hello).toMatchObject({ reason: 'connect', sent: false });
    clearInterval(poll);
  });

  it('a connect timeout', async () => {
    const timeout = Object.assign(new Error('x'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    const pool = new Pool('http://127.0.0.1:9', { connect: (_options, done) => done(timeout, null) });
    open.push(pool);
    const error = await failure(create(clientFor('http://127.0.0.1:9/wapi', { dispatcher: pool })));
    expect(error).toMatchObject({ reason: 'connect', sent: false, causeCode: 'UND_ERR_CONNECT_TIMEOUT' });
  });

  it.each(['deadline', 'signal'])(
    'a call given up by its %s while connecting is not sent later',
    async (by) => {
      const server = await serve(OK);
      const port = Number(new URL(server.baseUrl).port);
      let release: () => void = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const pool = new Pool(new URL(server.baseUrl).origin, {
        connections: 1,
        connect: async (_options, done) => {
          await released;
          const socket = connect(port, '127.0.0.1', () => done(null, socket));
        },
      });
      open.push(pool);
      const client = clientFor(server.baseUrl, { dispatcher: pool });
      const control = new AbortController();
      const options = by === 'deadline' ? { deadlineMs: 1 } : { signal: control.signal };
      const call = failure(client.contacts.upsert({ number: '1' }, options));
      control.abort();
      expect(await call).toMatchObject({ reason: by === 'deadline' ? 'timeout' : 'aborted', sent: false });

      release();
      await client.tags.list();
      expect(server.requests.map(({ line }) => line)).toEqual(['GET /wapi/v1/tags HTTP/1.1']);
    },
  );

  it('a signal that was aborted before', async () => {
    const server = await serve(OK);
    const call = clientFor(server.baseUrl).tags.list({ signal: AbortSignal.abort(new Error('why')) });
    expect(await failure(call)).toMatchObject({ reason: 'aborted', sent: false });
    expect(server.requests).toHaveLength(0);
  });

  it('a closed client', async () => {
    const client = clientFor((await serve(OK)).baseUrl);
    await client.close();
    await client.close();
    expect(await failure(client.tags.list())).toMatchObject({ reason: 'aborted', sent: false });
  });
});

describe('an answer that takes too long', () => {
  const drip: Reply = (socket) => {
    socket.write(`${CHUNKED}\r\n`);
    const timer = setInterval(() => socket.write('1\r\n \r\n'), 5);
    socket.on('close', () => clearInterval(timer));
  };
  it.each<[string, Reply, number | null]>([
    ['no byte', () => {}, null],
    ['headers only', bytesThen('hang', `${SHORT}\r\n`), 200],
    ['a body that drips', drip, 200],
    ['headers that drip', bytesThen('hang', 'HTTP/1.1 2'), null],
  ])('%s ends at the deadline and frees the socket', async (_name, reply, status) => {
    const server = await serve(reply);
    const error = await failure(clientFor(server.baseUrl, { deadlineMs: 60 }).tags.list());
    expect(error).toMatchObject({ reason: 'timeout', sent: true, status });
    await server.allClosed();
  });

  it.each<[string, Reply]>([
    ['no byte', () => {}],
    ['half a body', bytesThen('hang', `${SHORT}\r\n{"tags`)],
  ])('after %s a signal ends the call and frees the socket', async (_name, reply) => {
    const control = new AbortController();
    const server = await serve((socket, request) => {
      reply(socket, request);
      setImmediate(() => control.abort());
    });
    const client = clientFor(server.baseUrl);
    const error = await failure(client.tags.list({ signal: control.signal }));
    expect(error).toMatchObject({ reason: 'aborted', sent: true });
    await server.allClosed();
  });

  it('a signal that fires after the answer leaves the connection and its next call alone', async () => {
    const control = new AbortController();
    const server = await serve(OK);
    const client = clientFor(server.baseUrl);
    await client.tags.list({ signal: control.signal });
    await tick();
    const next = client.tags.list();
    control.abort();
    await next;
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  it.each([0, -1, Number.NaN, 2 ** 31])('a deadline of %d is refused', async (deadlineMs) => {
    const client = clientFor((await serve(OK)).baseUrl);
    await expect(client.tags.list({ deadlineMs })).rejects.toThrow(/deadlineMs/);
  });
});

describe('keep-alive', () => {
  it('one connection serves calls in a row', async () => {
    const server = await serve(OK);
    const client = clientFor(server.baseUrl);
    for (let n = 0; n < 3; n++) {
      await client.tags.list();
      await tick();
    }
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });

  it.each(['GET', 'POST'])(
    'a %s on a connection that dies under it is sent once, and says so',
    async (method) => {
      const server = await serve(OK, bytesThen('cut', ''), OK);
      const client = clientFor(server.baseUrl);
      await client.tags.list();
      await tick();
      const error = await failure(method === 'GET' ? client.tags.list() : create(client));
      expect(error).toMatchObject({ reason: 'reset', sent: true });
      expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1]);
    },
  );

  it('a connection closed by the server while idle is replaced before the next call', async () => {
    const server = await serve((socket) => socket.end(http(200, JSON.stringify(TAGS))));
    const client = clientFor(server.baseUrl);
    for (let n = 0; n < 3; n++) {
      await client.tags.list();
      await server.allClosed();
    }
    expect(server.requests).toHaveLength(3);
  });

  it('200 calls racing the close of their connections: none is sent twice', async () => {
    // Every second answer ends its connection at once, without saying so.
    const body = http(200, JSON.stringify(TAGS));
    let answered = 0;
    const server = await serve((socket) => (++answered % 2 === 0 ? socket.end(body) : socket.write(body)));
    const client = clientFor(server.baseUrl);
    let failed = 0;
    for (let n = 0; n < 200; n++) {
      const tag = `n${n}`;
      await client.contacts.upsert({ number: tag }).catch((error: unknown) => {
        // The body is no contact, so a call that was answered ends as a wrong shape.
        if (error instanceof TransportError) failed += error.sent ? 1 : 0;
      });
    }
    const numbers = server.requests.map(({ body: sent }) => JSON.parse(sent).number as string);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.length).toBeGreaterThanOrEqual(200 - failed);
  });

  it('parallel calls use a connection each: no pipelining', async () => {
    let free: () => void = () => {};
    const all = new Promise<void>((resolve) => {
      free = resolve;
    });
    const server = await serve(async (socket) => {
      if (server.requests.length === 10) free();
      await all;
      socket.write(http(200, JSON.stringify(TAGS)));
    });
    const client = clientFor(server.baseUrl);
    await Promise.all(Array.from({ length: 10 }, () => client.tags.list()));
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(10);
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('%i is not followed: the other host hears nothing', async (status) => {
    const other = await serve(OK);
    const server = await serve(answer(status, '', { location: `${other.baseUrl}/v1/tags` }));
    expect(await failure(clientFor(server.baseUrl).tags.list())).toMatchObject({
      reason: 'redirect',
      status,
    });
    expect(other.requests).toHaveLength(0);
  });
});

describe('bodies', () => {
  const text = JSON.stringify({ tags: [], pad: 'x'.repeat(300_000) });
  it.each<[string, string, Buffer]>([
    ['gzip', 'gzip', gzipSync(text)],
    ['gzip, upper case', 'GZIP', gzipSync(text)],
    ['x-gzip', 'x-gzip', gzipSync(text)],
    ['deflate', 'deflate', deflateSync(text)],
    ['raw deflate', 'deflate', deflateRawSync(text)],
    ['br', 'br', brotliCompressSync(text)],
    ['identity', 'identity', Buffer.from(text)],
  ])('%s is decoded', async (_name, encoding, bytes) => {
    const server = await serve(answer(200, bytes, { 'content-encoding': encoding }));
    expect((await clientFor(server.baseUrl).tags.list()).data.items).toEqual([]);
    expect(server.requests[0]?.head).toContain('accept-encoding: gzip, deflate, br');
  });

  it('a large compressed body that does not compress is read whole', async () => {
    const noise = Array.from({ length: 400_000 }, (_, n) => (n * 2_654_435_761) >>> 0);
    const bytes = gzipSync(JSON.stringify({ tags: [], noise }));
    const server = await serve(answer(200, bytes, { 'content-encoding': 'gzip' }));
    expect((await clientFor(server.baseUrl).tags.list()).data.items).toEqual([]);
  });

  it('cut gzip is no success', async () => {
    const bytes = gzipSync(text);
    const server = await serve(answer(200, bytes.subarray(0, -9), { 'content-encoding': 'gzip' }));
    expect(await failure(clientFor(server.baseUrl).tags.list())).toMatchObject({ reason: 'invalid_body' });
  });

  const bomb = Buffer.alloc(256 * 1024 * 1024, ' ');
  it.each<[string, string, () => Buffer]>([
    ['gzip', 'gzip', () => gzipSync(bomb, { level: 1 })],
    ['br', 'br', () => brotliCompressSync(bomb, { params: { 1: 1 } })],
  ])('a %s bomb of 256 MiB is stopped at the cap, with flat memory', async (_name, encoding, make) => {
    const bytes = make();
    const server = await serve(answer(200, bytes, { 'content-encoding': encoding }));
    const before = process.memoryUsage().arrayBuffers;
    const client = clientFor(server.baseUrl, { maxBodyBytes: 1_000_000 });
    expect(await failure(client.tags.list())).toMatchObject({
      reason: 'body_too_large',
      sent: true,
      status: 200,
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
    await server.allClosed();
  });

  it('a body over the cap is stopped, one of exactly the cap is read', async () => {
    const body = JSON.stringify(TAGS);
    const server = await serve(answer(200, body));
    expect((await clientFor(server.baseUrl, { maxBodyBytes: body.length }).tags.list()).meta.status).toBe(
      200,
    );
    const small = clientFor(server.baseUrl, { maxBodyBytes: body.length - 1 });
    expect(await failure(small.tags.list())).toMatchObject({ reason: 'body_too_large' });
  });

  it('a huge error page is still the error that its status says', async () => {
    const server = await serve(answer(503, 'x'.repeat(50_000)));
    const call = clientFor(server.baseUrl, { maxBodyBytes: 1000 }).tags.list();
    await expect(call).rejects.toMatchObject({ status: 503, kind: 'internal', code: null });
    await expect(call).rejects.toBeInstanceOf(ApiError);
  });

  it('informational answers before the answer are skipped', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
    const server = await serve((socket) => socket.write(`${early}${http(200, JSON.stringify(TAGS))}`));
    expect((await clientFor(server.baseUrl).tags.list()).meta.status).toBe(200);
  });
});
