// Files that come before the event that names them: POST to the path of the route and /files.
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { LedgerError } from '../../../../../../src/core/sql/database.ts';
import { type Environment, knock, openEnvironment, raw, type Script, TOKEN } from './environment.ts';

const PATH = '/hooks/lead/files';
const PNG = { 'content-type': 'image/png' };
/** Not UTF-8, and not to be read as JSON. */
const BYTES = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff, 0xfe, 0x0d, 0x0a]);

const openUpload = (script: Script = {}) => openEnvironment({ files: {}, ...script });
const upload = (
  environment: Environment,
  headers: Record<string, string> = {},
  body: string | Uint8Array = BYTES,
) => environment.post(body, { ...PNG, ...headers }, PATH);
const answerOf = async (answer: Response) => ({
  status: answer.status,
  body: (await answer.json()) as object,
});

describe('a file', () => {
  it('is kept as it came, and answered with 201 and its id', async () => {
    const environment = await openUpload();
    const answer = await upload(environment, { 'content-disposition': 'attachment; filename="a.png"' });
    expect(await answerOf(answer)).toEqual({
      status: 201,
      body: {
        upload: 'up_1',
        bytes: BYTES.length,
        type: 'image/png',
        filename: 'a.png',
        expiresAt: '1970-01-01T00:00:00.000Z',
      },
    });
    expect(environment.uploads).toEqual([
      { account: 'acme', filename: 'a.png', contentType: 'image/png', data: BYTES },
    ]);
    expect(environment.deliveries).toEqual([]);
  });

  it('that comes compressed is kept as it was before', async () => {
    const environment = await openUpload();
    expect((await upload(environment, { 'content-encoding': 'gzip' }, gzipSync(BYTES))).status).toBe(201);
    expect(environment.uploads[0]?.data).toEqual(BYTES);
  });

  it.each([
    ['attachment; filename="../../etc/passwd.png"', '', 'passwd.png'],
    ['attachment; filename="C:\\\\tmp\\\\evil.png"', '', 'evil.png'],
    ['attachment; filename="x.png"; filename*=UTF-8\'\'pre%C3%A7o%0D%0A.png', '', 'preço.png'],
    ["attachment; filename*=utf-8'pt-BR'ma%C3%A7%C3%A3.png", '', 'maçã.png'],
    ['attachment; filename="ma\u00c3\u00a7\u00c3\u00a3.png"', '', 'maçã.png'],
    ['attachment; filename="caf\u00e9.png"', '', 'café.png'],
    ['attachment', '?filename=query.png', 'query.png'],
    ['attachment; filename="head.png"', '?filename=query.png', 'head.png'],
    [null, '?filename=..%2F..%2Fa%00b%E2%80%AE.png', 'ab.png'],
    [null, '?filename=%E0%A4%A', '\ufffdA.png'],
    [null, '?filename=...', 'file.png'],
    [null, '', 'file.png'],
    ['attachment; filename="bill"', '', 'bill.png'],
  ])('named by %j and %j is %j', async (disposition, query, filename) => {
    const environment = await openUpload();
    const headers = { ...PNG, ...(disposition !== null && { 'content-disposition': disposition }) };
    const { body } = await answerOf(await environment.post(BYTES, headers, PATH + query));
    expect(body).toMatchObject({ filename });
    expect(environment.uploads[0]?.filename).toBe(filename);
  });

  it.each([
    ['application/pdf', 201],
    ['Application/PDF; charset=binary', 201],
    ['text/plain', 201],
    ['application/octet-stream', 201],
    ['application/json', 201],
    ['multipart/form-data; boundary=x', 415],
    ['application/x-www-form-urlencoded', 415],
    ['pdf', 415],
    ['image/', 415],
    ['image/p ng', 415],
    ['', 415],
  ])('of the type %j is answered with %d', async (type, status) => {
    const environment = await openUpload();
    const answer = await answerOf(await upload(environment, { 'content-type': type }));
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject(
      status === 201 ? { type: type.split(';')[0]?.toLowerCase() } : { code: 'MEDIA_TYPE' },
    );
  });

  it('that is empty is refused with 400', async () => {
    const environment = await openUpload();
    expect(await answerOf(await upload(environment, {}, ''))).toMatchObject({
      status: 400,
      body: { code: 'EMPTY' },
    });
    expect(environment.uploads).toEqual([]);
  });

  it('that the ledger can not keep now is answered with 503, and nothing of why', async () => {
    const store = () => Promise.reject(new LedgerError(new Error('connect ECONNREFUSED 10.1.2.3')));
    const environment = await openUpload({ store });
    const answer = await upload(environment, { 'content-disposition': 'attachment; filename="canary.png"' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.text()).not.toContain('10.1.2.3');
    expect(JSON.stringify(environment.lines)).not.toContain('canary');
  });
});

describe('the length of a file', () => {
  const MAX = 2000;
  const environment = () => openUpload({ files: { maxBytes: MAX }, http: { maxBodyBytes: 1024 } });
  const stream = (chunks: number) => {
    let left = chunks;
    return new ReadableStream<Uint8Array>({
      pull: (to) => (left-- > 0 ? to.enqueue(new Uint8Array(100)) : to.close()),
    });
  };

  it('may be that of the route, though events are shorter; one byte more is 413', async () => {
    const operatorSocket = await environment();
    expect((await upload(operatorSocket, {}, Buffer.alloc(MAX))).status).toBe(201);
    const { status, body } = await answerOf(await upload(operatorSocket, {}, Buffer.alloc(MAX + 1)));
    expect({ status, body }).toMatchObject({ status: 413, body: { code: 'TOO_LONG' } });
    expect((await operatorSocket.post(Buffer.alloc(MAX))).status).toBe(413);
  });

  it.each([
    [20, 201],
    [21, 413],
    [5000, 413],
  ])('in %d chunks of 100 bytes is answered with %d', async (chunks, status) => {
    const operatorSocket = await environment();
    const answer = await fetch(operatorSocket.url + PATH, {
      method: 'POST',
      body: stream(chunks),
      duplex: 'half',
      headers: { ...PNG, authorization: `Bearer ${TOKEN}` },
    } as RequestInit);
    expect(answer.status).toBe(status);
  });

  it('FAULTS 33: size after decompression counts, and a compression bomb is never kept in memory', async () => {
    const operatorSocket = await environment();
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(
      (await upload(operatorSocket, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(MAX)))).status,
    ).toBe(201);
    const before = process.memoryUsage().arrayBuffers;
    // Declared shorter than a file may be, so it is read.
    for (let n = 0; n < 3; n++) {
      const { status } = await upload(operatorSocket, { 'content-encoding': 'gzip' }, bomb.subarray(0, MAX));
      expect(status).toBe(413);
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });

  it('frees its memory when it ends, so that any number of files can follow', async () => {
    const big = 20_000_000;
    const operatorSocket = await openUpload({ files: { maxBytes: big } });
    for (let n = 0; n < 5; n++)
      expect((await upload(operatorSocket, {}, Buffer.alloc(big))).status).toBe(201);
  });
});

describe('a sender of files proves itself as one of events does', () => {
  it('by a token, refused before the file is read', async () => {
    const environment = await openUpload();
    const socket = knock(environment.port);
    const head = { authorization: 'Bearer wrong', 'content-length': '1000', ...PNG };
    socket.write(raw('', head, `POST ${PATH} HTTP/1.1`));
    expect(await socket.until((text) => text.includes('UNAUTHENTICATED'))).toMatch(/^HTTP\/1\.1 401 /);
    expect(environment.uploads).toEqual([]);
  });

  it('by a signature over its bytes: one byte more is refused', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const now = 1_700_000_000_000;
    const environment = await openUpload({
      auth: { type: 'standard-webhooks', secrets: ['env:A'] },
      secrets: [secret],
      now: () => now,
    });
    const signature = new Webhook(secret).sign('file_1', new Date(now), 'file');
    const signed = {
      'webhook-id': 'file_1',
      'webhook-timestamp': String(now / 1000),
      'webhook-signature': signature,
    };
    // The name is not signed, and the customer would read it.
    const named = { ...signed, 'content-disposition': 'attachment; filename="forged.png"' };
    const first = await upload(environment, named, 'file');
    expect([first.status, (await first.json()) as object]).toEqual([
      201,
      expect.objectContaining({ filename: expect.stringMatching(/^file\b/) }),
    ]);
    expect((await upload(environment, signed, 'file\n')).status).toBe(401);
    expect((await upload(environment, {}, 'file')).status).toBe(401);
    expect(environment.uploads).toHaveLength(1);
  });

  it('without a proof from this machine only, and never from a page in a browser', async () => {
    const environment = await openUpload({ auth: { type: 'none' } });
    expect((await upload(environment)).status).toBe(201);
    // A page may send this to any server without asking.
    const page = { origin: 'https://page.example', 'content-type': 'text/plain' };
    expect(await answerOf(await upload(environment, page))).toMatchObject({
      status: 403,
      body: { code: 'LOOPBACK_ONLY' },
    });
    expect((await upload(environment, { 'x-forwarded-for': '10.0.0.1' })).status).toBe(403);
  });
});

it('files and events of a route share its rate', async () => {
  const environment = await openUpload({ perMinute: 3 });
  expect((await upload(environment)).status).toBe(201);
  expect((await environment.post('{}')).status).toBe(202);
  expect((await upload(environment)).status).toBe(201);
  expect((await upload(environment)).status).toBe(429);
  expect((await environment.post('{}')).status).toBe(429);
});

it.each([
  ['GET', { files: {} }, 405],
  ['PUT', { files: {} }, 405],
  ['POST', {}, 404],
] as const)('%s of a route with %j is answered with %d', async (method, script, status) => {
  const environment = await openEnvironment(script);
  const answer = await fetch(environment.url + PATH, {
    method,
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(answer.status).toBe(status);
});
