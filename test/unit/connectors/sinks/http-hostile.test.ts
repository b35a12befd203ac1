// The HTTP sink against receivers that hang, drip, break off or talk too much; giving up, and closing.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../../src/core/net/ports.ts';
import { errorOf, httpContext, send } from './http-context.ts';
import { publishedEvent } from './published-event.ts';

const { receiver, rawReceiver, sinkOn } = httpContext();

describe('a receiver', () => {
  it('that never answers costs the timeout', async () => {
    const { url, received } = await receiver(() => undefined);
    const error = errorOf((await send(await sinkOn(url, { timeout: '200ms' }), publishedEvent({ n: 1 })))[0]);
    expect(error).toMatchObject({ code: 'TIMEOUT', retryable: true, sinkWide: true });
    expect(received).toHaveLength(1);
  });

  it('that drips its headers costs the timeout', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const [sent] = await send(await sinkOn(url, { timeout: '300ms' }), publishedEvent({ n: 1 }));
    expect(errorOf(sent)).toMatchObject({ code: 'TIMEOUT' });
  });

  it('that says 200 and drips its answer has taken the event', async () => {
    const { url, received } = await receiver((response) => response.writeHead(200).write('x'));
    expect(await send(await sinkOn(url), publishedEvent({ n: 1 }))).toEqual([{ state: 'sent' }]);
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
    expect(await send(await sinkOn(url), publishedEvent({ n: 1 }))).toEqual([{ state: 'sent' }]);
    expect(written).toBeLessThan(5e7);
  });

  it('that says 200 and breaks off in its answer has taken the event', async () => {
    const url = await rawReceiver((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy()),
    );
    expect(await send(await sinkOn(url), publishedEvent({ n: 1 }))).toEqual([{ state: 'sent' }]);
  });

  const bad: [name: string, answer: string | null, code: string][] = [
    ['breaks off before an answer', null, 'UNREACHABLE'],
    ['breaks off in its headers', 'HTTP/1.1 200 OK\r\nx: ', 'UNREACHABLE'],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'NOT_HTTP'],
    ['has endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 'NOT_HTTP'],
  ];
  it.each(bad)('that %s has taken nothing', async (_name, answer, code) => {
    const url = await rawReceiver((socket) => socket.end(answer ?? ''));
    const error = errorOf((await send(await sinkOn(url), publishedEvent({ n: 1 })))[0]);
    expect(error).toMatchObject({ code, retryable: true, sinkWide: true });
    expect(error.message).toContain(url);
  });

  it('that is not there, or can not prove who it is, is named with what to do', async () => {
    const port = await freePort();
    const gone = errorOf(
      (await send(await sinkOn(`http://127.0.0.1:${port}/a`), publishedEvent({ n: 1 })))[0],
    );
    expect(gone).toMatchObject({ code: 'UNREACHABLE', sinkWide: true });
    expect(gone.message).toContain('no server listens there [ECONNREFUSED]');
    const { url } = await receiver();
    const plain = errorOf(
      (await send(await sinkOn(url.replace('http:', 'https:')), publishedEvent({ n: 1 })))[0],
    );
    expect(plain).toMatchObject({ code: 'TLS', retryable: true, sinkWide: true });
  });

  it('that redirects elsewhere does not get the event sent there', async () => {
    const other = await receiver();
    const { url } = await receiver((response) => response.writeHead(308, { location: other.url }).end());
    expect(errorOf((await send(await sinkOn(url), publishedEvent({ n: 1 })))[0]).code).toBe('HTTP_308');
    expect(other.received).toEqual([]);
  });
});

describe('a sending', () => {
  it('is given up at once by whoever asks: what is under way fails, the rest is skipped', async () => {
    const cancel = new AbortController();
    const { url, received } = await receiver(() => cancel.abort('enough'));
    const sink = await sinkOn(url, { concurrency: 1 });
    const sent = await sink.send(
      [1, 2, 3].map((n) => publishedEvent({ n, conversation: n })),
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
    const sending = send(sink, publishedEvent({ n: 1 }));
    await arrival;
    await sink.close();
    expect(errorOf((await sending)[0]).code).toBe('CLOSED');
    expect(errorOf((await send(sink, publishedEvent({ n: 2 })))[0]).code).toBe('CLOSED');
    await vi.waitUntil(() => open() === 0);
  });

  it('meets a receiver in trouble once, not once an event', async () => {
    const { url, received } = await receiver((response) => response.writeHead(503).end());
    const sent = await send(
      await sinkOn(url, { concurrency: 2 }),
      ...Array.from({ length: 20 }, (_, n) => publishedEvent({ n, conversation: n })),
    );
    expect(received.length).toBeLessThanOrEqual(2);
    expect(sent.filter(({ state }) => state === 'failed')).toHaveLength(received.length);
    expect(sent.filter(({ state }) => state === 'skipped')).toHaveLength(20 - received.length);
  });
});
