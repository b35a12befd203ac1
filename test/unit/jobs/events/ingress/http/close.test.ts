import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { IngressHttp } from '../../../../../../src/jobs/events/ingress/config.ts';
import { createHttpIngress } from '../../../../../../src/jobs/events/ingress/http/index.ts';
import { createHttpMetrics } from '../../../../../../src/observe/metrics/http.ts';
import { until } from '../../../../../support/until.ts';
import { knock, openEnvironment, raw } from './environment.ts';

/** An acceptance that holds everything until it is let go. */
function latch() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, wait: () => opened };
}

const refusesConnections = (url: string) =>
  fetch(`${url}/openapi.json`).then(
    () => false,
    () => true,
  );

describe('closing', () => {
  it('gives requests under way their answer, and the connection ends with it', async () => {
    const { open, wait } = latch();
    const environment = await openEnvironment({
      accept: async () => {
        await wait();
        return [{ id: 'e1', duplicate: false }];
      },
    });
    const socket = knock(environment.port);
    socket.write(raw('{}'));
    await until('the event is read', () => environment.deliveries.length === 1);
    const closed = environment.ingress.close();
    await until('nobody new comes in', () => refusesConnections(environment.url));
    open();
    const text = await socket.closed;
    expect(text).toMatch(/^HTTP\/1\.1 202 /);
    expect(text).toMatch(/\r\nConnection: close\r\n/);
    await closed;
  });

  it('ends connections that wait for nothing at once, also those that never asked', async () => {
    const environment = await openEnvironment();
    const [used, fresh] = [knock(environment.port), knock(environment.port)];
    used?.write(raw('{}'));
    await used?.until((text) => text.includes('received'));
    await until('both are open', async () => /connections 2\n/.test(await environment.figures()));
    await environment.ingress.close();
    expect([(await used?.closed)?.match(/HTTP/g)?.length, await fresh?.closed]).toEqual([1, '']);
  });

  it('lets a request that is half here come to its end', async () => {
    const environment = await openEnvironment();
    const socket = knock(environment.port);
    const request = raw('{"a":1}');
    socket.write(request.slice(0, -3));
    await until('it has begun', async () => /connections 1\n/.test(await environment.figures()));
    const other = await environment.post('{}', { connection: 'close' });
    expect(other.status).toBe(202);
    const closed = environment.ingress.close();
    await until('nobody new comes in', () => refusesConnections(environment.url));
    socket.write(request.slice(-3));
    expect(await socket.closed).toMatch(/^HTTP\/1\.1 202 [\s\S]*\r\nConnection: close\r\n/);
    await closed;
  });

  it('answers pipelined requests that are under way, and then ends', async () => {
    const { open, wait } = latch();
    const environment = await openEnvironment({
      accept: async (_route, drafts) => {
        await wait();
        return drafts.map(({ id }) => ({ id, duplicate: false }));
      },
    });
    const socket = knock(environment.port);
    socket.write(raw('1') + raw('22'));
    await until('both are read', () => environment.deliveries.length === 2);
    const closed = environment.ingress.close();
    open();
    expect((await socket.closed).match(/HTTP\/1\.1 202 /g)).toHaveLength(2);
    await closed;
  });

  it('cuts what does not end in time', async () => {
    const environment = await openEnvironment({ graceMs: 50, accept: () => new Promise(() => undefined) });
    const socket = knock(environment.port);
    socket.write(raw('{}'));
    await until('the event is read', () => environment.deliveries.length === 1);
    await environment.ingress.close();
    expect(await socket.closed).toBe('');
    expect(environment.lines).toMatchObject([{ level: 'warn', fields: { connections: 1 } }]);
  });

  it('is not ready from its beginning, while requests under way still get their answer', async () => {
    const { open, wait } = latch();
    const environment = await openEnvironment({
      accept: async () => {
        await wait();
        return [{ id: 'e1', duplicate: false }];
      },
    });
    const socket = knock(environment.port);
    socket.write(raw('{}'));
    await until('the event is read', () => environment.deliveries.length === 1);
    const closed = environment.ingress.close();
    expect(await environment.ingress.readiness()).toEqual({
      ready: false,
      code: 'CLOSING',
      error: 'the server is shutting down; send it again',
    });
    open();
    await closed;
  });

  it('may be asked for twice', async () => {
    const environment = await openEnvironment();
    await Promise.all([environment.ingress.close(), environment.ingress.close()]);
    await environment.ingress.close();
    expect(await refusesConnections(environment.url)).toBe(true);
  });

  it('of a server that never listened is over at once', async () => {
    const ingress = createHttpIngress({
      http: IngressHttp.parse({}),
      routes: [],
      acceptance: {} as never,
      storeUpload: {} as never,
      log: console,
      metrics: createHttpMetrics(new Registry()),
    });
    await expect(ingress.close()).resolves.toBeUndefined();
  });
});
