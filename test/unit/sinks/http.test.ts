// The HTTP sink against a real receiver: what arrives, what each answer means, and what hostile receivers can not do.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HttpSink } from '../../../src/contracts/config.ts';
import type { SinkEvent } from '../../../src/contracts/events.ts';
import { freePort } from '../../../src/runtime/ports.ts';
import { openSink } from '../../../src/sinks/index.ts';
import type { Sent, Sink, SinkError } from '../../../src/sinks/sink.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';
import { toldEvent } from './told-event.ts';

const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const FOREIGN = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

const toEnd: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of toEnd.splice(0).toReversed()) await end();
});

async function receiver(
  answer?: (response: ServerResponse, received: Received) => unknown,
): Promise<Receiver> {
  const started = await startReceiver(answer);
  toEnd.push(() => started.stop());
  return started;
}

/** A socket server that speaks no HTTP by itself. */
async function rawReceiver(onData: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => onData(socket));
    toEnd.push(async () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  toEnd.unshift(async () => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/sluice`;
}

async function sinkOn(url: string, options: Partial<HttpSink> = {}, secrets = [OLD]): Promise<Sink> {
  const sink = await openSink(
    {
      type: 'http',
      url,
      secrets: secrets.map((_, n) => `env:KEY_${n}`),
      timeout: '5s',
      concurrency: 4,
      retry: ['1s'],
      ...options,
    },
    {
      name: 'crm',
      secret: async (ref) => secrets[Number(ref.slice('env:KEY_'.length))] as string,
      baseDir: '/nowhere',
      log: () => undefined,
    },
  );
  toEnd.push(() => sink.close());
  return sink;
}

const never = () => new AbortController().signal;
const send = async (sink: Sink, ...events: SinkEvent[]) => await sink.send(events, { signal: never() });
const errorOf = (sent: Sent | undefined) => (sent as { error: SinkError }).error;

describe('an event that is posted', () => {
  it('is what the reference library of Standard Webhooks accepts, with the secret that goes and with the one that comes', async () => {
    const { url, received } = await receiver();
    const event = toldEvent({ n: 1, body: 'Olá, \ud83d "quoted" \u0000 😀' });
    expect(await send(await sinkOn(url, {}, [OLD, NEW]), event)).toEqual([{ state: 'sent' }]);
    const [{ method, path, headers, body } = {} as Received] = received;
    expect([method, path, headers['content-type']]).toEqual([
      'POST',
      '/hooks/sluice',
      'application/cloudevents+json; charset=UTF-8',
    ]);
    const signed = headers as Record<string, string>;
    for (const secret of [OLD, NEW]) expect(new Webhook(secret).verify(body, signed)).toEqual(event);
    expect(() => new Webhook(FOREIGN).verify(body, signed)).toThrow('No matching signature');
    expect(() => new Webhook(OLD).verify(`${body} `, signed)).toThrow('No matching signature');
    expect(signed['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(signed['webhook-id']).toBe(event.id);
  });

  const ids: [id: string, header: string | RegExp][] = [
    ['acme/7/id:3EB0.C7/received', 'acme/7/id:3EB0%2EC7/received'],
    ['a%2Eb', 'a%252Eb'],
    ['naïve\r\nx-evil: 1', 'na%C3%AFve%0D%0Ax-evil:%201'],
    ['é'.repeat(300), /^sha256:[0-9a-f]{64}$/],
  ];
  it.each(ids)('with the id %j carries a header without a full stop that verifies', async (id, header) => {
    const { url, received } = await receiver();
    const event = toldEvent({ n: 1, id });
    await send(await sinkOn(url), event);
    const [{ headers, body } = {} as Received] = received;
    expect(headers['webhook-id']).toEqual(
      typeof header === 'string' ? header : expect.stringMatching(header),
    );
    expect(new Webhook(OLD).verify(body, headers as Record<string, string>)).toEqual(event);
    expect(headers['x-evil']).toBeUndefined();
  });

  it('that is repeated has the same id', async () => {
    const { url, received } = await receiver();
    const sink = await sinkOn(url);
    await send(sink, toldEvent({ n: 1 }));
    await send(sink, toldEvent({ n: 1 }));
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('uses the connection of the one before it', async () => {
    const { url, connections } = await receiver((response) => response.writeHead(200).end('thanks'));
    const sink = await sinkOn(url, { concurrency: 1 });
    await send(sink, ...[1, 2, 3, 4].map((n) => toldEvent({ n, conversation: n })));
    await send(sink, toldEvent({ n: 5 }));
    expect(connections()).toBe(1);
  });

  it.each(['whsec_', 'whsec_not base64', 'aaaaa', ''])(
    'needs a key: %j is refused before anything is sent',
    async (secret) => {
      const refused = await sinkOn('http://127.0.0.1:1/', {}, [OLD, secret]).catch((error: unknown) => error);
      expect(refused).toMatchObject({ name: 'SinkError', code: 'BAD_SECRET', retryable: false });
      const { message } = refused as Error;
      expect(message).toContain('sink crm: the secret env:KEY_1');
      if (secret.startsWith('whsec_n')) expect(message).not.toContain(secret);
    },
  );
});

describe('an answer', () => {
  const inHalfAMinute = () => new Date(Date.now() + 30_000).toUTCString();
  type Case = [
    name: string,
    answer: { status: number; headers?: () => Record<string, string> },
    error: Partial<SinkError>,
  ];
  const later = { retryable: true, sinkWide: true };
  const cases: Case[] = [
    [
      '301 is no delivery',
      { status: 301, headers: () => ({ location: '/elsewhere' }) },
      { code: 'HTTP_301', ...later },
    ],
    [
      '307 is no delivery',
      { status: 307, headers: () => ({ location: '/elsewhere' }) },
      { code: 'HTTP_307', ...later },
    ],
    ['304 is no delivery', { status: 304 }, { code: 'HTTP_304', ...later }],
    ['400 is about this event', { status: 400 }, { code: 'HTTP_400', retryable: true, sinkWide: false }],
    ['401 waits for whoever mends the endpoint', { status: 401 }, { code: 'HTTP_401', ...later }],
    ['403 waits for whoever mends the endpoint', { status: 403 }, { code: 'HTTP_403', ...later }],
    ['404 waits for whoever mends the endpoint', { status: 404 }, { code: 'HTTP_404', ...later }],
    ['405 waits for whoever mends the endpoint', { status: 405 }, { code: 'HTTP_405', ...later }],
    ['409 is about this event', { status: 409 }, { code: 'HTTP_409', retryable: true, sinkWide: false }],
    ['410 ends the sink', { status: 410 }, { code: 'GONE', retryable: false, sinkWide: true }],
    ['413 ends this event', { status: 413 }, { code: 'HTTP_413', retryable: false, sinkWide: false }],
    ['422 is about this event', { status: 422 }, { code: 'HTTP_422', retryable: true, sinkWide: false }],
    ['429 alone names no time', { status: 429 }, { code: 'HTTP_429', ...later, retryAfterMs: null }],
    [
      '429 with seconds names a time',
      { status: 429, headers: () => ({ 'retry-after': '7' }) },
      { code: 'HTTP_429', ...later, retryAfterMs: 7000 },
    ],
    [
      '429 with garbage names no time',
      { status: 429, headers: () => ({ 'retry-after': '-5' }) },
      { code: 'HTTP_429', ...later, retryAfterMs: null },
    ],
    [
      '429 with a date long gone asks for nothing',
      { status: 429, headers: () => ({ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }) },
      { code: 'HTTP_429', ...later, retryAfterMs: 0 },
    ],
    [
      '503 with a year is asked again in an hour',
      { status: 503, headers: () => ({ 'retry-after': '31536000' }) },
      { code: 'HTTP_503', ...later, retryAfterMs: 3_600_000 },
    ],
    [
      '503 with a date names a time',
      { status: 503, headers: () => ({ 'retry-after': inHalfAMinute() }) },
      { code: 'HTTP_503', ...later, retryAfterMs: expect.closeTo(29_000, -4) as number },
    ],
    [
      '500 is trouble of the receiver, whatever else it says',
      { status: 500, headers: () => ({ 'retry-after': '7' }) },
      { code: 'HTTP_500', ...later, retryAfterMs: null },
    ],
    ['502 is trouble of the receiver', { status: 502 }, { code: 'HTTP_502', ...later }],
  ];
  it.each(cases)('%s', async (_name, { status, headers }, expected) => {
    const { url, received } = await receiver((response) =>
      response.writeHead(status, headers?.() ?? {}).end(status === 304 ? '' : 'canary-answer'),
    );
    const event = toldEvent({ n: 1, body: 'canary-body' });
    const error = errorOf((await send(await sinkOn(url), event))[0]);
    expect(error).toMatchObject(expected);
    expect(error.message).toContain(`the event was not taken by ${url}: `);
    expect(error.message).not.toMatch(/canary|5511987654321|Bia|elsewhere/);
    expect(received).toHaveLength(1);
  });

  it.each([200, 201, 202, 204, 299])('%i takes the event', async (status) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    expect(await send(await sinkOn(url), toldEvent({ n: 1 }))).toEqual([{ state: 'sent' }]);
  });
});

describe('a receiver', () => {
  it('that never answers costs the timeout', async () => {
    const { url, received } = await receiver(() => undefined);
    const error = errorOf((await send(await sinkOn(url, { timeout: '200ms' }), toldEvent({ n: 1 })))[0]);
    expect(error).toMatchObject({ code: 'TIMEOUT', retryable: true, sinkWide: true });
    expect(received).toHaveLength(1);
  });

  it('that drips its headers costs the timeout', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const [sent] = await send(await sinkOn(url, { timeout: '300ms' }), toldEvent({ n: 1 }));
    expect(errorOf(sent)).toMatchObject({ code: 'TIMEOUT' });
  });

  it('that says 200 and drips its answer has taken the event', async () => {
    const { url, received } = await receiver((response) => response.writeHead(200).write('x'));
    expect(await send(await sinkOn(url), toldEvent({ n: 1 }))).toEqual([{ state: 'sent' }]);
    expect(received).toHaveLength(1);
  });

  it('that says 200 with an endless answer has taken the event, and is not listened to', async () => {
    let written = 0;
    const { url } = await receiver(async (response) => {
      response.writeHead(200).on('error', () => undefined);
      while (!response.destroyed && written < 5e8) {
        written += 65_536;
        response.write(Buffer.alloc(65_536));
        await delay(0);
      }
    });
    expect(await send(await sinkOn(url), toldEvent({ n: 1 }))).toEqual([{ state: 'sent' }]);
    expect(written).toBeLessThan(5e7);
  });

  it('that says 200 and breaks off in its answer has taken the event', async () => {
    const url = await rawReceiver((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy()),
    );
    expect(await send(await sinkOn(url), toldEvent({ n: 1 }))).toEqual([{ state: 'sent' }]);
  });

  const bad: [name: string, answer: string | null, code: string][] = [
    ['breaks off before an answer', null, 'UNREACHABLE'],
    ['breaks off in its headers', 'HTTP/1.1 200 OK\r\nx: ', 'UNREACHABLE'],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'NOT_HTTP'],
    ['has endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 'NOT_HTTP'],
  ];
  it.each(bad)('that %s has taken nothing', async (_name, answer, code) => {
    const url = await rawReceiver((socket) => socket.end(answer ?? ''));
    const error = errorOf((await send(await sinkOn(url), toldEvent({ n: 1 })))[0]);
    expect(error).toMatchObject({ code, retryable: true, sinkWide: true });
    expect(error.message).toContain(url);
  });

  it('that is not there, or can not prove who it is, is named with what to do', async () => {
    const port = await freePort();
    const gone = errorOf((await send(await sinkOn(`http://127.0.0.1:${port}/a`), toldEvent({ n: 1 })))[0]);
    expect(gone).toMatchObject({ code: 'UNREACHABLE', sinkWide: true });
    expect(gone.message).toContain('nothing listens there [ECONNREFUSED]');
    const { url } = await receiver();
    const plain = errorOf((await send(await sinkOn(url.replace('http:', 'https:')), toldEvent({ n: 1 })))[0]);
    expect(plain).toMatchObject({ code: 'TLS', retryable: true, sinkWide: true });
  });

  it('that redirects elsewhere does not get the event sent there', async () => {
    const other = await receiver();
    const { url } = await receiver((response) => response.writeHead(308, { location: other.url }).end());
    expect(errorOf((await send(await sinkOn(url), toldEvent({ n: 1 })))[0]).code).toBe('HTTP_308');
    expect(other.received).toEqual([]);
  });
});

describe('a sending', () => {
  it('is given up at once by whoever asks: what is under way fails, the rest is skipped', async () => {
    const cancel = new AbortController();
    const { url, received } = await receiver(() => cancel.abort('enough'));
    const sink = await sinkOn(url, { concurrency: 1 });
    const sent = await sink.send(
      [1, 2, 3].map((n) => toldEvent({ n, conversation: n })),
      { signal: cancel.signal },
    );
    expect(sent).toMatchObject([
      { state: 'failed', error: { code: 'GIVEN_UP', retryable: true, sinkWide: false } },
      { state: 'skipped' },
      { state: 'skipped' },
    ]);
    expect(received).toHaveLength(1);
  });

  it('ends when the sink is closed, which takes no further event', async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { url, open } = await receiver(() => arrived());
    const sink = await sinkOn(url);
    const sending = send(sink, toldEvent({ n: 1 }));
    await arrival;
    await sink.close();
    expect(errorOf((await sending)[0]).code).toBe('CLOSED');
    expect(errorOf((await send(sink, toldEvent({ n: 2 })))[0]).code).toBe('CLOSED');
    await vi.waitUntil(() => open() === 0);
  });

  it('meets a receiver in trouble once, not once an event', async () => {
    const { url, received } = await receiver((response) => response.writeHead(503).end());
    const sent = await send(
      await sinkOn(url, { concurrency: 2 }),
      ...Array.from({ length: 20 }, (_, n) => toldEvent({ n, conversation: n })),
    );
    expect(received.length).toBeLessThanOrEqual(2);
    expect(sent.filter(({ state }) => state === 'failed')).toHaveLength(received.length);
    expect(sent.filter(({ state }) => state === 'skipped')).toHaveLength(20 - received.length);
  });
});
