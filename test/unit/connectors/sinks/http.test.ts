// The HTTP sink against a real receiver: what arrives, and what each answer means.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { SinkError } from '../../../../src/connectors/sinks/sink.ts';
import { errorOf, FOREIGN, httpContext, NEW, OLD, send } from './http-context.ts';
import { publishedEvent } from './published-event.ts';
import type { Received } from './receiver.ts';

const { receiver, sinkOn } = httpContext();

describe('an event that is posted', () => {
  it('is what the reference library of Standard Webhooks accepts, with the secret that goes and with the one that comes', async () => {
    const { url, received } = await receiver();
    const event = publishedEvent({ n: 1, body: 'Olá, \ud83d "quoted" \u0000 😀' });
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
    const event = publishedEvent({ n: 1, id });
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
    await send(sink, publishedEvent({ n: 1 }));
    await send(sink, publishedEvent({ n: 1 }));
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('uses the connection of the one before it', async () => {
    const { url, connections } = await receiver((response) => response.writeHead(200).end('thanks'));
    const sink = await sinkOn(url, { concurrency: 1 });
    await send(sink, ...[1, 2, 3, 4].map((n) => publishedEvent({ n, conversation: n })));
    await send(sink, publishedEvent({ n: 5 }));
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
    const event = publishedEvent({ n: 1, body: 'canary-body' });
    const error = errorOf((await send(await sinkOn(url), event))[0]);
    expect(error).toMatchObject(expected);
    expect(error.message).toContain(`${url} did not accept the event: `);
    expect(error.message).not.toMatch(/canary|5511987654321|Bia|elsewhere/);
    expect(received).toHaveLength(1);
  });

  it.each([200, 201, 202, 204, 299])('%i takes the event', async (status) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    expect(await send(await sinkOn(url), publishedEvent({ n: 1 }))).toEqual([{ state: 'sent' }]);
  });
});
