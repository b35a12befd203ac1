// What comes over a socket that no decent client would send.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { until } from '../../../../../support/until.ts';
import { knock, openEnvironment, raw } from './environment.ts';

const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describe('requests that two readers may read differently', () => {
  it.each([
    ['two lengths that differ', raw('{}', { 'content-length': '2\r\ncontent-length: 3' })],
    ['two lengths that agree', raw('{}', { 'content-length': '2\r\ncontent-length: 2' })],
    ['a list of lengths', raw('{}', { 'content-length': '2, 2' })],
    ['a length and chunks', raw('0\r\n\r\n', { 'transfer-encoding': 'chunked' })],
    ['a length that is signed', raw('{}', { 'content-length': '+2' })],
    ['a length in hex', raw('{}', { 'content-length': '0x2' })],
    [
      'chunks that are not last',
      raw('', { 'content-length': '0', 'transfer-encoding': 'chunked, identity' }),
    ],
    [
      'a chunk length that is none',
      raw('zz\r\n{}\r\n0\r\n\r\n').replace(/content-length: \d+/, 'transfer-encoding: chunked'),
    ],
    ['a space before the colon', raw('{}').replace('content-length:', 'content-length :')],
    ['a folded header', raw('{}', { 'x-a': '1\r\n 2' })],
    ['a line feed alone', raw('{}').replaceAll('\r\n', '\n')],
    ['a null byte in a header', raw('{}', { 'x-a': 'a\0b' })],
    ['no host', raw('{}').replace('host: 127.0.0.1\r\n', '')],
    ['two hosts', raw('{}', { host: '127.0.0.1\r\nhost: evil.example.com' })],
    ['another protocol', raw('{}', {}, 'POST /hooks/lead HTTP/3.0')],
    ['another language', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a method of its own', raw('{}', {}, 'POSTX /hooks/lead HTTP/1.1')],
  ])('%s: refused with 400, the connection ends, and nothing behind it is read', async (_name, request) => {
    const environment = await openEnvironment();
    const socket = knock(environment.port);
    socket.write(request + raw('{"smuggled":true}'));
    expect(statuses(await socket.closed)).toEqual([400]);
    expect(environment.deliveries).toEqual([]);
    expect((await environment.post('{}')).status).toBe(202);
  });

  it('a content type given twice is none', async () => {
    const environment = await openEnvironment();
    const socket = knock(environment.port);
    socket.write(raw('{}', { 'Content-Type': 'text/plain', connection: 'close' }));
    expect(statuses(await socket.closed)).toEqual([415]);
  });

  it('a token given twice proves nothing, whichever of the two is right', async () => {
    const environment = await openEnvironment();
    const socket = knock(environment.port);
    socket.write(raw('{}', { Authorization: 'Bearer wrong', connection: 'close' }));
    expect(statuses(await socket.closed)).toEqual([401]);
  });

  it('other headers that came twice reach the route as their last', async () => {
    const environment = await openEnvironment();
    const socket = knock(environment.port);
    socket.write(raw('{}', { 'x-key': 'a', 'X-Key': 'b', ['__proto__']: 'c', connection: 'close' }));
    expect(statuses(await socket.closed)).toEqual([202]);
    expect(environment.deliveries[0]?.headers['x-key']).toBe('b');
    expect(Object.getPrototypeOf(environment.deliveries[0]?.headers)).toBe(Object.prototype);
  });
});

it('whatever a socket sends, the server continues, and nothing counts as an internal error', async () => {
  const environment = await openEnvironment();
  const request = raw('{"a":1}', { 'content-encoding': 'gzip', connection: 'close' });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(request.length - 1), fc.nat(255)), { maxLength: 4 }),
      fc.uint8Array({ maxLength: 40 }),
      async (changes, tail) => {
        const bytes = Buffer.from(request, 'latin1');
        for (const [at, byte] of changes) bytes[at] = byte;
        const socket = knock(environment.port);
        socket.write(Buffer.concat([bytes, tail]));
        // Some of it is the beginning of a request: then nothing comes, until the sender hangs up.
        socket.end();
        for (const status of statuses(await socket.closed)) expect(status).toBeLessThan(500);
      },
    ),
    { numRuns: 60 },
  );
  expect(environment.lines.filter(({ level }) => level === 'error')).toEqual([]);
  expect((await environment.post('{}')).status).toBe(202);
});

describe('headers without end', () => {
  it.each([
    ['one that is too long', raw('{}', { 'x-long': 'a'.repeat(20_000) })],
    ['a path that is too long', raw('{}', {}, `POST /${'a'.repeat(20_000)} HTTP/1.1`)],
    [
      'too many of them',
      raw('{}', Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x-${at}`, '1']))),
    ],
  ])('%s: 431', async (_name, request) => {
    const environment = await openEnvironment();
    const socket = knock(environment.port);
    socket.write(request);
    const text = await socket.until((text) => text.includes('}'));
    expect(statuses(text)).toEqual([431]);
    expect(text).toContain('"code":"HEADERS_TOO_LONG"');
    expect(environment.deliveries).toEqual([]);
  });
});

describe('pipelined requests', () => {
  it('are answered in their order, whichever is done first', async () => {
    let letFirstGo: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      letFirstGo = resolve;
    });
    const environment = await openEnvironment({
      accept: async (_route, drafts) => {
        if (drafts[0]?.id === '1') await first;
        else letFirstGo();
        return drafts.map(({ id }) => ({ id, duplicate: false }));
      },
    });
    const socket = knock(environment.port);
    socket.write(raw('1') + raw('22') + raw('333', { connection: 'close' }));
    const text = await socket.closed;
    expect(statuses(text)).toEqual([202, 202, 202]);
    expect([...text.matchAll(/"id":"(\d)"/g)].map(([, id]) => id)).toEqual(['1', '2', '3']);
  });

  it.each([
    ['garbage', '\x00garbage\r\n\r\n'],
    [
      'a request with a broken body',
      raw('zz\r\n').replace(/content-length: \d+/, 'transfer-encoding: chunked'),
    ],
    [
      'a request with a broken body, half of it fine',
      raw('1\r\n{\r\nzz\r\n').replace(/content-length: \d+/, 'transfer-encoding: chunked'),
    ],
  ])('%s behind a request does not become its answer', async (_name, behind) => {
    let accept: () => void = () => undefined;
    const accepted = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const environment = await openEnvironment({
      accept: async () => {
        await accepted;
        return [{ id: 'e1', duplicate: false }];
      },
    });
    const socket = knock(environment.port);
    socket.write(raw('{}') + behind);
    await until('the garbage was seen', () =>
      environment.lines.some(({ fields }) => fields.code === 'BAD_REQUEST'),
    );
    accept();
    const text = await socket.closed;
    expect(statuses(text)).toEqual([202]);
    expect(text).toContain('"id":"e1"');
  });

  it('a body that is not wanted does not become a request', async () => {
    const environment = await openEnvironment();
    const socket = knock(environment.port);
    socket.write(raw(raw('{"smuggled":true}'), { authorization: 'Bearer wrong' }));
    expect(statuses(await socket.closed)).toEqual([401]);
    expect(environment.deliveries).toEqual([]);
  });
});
