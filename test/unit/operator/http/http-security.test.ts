// Every endpoint of the operator API as strangers meet it: without login, with too little, from pages of other sites.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../../../src/config/load.ts';
import { OperatorConfig } from '../../../../src/config/schema/operator.ts';
import { API_PREFIX, type Endpoint, ROLES, type Role } from '../../../../src/core/endpoint.ts';
import { ENDPOINTS } from '../../../../src/operator/contract/index.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { type Browser, openBrowser } from '../identity/http-context.ts';
import { serveRoles } from '../identity/roles-context.ts';

const db = await testLedger();
const config = {
  file: '/nowhere/sluice.yaml',
  config: {
    operator: OperatorConfig.parse({ http: { port: 0 } }),
    accounts: {},
    syncs: {},
    campaigns: {},
    pollers: {},
    routes: {},
    sinks: {},
  },
} as unknown as LoadedConfig;
const { server, browser } = await serveRoles(db, () => config);
afterAll(() => server.close());

const endpoints = Object.entries<Endpoint>(ENDPOINTS).map(([route, endpoint]) => {
  const [method = '', path = ''] = route.split(' ');
  return { route, method, path: API_PREFIX + path.replace(/\{\w+\}/g, 'x'), role: endpoint.role };
});
const guarded = endpoints.filter(({ role }) => role !== 'anyone');
const commands = guarded.filter(({ method }) => method !== 'GET');
const send = (by: Browser, { method, path }: { method: string; path: string }, headers = {}) =>
  by.send(method, path, method === 'GET' ? undefined : {}, headers);
const audited = async () =>
  (
    await db.query<{ n: number }>("select count(*)::int as n from operator_audit where outcome <> 'denied'")
  )[0]?.n;

describe.each(guarded)('$route', (endpoint) => {
  it('is refused without login, and with a session or a token that nobody has', async () => {
    for (const headers of [
      {},
      { cookie: `sluice_session_${server.port}=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA` },
      { authorization: 'Bearer slu_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
      { authorization: 'Basic YWRtaW46YWRtaW4=' },
    ])
      expect((await send(openBrowser(server), endpoint, headers)).status).toBe(401);
  });

  it('is refused to every role below its own', async () => {
    const least = ROLES.indexOf(endpoint.role as Role);
    for (const role of ROLES.slice(0, least)) expect((await send(browser(role), endpoint)).status).toBe(403);
    // The role itself is let in, whatever the empty input leads to.
    const { status } = await send(browser(endpoint.role as Role), endpoint);
    if (endpoint.path !== `${API_PREFIX}/logout`) expect([401, 403]).not.toContain(status);
    else await browser(endpoint.role as Role).login(endpoint.role);
  });

  it('is refused to pages of other sites, and under a foreign name of this server', async () => {
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: 'evil.example' },
      { host: 'evil.example:8088', origin: 'http://evil.example:8088' },
      ...(endpoint.method === 'GET'
        ? []
        : [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]),
    ];
    for (const headers of foreign) expect((await send(browser('admin'), endpoint, headers)).status).toBe(403);
  });
});

describe.each(commands)('$route', (endpoint) => {
  it('is refused without a CSRF token, and with one of another session; nothing happens', async () => {
    const before = await audited();
    const other = await browser('viewer').send('GET', `${API_PREFIX}/session`);
    const { csrfToken } = other.body as { csrfToken: string };
    for (const token of [null, '', 'x', csrfToken])
      expect(await send(browser('admin'), endpoint, { 'x-csrf-token': token })).toMatchObject({
        status: 403,
        body: { error: { code: 'CSRF' } },
      });
    expect(await audited()).toBe(before);
  });
});

describe('a stranger', () => {
  it.each(['/users', '/login/', '/nothing'])(
    'loses the connection when a body for %s is refused before it came',
    async (path) => {
      const socket = connect(server.port, '127.0.0.1');
      const head = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 1000'];
      socket.write(`POST ${API_PREFIX}${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`);
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 40[14] [^]*\r\nConnection: close\r\n/);
    },
  );

  it.each(['/API/V1/session', '/Api/v1/changes'])('finds nothing at %s', async (path) => {
    const { body } = await openBrowser(server).send('GET', path);
    expect(body).not.toHaveProperty('needsFirstAdmin');
  });
});

describe('what everybody may ask', () => {
  it('is the login, and says nothing about the installation', async () => {
    expect(endpoints.filter(({ role }) => role === 'anyone').map(({ route }) => route)).toEqual([
      'GET /session',
      'POST /login',
      'POST /login/code',
      'POST /session/claim',
    ]);
    const { body } = await openBrowser(server).send('GET', `${API_PREFIX}/session`);
    expect(body).toEqual({ user: null, csrfToken: null, oidc: null, needsFirstAdmin: false });
  });

  it('is the OpenAPI document, which names every endpoint with its role', async () => {
    const { body } = await openBrowser(server).send('GET', `${API_PREFIX}/openapi.json`);
    const { paths } = body as { paths: Record<string, Record<string, { 'x-role': string }>> };
    const described = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((each) => each['x-role']),
    );
    expect(described).toHaveLength(endpoints.length);
  });

  it.each(['/changes', '/nothing', '/users/..;/users', '//users'])('is not %s', async (path) => {
    expect([401, 404]).toContain((await openBrowser(server).send('GET', API_PREFIX + path)).status);
  });
});
