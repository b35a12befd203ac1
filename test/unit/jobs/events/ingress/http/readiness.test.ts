import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { IngressHttp } from '../../../../../../src/jobs/events/ingress/config.ts';
import { createHttpIngress } from '../../../../../../src/jobs/events/ingress/http/index.ts';
import { NotAcceptedError } from '../../../../../../src/jobs/events/ingress/intake.ts';
import { createHttpMetrics } from '../../../../../../src/observe/metrics/http.ts';
import { openEnvironment, routeConfig } from './environment.ts';

describe('what operators ask', () => {
  it('reports the load of the accounts', async () => {
    const loads = [{ account: 'acme', open: 7, oldestSeconds: null, busy: 'too many' }];
    const { ingress } = await openEnvironment({ loads });
    expect(await ingress.readiness()).toEqual({ ready: true, loads });
  });

  it('reports why it is not ready without naming a host, and recovers by itself', async () => {
    let down: Error | null = new NotAcceptedError('LEDGER', 1500, 'connect ECONNREFUSED 10.1.2.3:5432');
    const { ingress } = await openEnvironment({
      ready: async () => {
        if (down !== null) throw down;
      },
    });
    expect(await ingress.readiness()).toEqual({
      ready: false,
      code: 'LEDGER',
      error: 'the database cannot accept the event now; send it again',
    });
    down = new TypeError('broken');
    await expect(ingress.readiness()).rejects.toThrow('broken');
    down = null;
    expect(await ingress.readiness()).toMatchObject({ ready: true });
  });

  it('metrics count by route and status', async () => {
    const environment = await openEnvironment();
    await environment.post('{}');
    await environment.post('{}', { authorization: 'Bearer wrong' });
    await environment.post('{}', {}, '/elsewhere');
    const text = await environment.figures();
    for (const line of [
      'sluice_ingress_http_requests_total{route="leads",status="202"} 1',
      'sluice_ingress_http_requests_total{route="leads",status="401"} 1',
      'sluice_ingress_http_requests_total{route="-",status="404"} 1',
      'sluice_ingress_http_events_total{route="leads",result="accepted"} 1',
      'sluice_ingress_http_events_total{route="leads",result="duplicate"} 0',
      'sluice_ingress_http_refused_total{route="leads",code="UNAUTHENTICATED"} 1',
      'sluice_ingress_http_refused_total{route="-",code="NOT_FOUND"} 1',
      'sluice_ingress_http_request_seconds_count{route="leads"} 2',
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
    [['/openapi.json'], /routes\.r0\.http\.path: \/openapi\.json is taken/],
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
        metrics: createHttpMetrics(new Registry()),
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
