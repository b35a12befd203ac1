// A real OpenID provider on a free port, and a person who logs in at it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, Provider } from 'oidc-provider';

export interface TestProvider {
  readonly issuer: string;
  /** What the provider says about the person who logs in, by subject. */
  readonly people: Map<string, Record<string, unknown>>;
  /** Follows the redirects of a login as this person. @returns where the provider sends the browser at the end */
  logIn(url: string, subject: string): Promise<URL>;
  close(): Promise<void>;
}

/** @param redirectUris of the client `sluice`, whose secret is `secret` */
export async function startProvider(redirectUris: string[]): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Record<string, unknown>>();
  const configuration: Configuration = {
    clients: [{ client_id: 'sluice', client_secret: 'secret', redirect_uris: redirectUris }],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'groups', 'email'] },
    pkce: { required: () => true },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    cookies: { keys: ['test'] },
  };
  const provider = new Provider(issuer, configuration);
  server.on('request', provider.callback());
  return {
    issuer,
    people,
    logIn: (url, subject) => logIn(issuer, url, subject),
    close: () => closeServer(server),
  };
}

/** The forms of the provider's own development pages: first the login, then the consent. */
async function logIn(issuer: string, begin: string, subject: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let [method, url, body] = ['GET', begin, ''];
  for (let hop = 0; hop < 20; hop++) {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(method === 'POST' && { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    [method, body] = ['GET', ''];
    if (location !== null) {
      const next = new URL(location, url);
      if (next.origin !== issuer) return next;
      url = next.href;
      continue;
    }
    const [, action] = /<form[^>]*action="([^"]+)"/.exec(page) ?? [];
    const [, prompt] = /name="prompt" value="([^"]+)"/.exec(page) ?? [];
    if (action === undefined || prompt === undefined) throw new Error(`no form: ${response.status} ${page}`);
    method = 'POST';
    url = new URL(action, url).href;
    body = new URLSearchParams({ prompt, login: subject, password: 'any' }).toString();
  }
  throw new Error('the provider redirects for ever');
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}
