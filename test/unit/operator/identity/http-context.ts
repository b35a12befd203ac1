// A server of the operator API with logins on a free port, and browsers that keep cookies as real ones do.
import { request } from 'undici';
import type { LoadedConfig } from '../../../../src/config/load.ts';
import { OperatorConfig, type OperatorHttp } from '../../../../src/config/schema/operator.ts';
import type { Role } from '../../../../src/core/endpoint.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { createApp } from '../../../../src/operator/http/app.ts';
import { createHttpIdentity } from '../../../../src/operator/http/identity.ts';
import { type Listener, listen } from '../../../../src/operator/http/listen.ts';
import { createPasswords } from '../../../../src/operator/identity/passwords.ts';
import { auditLog } from '../../../../src/operator/service/audit.ts';
import type { OperatorDeps } from '../../../../src/operator/service/deps.ts';
import { createDispatch } from '../../../../src/operator/service/dispatch.ts';
import { identityHandlers } from '../../../../src/operator/service/identity/index.ts';
import { createUser } from '../../../../src/operator/store/identity/users.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';

export const PASSWORD = 'correct horse battery';
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** One hash for all tests. */
const hashed = createPasswords().hash(PASSWORD);

export interface TestServer extends Listener {
  /** Changes what `operator` of sluice.yaml says. */
  configure(operator: object): void;
}

export async function startServer(
  db: Database,
  operator: { http?: object } = {},
  { bodyMs }: { readonly bodyMs?: number } = {},
): Promise<TestServer> {
  let config = OperatorConfig.parse(operator);
  const loaded = (): LoadedConfig =>
    ({ config: { operator: config }, secret: async () => ({ value: 'secret', warnings: [] }) }) as never;
  const deps = { db, config: loaded, log: SILENT } as Partial<OperatorDeps> as OperatorDeps;
  const dispatch = createDispatch({
    handlers: identityHandlers(deps) as never,
    audit: auditLog(db),
    log: SILENT,
  });
  const http: OperatorHttp = config.http;
  const identity = createHttpIdentity({
    db,
    config: loaded,
    http,
    log: SILENT,
    ...(bodyMs !== undefined && { bodyMs }),
  });
  const app = createApp({
    ...identity,
    dispatch,
    log: SILENT,
    version: '0',
    consoleDir: '/nowhere',
    trustProxy: http.trustProxy,
    changes: { subscribe: () => () => undefined },
  });
  const listener = await listen(app, { host: '127.0.0.1', port: 0, log: SILENT });
  return {
    ...listener,
    configure: (next) => {
      config = OperatorConfig.parse(next);
    },
  };
}

export async function addUser(db: Database, name: string, role: Role = 'viewer'): Promise<void> {
  const passwordHash = await hashed;
  await createUser(db, { name, displayName: name, role, passwordHash, oidc: null, unixUser: null });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
}

type Extra = Readonly<Record<string, string | null>>;

export interface Browser {
  readonly cookies: Map<string, string>;
  /** Sends the headers that a page of the server itself would send. `null` leaves one out. */
  send(method: string, path: string, body?: object, headers?: Extra): Promise<Answer>;
  login(name: string, password?: string): Promise<Answer>;
}

export function openBrowser(server: Pick<Listener, 'url'>, origin = server.url): Browser {
  const cookies = new Map<string, string>();
  let csrf: string | null = null;

  async function send(method: string, path: string, body?: object, extra: Extra = {}): Promise<Answer> {
    const given: Extra = {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') || null,
      origin: method === 'GET' ? null : origin,
      'x-csrf-token': csrf,
      'content-type': body === undefined ? null : 'application/json',
      ...extra,
    };
    const headers = Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    );
    // `fetch` lets nobody choose Host and Sec-Fetch-Site.
    const response = await request(new URL(path, server.url), {
      method: method as 'GET',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const received = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const each of [value ?? []].flat()) received.append(name, each);
    for (const line of received.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.body.text();
    const isJson = received.get('content-type')?.includes('json') ?? false;
    return { status: response.statusCode, headers: received, text, body: isJson ? JSON.parse(text) : {} };
  }

  return {
    cookies,
    send,
    async login(name, password = PASSWORD) {
      const answer = await send('POST', '/api/v1/login', { name, password });
      csrf = (answer.body as { csrfToken?: string }).csrfToken ?? csrf;
      return answer;
    },
  };
}

/** A server over an empty ledger, a browser, and the admin `ana` who may log in. */
export async function openLogin() {
  const db = await testLedger();
  const server = await startServer(db);
  await addUser(db, 'ana', 'admin');
  return { db, server, browser: openBrowser(server), cookie: `sluice_session_${server.port}` };
}

/** Code of an error; undefined for a success. */
export const codeOf = ({ body }: { body: unknown }): string | undefined =>
  (body as { error?: { code?: string } }).error?.code;

/** Who is logged in. */
export const me = async (one: Browser): Promise<{ name: string; role: string } | null> =>
  ((await one.send('GET', '/api/v1/session')).body as { user: { name: string; role: string } | null }).user;
