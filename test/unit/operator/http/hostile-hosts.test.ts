// Requests that name another host than the server, or none that can be compared, as strangers write them on the wire.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_PREFIX, type Endpoint } from '../../../../src/core/endpoint.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { type AdminListener, listenForAdmin } from '../../../../src/observe/admin.ts';
import { ENDPOINTS } from '../../../../src/operator/contract/index.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { addUser, openBrowser, startServer, type TestServer } from '../identity/http-context.ts';

let db: Database;
let server: TestServer;
let admin: AdminListener;
let cookie: string;
beforeAll(async () => {
  db = await testLedger();
  server = await startServer(db);
  await addUser(db, 'ana', 'admin');
  const ana = openBrowser(server);
  await ana.login('ana');
  cookie = [...ana.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  admin = await listenForAdmin({
    host: '127.0.0.1',
    port: 0,
    metrics: async () => 'calls_total 1\n',
    health: () => ({}),
    isClosing: () => false,
    onError: () => undefined,
  });
});
afterAll(async () => {
  await server?.close();
  await admin?.close();
});

/** @param lines after the first one, without those that every request has */
async function answerOf(port: number, first: string, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${[first, ...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  return await text(socket);
}
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

/** `PORT` is the port of the server. */
const INVALID = [
  ['a user', ['evil@127.0.0.1:PORT'], 'HOST_INVALID'],
  ['a user that is a host', ['evil.example:80@localhost:PORT'], 'HOST_INVALID'],
  ['a path', ['localhost/evil.example'], 'HOST_INVALID'],
  ['a query', ['localhost:PORT?evil'], 'HOST_INVALID'],
  ['a fragment', ['localhost#@evil.example'], 'HOST_INVALID'],
  ['a space', ['localhost evil.example'], 'HOST_INVALID'],
  ['a list', ['localhost:PORT, evil.example'], 'HOST_INVALID'],
  ['a dot at the end', ['localhost.:PORT'], 'HOST_INVALID'],
  ['a zone', ['[::1%25lo]:PORT'], 'HOST_INVALID'],
  ['another notation', ['2130706433:PORT'], 'HOST_INVALID'],
  ['a percent', ['%6cocalhost:PORT'], 'HOST_INVALID'],
  ['nothing', [''], 'HOST_INVALID'],
  ['two headers', ['localhost:PORT', 'evil.example'], 'HOST_TWICE'],
  ['two equal headers', ['localhost:PORT', 'localhost:PORT'], 'HOST_TWICE'],
] as const;

describe.each([
  ['the operator API', () => server.port, `${API_PREFIX}/session`],
  ['the admin listener', () => admin.port, '/metrics'],
] as const)('%s', (_name, portOf, path) => {
  const ask = async (target: string, hosts: readonly string[]) => {
    const fill = (part: string) => part.replaceAll('PORT', String(portOf()));
    return await answerOf(
      portOf(),
      `GET ${fill(target)} HTTP/1.1`,
      hosts.map((host) => `Host: ${fill(host)}`),
    );
  };

  it.each(INVALID)('refuses a Host with %s', async (_what, hosts, code) => {
    const answer = await ask(path, hosts);
    expect([statusOf(answer), answer]).toEqual([400, expect.stringContaining(`"${code}"`)]);
  });

  it.each([`http://evil.example${path}`, `http://evil@localhost:PORT${path}`, `http://localhost:1${path}`])(
    'refuses the target %s for the host localhost',
    async (target) => {
      const answer = await ask(target, ['localhost:PORT']);
      expect([statusOf(answer), answer]).toEqual([400, expect.stringContaining('"HOST_DIFFERS"')]);
    },
  );

  it.each(['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'LocalHost'])('answers to %s', async (host) => {
    expect(statusOf(await ask(path, [host]))).toBe(200);
    // The admin listener has no page for a whole address.
    expect([200, 404]).toContain(statusOf(await ask(`http://${host}${path}`, [host])));
  });

  it('refuses a request without a host, also of HTTP/1.0', async () => {
    expect(statusOf(await answerOf(portOf(), `GET ${path} HTTP/1.1`, []))).toBe(400);
    expect(statusOf(await answerOf(portOf(), `GET ${path} HTTP/1.0`, []))).toBe(400);
  });
});

describe('a page whose name resolves to this machine', () => {
  const routes = Object.entries<Endpoint>(ENDPOINTS).map(([route]): [string, string] => {
    const [method = '', path = ''] = route.split(' ');
    return [method, API_PREFIX + path.replace(/\{\w+\}/g, 'x')];
  });

  it.each<[string, string]>([
    ...routes,
    ['GET', `${API_PREFIX}/openapi.json`],
    ['GET', `${API_PREFIX}/changes`],
    ['GET', '/auth/oidc'],
    ['GET', '/auth/oidc/callback'],
    ['GET', '/'],
    ['GET', '/assets/x.js'],
    ['OPTIONS', `${API_PREFIX}/session`],
    ['TRACE', '/'],
  ])('gets nothing from %s %s of the operator API', async (method, path) => {
    const host = `rebind.example:${server.port}`;
    const lines = [
      `Host: ${host}`,
      `Origin: http://${host}`,
      'Sec-Fetch-Site: same-origin',
      `Cookie: ${cookie}`,
    ];
    const answer = await answerOf(server.port, `${method} ${path} HTTP/1.1`, lines);
    expect([statusOf(answer), answer]).toEqual([403, expect.stringContaining('FOREIGN_HOST')]);
  });

  it.each(['/metrics', '/healthz', '/readyz', '/'])(
    'gets nothing from %s of the admin listener',
    async (path) => {
      const lines = [`Host: rebind.example:${admin.port}`];
      expect(statusOf(await answerOf(admin.port, `GET ${path} HTTP/1.1`, lines))).toBe(403);
    },
  );
});
