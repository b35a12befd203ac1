import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { IngressHttp } from '../../../../src/contracts/config/config.ts';
import { createHttpIngress } from '../../../../src/ingress/http/index.ts';
import { NotAcceptedError } from '../../../../src/ingress/intake.ts';
import { openEnvironment, routeConfig } from './environment.ts';

describe('what operators ask', () => {
  it('healthz lives even while nothing is ready', async () => {
    const environment = await openEnvironment({
      ready: () => Promise.reject(new NotAcceptedError('TEMPORAL', 2000, 'down')),
    });
    const answer = await fetch(`${environment.url}/healthz`);
    expect([answer.status, await answer.json()]).toEqual([200, { live: true }]);
  });

  it('readyz reports the load of the accounts', async () => {
    const loads = [{ account: 'acme', open: 7, oldestSeconds: null, busy: 'too many' }];
    const environment = await openEnvironment({ loads });
    const answer = await fetch(`${environment.url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([200, { ready: true, loads }]);
    expect((await fetch(`${environment.url}/readyz`, { method: 'HEAD' })).status).toBe(200);
  });

  it('readyz reports why it is not ready, and recovers by itself', async () => {
    let down: Error | null = new NotAcceptedError('LEDGER', 1500, 'connect ECONNREFUSED 10.1.2.3:5432');
    const environment = await openEnvironment({
      ready: async () => {
        if (down !== null) throw down;
      },
    });
    const answer = await fetch(`${environment.url}/readyz`);
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '2',
      { ready: false, error: 'the database cannot accept the event now; send it again', code: 'LEDGER' },
    ]);
    down = new TypeError('broken');
    expect((await fetch(`${environment.url}/readyz`)).status).toBe(500);
    down = null;
    expect((await fetch(`${environment.url}/readyz`)).status).toBe(200);
  });

  it('readyz asked by many at once asks once', async () => {
    let asked = 0;
    const waiting: (() => void)[] = [];
    const environment = await openEnvironment({
      ready: async () => {
        asked += 1;
        await new Promise<void>((resolve) => waiting.push(resolve));
      },
    });
    const answers = Array.from({ length: 10 }, () => fetch(`${environment.url}/readyz`));
    await fetch(`${environment.url}/healthz`);
    const letGo = setInterval(() => waiting.splice(0).forEach((resolve) => resolve()), 20);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    clearInterval(letGo);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(asked).toBeLessThan(10);
  });

  it('metrics shows the whole registry, and counts by route and status', async () => {
    const environment = await openEnvironment();
    await environment.post('{}');
    await environment.post('{}', { authorization: 'Bearer wrong' });
    await environment.post('{}', {}, '/elsewhere');
    const answer = await fetch(`${environment.url}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    for (const line of [
      'sluice_ingress_http_requests_total{route="leads",status="202"} 1',
      'sluice_ingress_http_requests_total{route="leads",status="401"} 1',
      'sluice_ingress_http_requests_total{route="-",status="404"} 1',
      'sluice_ingress_http_events_total{route="leads",result="accepted"} 1',
      'sluice_ingress_http_events_total{route="leads",result="duplicate"} 0',
      'sluice_ingress_http_refused_total{route="leads",code="UNAUTHENTICATED"} 1',
      'sluice_ingress_http_refused_total{route="-",code="NOT_FOUND"} 1',
      'sluice_ingress_http_seconds_count{route="leads"} 2',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it('openapi.json describes the routes', async () => {
    const environment = await openEnvironment({ http: { publicUrl: 'https://hooks.example.com' } });
    const document = await (await fetch(`${environment.url}/openapi.json`)).json();
    expect(document).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'https://hooks.example.com' }],
      paths: { '/hooks/lead': { post: { operationId: 'leads' } } },
    });
  });
});

describe('paths', () => {
  it.each([
    [['/healthz'], /routes\.r0\.http\.path: \/healthz is taken/],
    [['/metrics'], /\/metrics is taken/],
    [['/a', '/b', '/a'], /routes\.r2\.http\.path: \/a is taken/],
    [['/a/files', '/a'], /routes\.r1\.http\.path: \/a\/files is taken/],
    [['/a', '/a/files'], /routes\.r1\.http\.path: \/a\/files is taken/],
    [[null], /routes\.r0 has no http/],
  ])('%j are not served', (paths, message) => {
    const open = () =>
      createHttpIngress({
        http: IngressHttp.parse({}),
        routes: paths.map((path, at) => ({
          secrets: [],
          route: {
            name: `r${at}`,
            // Those under /a take files.
            config: routeConfig(
              path === null ? null : { path, auth: { type: 'none' } },
              undefined,
              path === '/a' ? {} : undefined,
            ),
            read: () => Promise.reject(new Error('read')),
          },
        })),
        acceptance: {} as never,
        storeUpload: {} as never,
        log: console,
        registry: new Registry(),
      });
    expect(open).toThrow(message);
  });

  it('a port that is in use rejects', async () => {
    const environment = await openEnvironment();
    await expect(openEnvironment({ http: { port: environment.port } })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
