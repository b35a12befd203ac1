// Login with a real OpenID provider, and what an attacker may try with its redirects.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OidcRoles } from '../../../../src/config/schema/operator.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { type Pending, readPending, signPending } from '../../../../src/operator/http/oidc-pending.ts';
import { roleOf, suggestedName } from '../../../../src/operator/identity/oidc-roles.ts';
import { hashToken } from '../../../../src/operator/identity/tokens.ts';
import { createAccessToken } from '../../../../src/operator/store/identity/sessions.ts';
import { changeUser, findUser } from '../../../../src/operator/store/identity/users.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { addUser, type Browser, openBrowser, startServer, type TestServer } from './http-context.ts';
import { startProvider, type TestProvider } from './provider.ts';

const PUBLIC = 'http://localhost:65000';
const CALLBACK = '/auth/oidc/callback';
const COOKIE = 'sluice_oidc_65000';
/** Of the configuration in http-context.ts. */
const CLIENT_SECRET = 'secret';
let provider: TestProvider;
let db: Database;
let server: TestServer;
let browser: Browser;

const oidc = (over: object = {}) => ({
  oidc: {
    issuer: provider.issuer,
    clientId: 'sluice',
    clientSecret: 'env:S',
    roles: { admin: ['ops-admins'], operator: ['ops'] },
    ...over,
  },
  http: { publicUrl: PUBLIC },
});

beforeAll(async () => {
  provider = await startProvider([PUBLIC + CALLBACK]);
});
afterAll(() => provider.close());
beforeEach(async () => {
  db = await testLedger();
  server = await startServer(db, oidc());
  browser = openBrowser(server, PUBLIC);
  provider.people.clear();
  provider.people.set('s1', { preferred_username: 'Ana', name: 'Ana Souza', groups: ['ops', 'all'] });
});
afterEach(() => server.close());

const begin = async (one = browser, then = '') =>
  (await one.send('GET', `/auth/oidc${then}`)).headers.get('location') ?? '';
const finish = async (url: URL, one = browser) => {
  const { status, headers } = await one.send('GET', url.pathname + url.search);
  return `${status} ${headers.get('location')}`;
};
const me = async (one = browser) =>
  ((await one.send('GET', '/api/v1/session')).body as { user: Record<string, string> | null }).user;

describe('a login with OpenID', () => {
  it('gives the user, the role of the groups and the page that was asked for', async () => {
    const url = await begin(browser, '?then=/campaigns/win%3Ftab=1');
    expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256');
    const back = await provider.logIn(url, 's1');
    expect(await finish(back)).toBe('303 /campaigns/win?tab=1');
    expect(await me()).toMatchObject({ name: 'ana', displayName: 'Ana Souza', role: 'operator' });
    expect([...browser.cookies.keys()]).toEqual(['sluice_session_65000']);
  });

  it('knows a user by issuer and subject, never by name or e-mail address', async () => {
    await addUser(db, 'ana', 'admin');
    provider.people.set('s2', { preferred_username: 'ana', email: 'ana@example.com', groups: ['ops'] });
    for (const subject of ['s1', 's2', 's1']) {
      const one = openBrowser(server, PUBLIC);
      await finish(await provider.logIn(await begin(one), subject), one);
      expect((await me(one))?.name).toBe(subject === 's1' ? 'ana-2' : 'ana-3');
    }
  });

  it('takes a new role each time, and ends the sessions of the old one', async () => {
    await finish(await provider.logIn(await begin(), 's1'));
    provider.people.set('s1', { preferred_username: 'ana', groups: 'ops-admins' });
    const other = openBrowser(server, PUBLIC);
    await finish(await provider.logIn(await begin(other), 's1'), other);
    expect((await me(other))?.role).toBe('admin');
    expect(await me()).toBeNull();
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['who has no group with a role', async () => provider.people.set('s1', { groups: [] }), 'OIDC_NO_ROLE'],
    ['about whose role the provider says nothing', async () => provider.people.set('s1', {}), 'OIDC_NO_ROLE'],
    ['who is disabled', () => changeUser(db, 'ana', { disabled: true }), 'USER_DISABLED'],
  ])('refuses somebody %s', async (_, change, code) => {
    await finish(await provider.logIn(await begin(), 's1'));
    await change();
    const one = openBrowser(server, PUBLIC);
    expect(await finish(await provider.logIn(await begin(one), 's1'), one)).toBe(`303 /login?error=${code}`);
    expect(await me(one)).toBeNull();
  });

  it('without a role any more ends the sessions and access tokens of before', async () => {
    await finish(await provider.logIn(await begin(), 's1'));
    const ana = await findUser(db, 'ana');
    await createAccessToken(db, { hash: hashToken('slu_ana'), user: ana?.id ?? 0, name: 'laptop', days: 90 });
    provider.people.set('s1', { groups: [] });
    const one = openBrowser(server, PUBLIC);
    await finish(await provider.logIn(await begin(one), 's1'), one);
    expect(await me()).toBeNull();
    const headers = { authorization: 'Bearer slu_ana' };
    expect((await one.send('GET', '/api/v1/tokens', undefined, headers)).status).toBe(401);
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', '%2F%2Fevil.example', '/%0d%0aX:1'])(
    'does not lead to %s afterwards',
    async (then) => {
      const back = await provider.logIn(await begin(browser, `?then=${then}`), 's1');
      expect(await finish(back)).toBe('303 /');
    },
  );

  it.each([
    ['images', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['images of a browser that says where they stand', { 'sec-fetch-dest': 'image' }],
    ['frames', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
  ])('cannot be locked by %s on another page', async (_, headers) => {
    for (let sent = 0; sent < 70; sent += 1) {
      await browser.send('GET', '/auth/oidc', undefined, headers);
      await browser.send('GET', '/auth/oidc/callback?state=x&code=x', undefined, headers);
    }
    expect(await finish(await provider.logIn(await begin(), 's1'))).toMatch(/^303 \/(?!login)/);
  });

  it('that the provider cannot answer says so', async () => {
    server.configure(oidc({ issuer: 'http://127.0.0.1:9' }));
    expect(await begin()).toBe('/login?error=OIDC_UNAVAILABLE');
  });
});

it.each([
  ['a direction mark', 'Ana \u202eazuoS\u202c', 'Ana azuoS'],
  ['characters that no screen shows', 'A\u200bn\u00ada\u2060\ufeff\u{e0041}\u200d', 'Ana'],
  ['joined letters', 'علی\u200cرضا', 'علی\u200cرضا'],
  ['an isolate and an Arabic mark', '\u2066Ana\u2069\u061c', 'Ana'],
  ['a terminal sequence', '\u001b[2JAna\u0085\0', '[2JAna'],
  ['a second line', 'Ana\nadmin\u2028x', 'Anaadminx'],
  ['accents and emoji', 'Ana Conceição 👩‍🚀', 'Ana Conceição 👩‍🚀'],
])('a name with %s is shown as plain text', async (_, name, shown) => {
  provider.people.set('s1', { preferred_username: 'Ana', name, groups: ['ops'] });
  expect(await finish(await provider.logIn(await begin(), 's1'))).toBe('303 /');
  expect(await me()).toMatchObject({ displayName: shown });
});

it('a name of nothing but marks counts as none', async () => {
  provider.people.set('s1', { preferred_username: '\u202e', name: '\u200f\u200e', groups: ['ops'] });
  await finish(await provider.logIn(await begin(), 's1'));
  expect(await me()).toMatchObject({ name: 's1', displayName: 's1' });
});

describe('a redirect from the provider', () => {
  const REFUSED = '303 /login?error=OIDC_REFUSED';

  it('is worthless in another browser, with and without a login of its own', async () => {
    const back = await provider.logIn(await begin(), 's1');
    const victim = openBrowser(server, PUBLIC);
    expect(await finish(back, victim)).toBe('303 /login?error=OIDC_STATE');
    await begin(victim);
    expect(await finish(back, victim)).toBe(REFUSED);
    expect(await me(victim)).toBeNull();
  });

  it('works once: neither the cookie nor the code can be used again', async () => {
    const url = await begin();
    const cookie = `${COOKIE}=${browser.cookies.get(COOKIE)}`;
    const back = await provider.logIn(url, 's1');
    await finish(back);
    const thief = openBrowser(server, PUBLIC);
    expect(await finish(back, thief)).toBe('303 /login?error=OIDC_STATE');
    const replay = await thief.send('GET', back.pathname + back.search, undefined, { cookie });
    expect(replay.headers.get('location')).toBe('/login?error=OIDC_REFUSED');
    expect(await me(thief)).toBeNull();
  });

  it.each<[string, (pending: Pending, back: URL) => void]>([
    ['another state', (_, back) => back.searchParams.set('state', 'other')],
    ['no state', (_, back) => back.searchParams.delete('state')],
    ['another code', (_, back) => back.searchParams.set('code', 'other')],
    ['another issuer', (_, back) => back.searchParams.set('iss', 'https://evil.example')],
    ['an error instead of a code', (_, back) => back.searchParams.set('error', 'access_denied')],
    [
      'another nonce',
      (pending) => {
        pending.nonce = 'A'.repeat(43);
      },
    ],
    [
      'another verifier',
      (pending) => {
        pending.verifier = 'A'.repeat(43);
      },
    ],
  ])('with %s is refused', async (_, change) => {
    const back = await provider.logIn(await begin(), 's1');
    const pending = await readPending(browser.cookies.get(COOKIE) ?? null, CLIENT_SECRET);
    change(pending, back);
    browser.cookies.set(COOKIE, await signPending(pending, CLIENT_SECRET));
    expect(await finish(back)).toBe(REFUSED);
    expect(await me()).toBeNull();
    const lines = await db.query('select outcome, identity, details from operator_audit');
    expect(lines).toEqual([{ outcome: 'denied', identity: null, details: { code: 'OIDC_REFUSED' } }]);
  });

  const payload = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const FORGED = { state: 'x', nonce: 'x', verifier: 'x', then: '/' };
  it.each<[string, string | ((cookie: string) => string | Promise<string>), string]>([
    ['that is empty', '', 'OIDC_STATE'],
    ['that is no token', 'x', 'OIDC_COOKIE'],
    ['as the release before wrote it', payload(FORGED), 'OIDC_COOKIE'],
    ['without a signature', `${payload({ alg: 'none' })}.${payload(FORGED)}.`, 'OIDC_COOKIE'],
    ['of another client', () => signPending(FORGED, 'another secret'), 'OIDC_COOKIE'],
    [
      'with another content',
      (cookie) => {
        const [head, body = '', signature] = cookie.split('.');
        const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
        return `${head}.${payload({ ...claims, then: '/evil' })}.${signature}`;
      },
      'OIDC_COOKIE',
    ],
  ])('with a cookie %s is refused', async (_, change, code) => {
    const back = await provider.logIn(await begin(), 's1');
    const cookie = browser.cookies.get(COOKIE) ?? '';
    browser.cookies.set(COOKIE, typeof change === 'string' ? change : await change(cookie));
    expect(await finish(back)).toBe(`303 /login?error=${code}`);
    expect(await me()).toBeNull();
  });
});

describe('the role of claims', () => {
  const roles = (over: object) =>
    OidcRoles.parse({ admin: ['adm'], approver: ['app'], viewer: ['v'], ...over });
  it.each<[string, object, object, string | null]>([
    ['the highest of several', { groups: ['v', 'adm', 'app'] }, {}, 'admin'],
    ['a text', { groups: 'app' }, {}, 'approver'],
    ['no part of a text', { groups: 'not adm' }, {}, null],
    ['no other case', { groups: ['ADM'] }, {}, null],
    ['the default', { groups: ['x'] }, { default: 'viewer' }, 'viewer'],
    ['a list with something else', { groups: ['adm', 1] }, {}, null],
    ['an object', { groups: { adm: true } }, {}, null],
    ['a path', { realm: { roles: ['v'] } }, { claim: 'realm.roles' }, 'viewer'],
    ['a name with dots', { 'https://a.example/g': ['v'] }, { claim: 'https://a.example/g' }, 'viewer'],
    ['no inherited property', {}, { claim: 'constructor.name', viewer: ['Object'] }, null],
  ])('%s', (_, claims, over, role) => {
    expect(roleOf(claims as Record<string, unknown>, roles(over))).toBe(role);
  });

  it.each([
    [{ preferred_username: 'Ana.Souza@example.com' }, 'ana.souza-example.com'],
    [{ preferred_username: 'ÁÇ' }, 'ac'],
    [{ preferred_username: '<script>' }, 'script-'],
    [{ preferred_username: '人', sub: 'x' }, 'user'],
    [{ nickname: '=CMD()' }, 'cmd-'],
    [{ sub: 'A1' }, 'a1'],
    [{ preferred_username: 7 }, 'user'],
  ])('%j suggests the name %s', (claims, name) => {
    expect(suggestedName(claims)).toBe(name);
  });
});
