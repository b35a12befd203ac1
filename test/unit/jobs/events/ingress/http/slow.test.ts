// Senders that take their time. The server searches for them every half second, so these tests take about as long.
import { describe, expect, it } from 'vitest';
import { until } from '../../../../../support/until.ts';
import { knock, openEnvironment, raw } from './environment.ts';

describe('FAULTS 34: a sender that never comes to an end', () => {
  it('is closed with 408, while others are served', async () => {
    const environment = await openEnvironment({ http: { headersTimeout: '100ms', bodyTimeout: '200ms' } });
    const request = raw('{"phone":"x"}');
    const slow = [
      ['says nothing', ''],
      ['stops in the start line', 'POST /hooks'],
      ['stops in the headers', request.slice(0, 60)],
      ['stops before the body', request.slice(0, -13)],
      ['stops in the body', request.slice(0, -3)],
      ['stops in a chunk', `${raw('').replace('content-length: 0', 'transfer-encoding: chunked')}5\r\n{"a`],
    ].map(([name, text]) => {
      const socket = knock(environment.port);
      if (text !== '') socket.write(text as string);
      return { name, socket };
    });
    expect((await environment.post('{}')).status).toBe(202);
    for (const { name, socket } of slow) {
      const text = await socket.closed;
      expect(text, name).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/);
      expect(text, name).toContain('"code":"TOO_SLOW"');
    }
    expect((await environment.post('{}')).status).toBe(202);
    expect(environment.deliveries).toHaveLength(2);
  });

  it('is closed even when it drips a byte now and then', async () => {
    const environment = await openEnvironment({ http: { headersTimeout: '100ms', bodyTimeout: '200ms' } });
    const socket = knock(environment.port);
    const bytes = [...raw('{}', { 'x-slow': 'a'.repeat(5000) })];
    const drip = setInterval(() => socket.write(bytes.shift() ?? ''), 5);
    try {
      expect(await socket.closed).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      clearInterval(drip);
    }
    expect(environment.deliveries).toEqual([]);
  });

  it('a slow acceptance is not a slow sender', async () => {
    let accept: () => void = () => undefined;
    const accepted = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const environment = await openEnvironment({
      http: { headersTimeout: '100ms', bodyTimeout: '100ms' },
      accept: async () => {
        await accepted;
        return [{ id: 'e1', duplicate: false }];
      },
    });
    const answer = environment.post('{}');
    const witness = knock(environment.port);
    witness.write('POST');
    await witness.closed;
    accept();
    expect((await answer).status).toBe(202);
  });
});

it('connections beyond the maximum are dropped, and a new one is accepted after one ends', async () => {
  const environment = await openEnvironment({ http: { maxConnections: 2 } });
  const owner = [knock(environment.port), knock(environment.port)];
  for (const socket of owner) {
    socket.write(raw('{}'));
    await socket.until((text) => text.includes('received'));
  }
  expect(await knock(environment.port).closed).toBe('');
  expect(await environment.figures()).toMatch(/connections 2\n/);
  owner[0]?.destroy();
  await until('a connection is free', async () => /connections 1\n/.test(await environment.figures()));
  expect((await environment.post('{}')).status).toBe(202);
});
