import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  createBodyCapacity,
  isDeclaredTooLong,
  readBody,
} from '../../../../../../src/jobs/events/ingress/http/body.ts';
import { until } from '../../../../../support/until.ts';
import { JSON_TYPE, knock, openEnvironment, raw, TOKEN } from './environment.ts';

const MAX = 1_048_576;
const HEADERS = { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` };
/** What compression can't shorten. */
const NOISE = randomBytes(MAX + 1);
const noise = (length: number): Buffer => NOISE.subarray(0, length);

/** Sends chunks without Content-Length, as long as they are taken. */
function sendChunks(port: number, chunks: Iterable<Buffer>, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: string; sent: number }>((resolve, reject) => {
    let sent = 0;
    let isAnswered = false;
    const req = request({ port, method: 'POST', path: '/hooks/lead', headers: { ...HEADERS, ...headers } });
    req.on('response', (res) => {
      isAnswered = true;
      let body = '';
      res.on('data', (chunk) => (body += chunk));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, body, sent }));
    });
    req.on('error', (error) => (isAnswered ? undefined : reject(error)));
    const next = chunks[Symbol.iterator]();
    const push = (): void => {
      if (isAnswered) return void req.destroy();
      const { value, done } = next.next();
      if (done === true) return void req.end();
      sent += value.length;
      if (req.write(value)) setImmediate(push);
      else req.once('drain', push);
    };
    push();
  });
}

describe('FAULTS 33: the longest body', () => {
  const ENCODINGS: [string, Record<string, string>, (body: Buffer) => Buffer][] = [
    ['as it is', {}, (body) => body],
    ['identity', { 'content-encoding': 'identity' }, (body) => body],
    ['gzip', { 'content-encoding': 'gzip' }, (body) => gzipSync(body)],
    ['x-gzip in capitals', { 'content-encoding': 'X-GZIP' }, (body) => gzipSync(body)],
    ['gzip stored', { 'content-encoding': 'gzip' }, (body) => gzipSync(body, { level: 0 })],
    ['deflate', { 'content-encoding': 'deflate' }, (body) => deflateSync(body)],
    [
      'br',
      { 'content-encoding': 'br' },
      (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    ],
  ];

  it.each(ENCODINGS)('passes to the byte, and one more is 413: %s', async (_name, headers, encode) => {
    const environment = await openEnvironment({ http: { maxBodyBytes: MAX } });
    const exact = noise(MAX);
    const passed = await environment.post(encode(exact), headers);
    expect(passed.status).toBe(202);
    expect(Buffer.from(environment.deliveries[0]?.body ?? []).equals(exact)).toBe(true);
    const refused = await environment.post(encode(noise(MAX + 1)), headers);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toEqual({
      error: `the body is longer than ${MAX} bytes after decompression`,
      code: 'TOO_LONG',
    });
    expect(environment.deliveries).toHaveLength(1);
  });

  it('passes to the byte in chunks, and one more is 413', async () => {
    const environment = await openEnvironment({ http: { maxBodyBytes: MAX } });
    const inChunks = function* (body: Buffer) {
      for (let at = 0; at < body.length; at += 10_000) yield body.subarray(at, at + 10_000);
    };
    expect((await sendChunks(environment.port, inChunks(noise(MAX)))).status).toBe(202);
    expect((await sendChunks(environment.port, inChunks(noise(MAX + 1)))).status).toBe(413);
    const gzip = { 'content-encoding': 'gzip' };
    expect((await sendChunks(environment.port, inChunks(gzipSync(noise(MAX))), gzip)).status).toBe(202);
    expect((await sendChunks(environment.port, inChunks(gzipSync(noise(MAX + 1))), gzip)).status).toBe(413);
  });

  it('a body without end is cut off: the sender gets its answer, and the connection ends', async () => {
    const environment = await openEnvironment({ http: { maxBodyBytes: MAX } });
    const endless = function* () {
      const chunk = Buffer.alloc(16_384, 0x20);
      for (;;) yield chunk;
    };
    const { status, body } = await sendChunks(environment.port, endless());
    expect({ status, code: JSON.parse(body).code }).toEqual({ status: 413, code: 'TOO_LONG' });
  });

  it('a declared length that is too long is answered before anything is sent', async () => {
    const environment = await openEnvironment({ http: { maxBodyBytes: MAX } });
    const socket = knock(environment.port);
    socket.write(raw('', { 'content-length': String(MAX + 1), expect: '100-continue' }));
    const answer = await socket.until((text) => text.includes('TOO_LONG'));
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
  });

  it('a sender that asks before it sends is asked to go on', async () => {
    const environment = await openEnvironment();
    const socket = knock(environment.port);
    socket.write(raw('', { 'content-length': '2', expect: '100-continue' }));
    expect(await socket.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1.1 100 /);
    socket.write('{}');
    expect(await socket.until((text) => text.includes('received'))).toMatch(/HTTP\/1.1 202 /);
  });

  it('a gzip bomb is answered with 413 after its first chunks, with flat memory', async () => {
    const environment = await openEnvironment({ http: { maxBodyBytes: 1_048_576 } });
    // Members of gzip may follow each other: 256 MB out of 256 KB.
    const member = gzipSync(Buffer.alloc(16_777_216), { level: 1 });
    const bomb = Buffer.concat(Array.from({ length: 16 }, () => member));
    const before = process.memoryUsage().rss;
    for (let at = 0; at < 8; at += 1) {
      const answer = await environment.post(bomb, { 'content-encoding': 'gzip' });
      expect(answer.status).toBe(413);
    }
    // 8 × 256 MB would have been 2 GB.
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    expect((await environment.post('{}')).status).toBe(202);
  });

  it('gzip that decompresses to nothing and never ends is cut off as well', async () => {
    const environment = await openEnvironment({ http: { maxBodyBytes: MAX } });
    const empty = gzipSync(Buffer.alloc(0));
    const endless = function* () {
      const members = Buffer.concat(Array.from({ length: 500 }, () => empty));
      for (;;) yield members;
    };
    const { status } = await sendChunks(environment.port, endless(), { 'content-encoding': 'gzip' });
    expect(status).toBe(413);
  });
});

describe('compression that is none', () => {
  it.each([
    ['not gzip at all', 'gzip', Buffer.from('{}')],
    ['cut off', 'gzip', gzipSync('{"a":1}').subarray(0, 12)],
    ['with a wrong checksum', 'gzip', Buffer.concat([gzipSync('{"a":1}').subarray(0, -8), Buffer.alloc(8)])],
    ['nothing', 'gzip', Buffer.alloc(0)],
    ['gzip, said to be deflate', 'deflate', gzipSync('{}')],
    ['not brotli at all', 'br', Buffer.from('{"a":1,"b":2}')],
  ])('%s is answered with 400', async (_name, encoding, body) => {
    const environment = await openEnvironment();
    const answer = await environment.post(body, { 'content-encoding': encoding });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      400,
      'BAD_COMPRESSION',
    ]);
    expect((await environment.post('{}')).status).toBe(202);
  });

  it.each(['zstd', 'compress', 'gzip, gzip', 'gzip;q=1', 'constructor', '__proto__'])(
    '%s is not known: 415',
    async (encoding) => {
      const environment = await openEnvironment();
      const answer = await environment.post('{}', { 'content-encoding': encoding });
      expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate, br']);
    },
  );
});

describe('memory for all bodies together', () => {
  it('a body beyond the limit is refused, and its memory is free again', async () => {
    const capacity = createBodyCapacity(10);
    const read = (...chunks: string[]) => {
      const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
      return readBody(Object.assign(stream, { complete: true }) as never, null, { maxBytes: 100, capacity });
    };
    expect((await read('123', '45678')).toString()).toBe('12345678');
    await expect(read('12', '3')).rejects.toMatchObject({ name: 'NoCapacityError' });
    capacity.release(8);
    expect((await read('0123456789')).toString()).toBe('0123456789');
  });

  it('is taken by bodies whose events are being accepted: those beyond get 503, until others are through', async () => {
    let accept: () => void = () => undefined;
    const accepted = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const environment = await openEnvironment({
      accept: async (_route, drafts) => {
        await accepted;
        return drafts.map(({ id }) => ({ id, duplicate: false }));
      },
    });
    const megabyte = gzipSync(Buffer.alloc(1_048_576), { level: 1 });
    const post = async () => (await environment.post(megabyte, { 'content-encoding': 'gzip' })).status;
    const owner: Promise<number>[] = [];
    // One after the other: a busy machine would refuse some of 64 at once as too slow.
    while (owner.length < 64) {
      owner.push(post());
      await until(`${owner.length} MB are held`, () => environment.deliveries.length === owner.length);
    }
    const beyond = await environment.post('{}');
    expect([beyond.status, beyond.headers.get('retry-after'), await beyond.json()]).toEqual([
      503,
      '1',
      { error: 'too much data is arriving at once; send it again', code: 'BUSY' },
    ]);
    accept();
    expect(new Set(await Promise.all(owner))).toEqual(new Set([202]));
    expect(await post()).toBe(202);
  });

  it('compressed bytes may slightly exceed their content', () => {
    const declared = (length: number) => ({ headers: { 'content-length': String(length) } }) as never;
    expect(isDeclaredTooLong(declared(1001), false, 1000)).toBe(true);
    expect(isDeclaredTooLong(declared(1001), true, 1000)).toBe(false);
    expect(isDeclaredTooLong(declared(5000), true, 1000)).toBe(true);
  });
});
