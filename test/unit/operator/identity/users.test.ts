// The first admin, users, passwords and access tokens, over HTTP.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { createUnixCaller } from '../../../../src/operator/identity/callers.ts';
import { firstAdminLink } from '../../../../src/operator/identity/logins.ts';
import { hashToken } from '../../../../src/operator/identity/tokens.ts';
import { createAccessToken } from '../../../../src/operator/store/identity/sessions.ts';
import { createUser, findUser } from '../../../../src/operator/store/identity/users.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import {
  type Answer,
  addUser,
  type Browser,
  codeOf,
  openBrowser,
  PASSWORD,
  startServer,
  type TestServer,
} from './http-context.ts';

let db: Database;
let server: TestServer;
let browser: Browser;
beforeEach(async () => {
  db = await testLedger();
  server = await startServer(db);
  browser = openBrowser(server);
});
afterEach(() => server.close());

const api = async (method: string, path: string, body?: object, headers = {}): Promise<Answer> =>
  await browser.send(method, `/api/v1${path}`, body, headers);
const secretOf = (link: { path: string } | null) => link?.path.replace('/login#link=', '') ?? '';

describe('the first admin', () => {
  const claim = (link: string, over = {}) =>
    api('POST', '/session/claim', { link, name: 'ana', password: PASSWORD, ...over });

  it('comes by a link that works once, and is logged in', async () => {
    const link = secretOf(await firstAdminLink(db));
    expect((await api('GET', '/session')).body).toMatchObject({ needsFirstAdmin: true, user: null });
    const answer = await claim(link);
    expect(answer.body).toMatchObject({ user: { identity: 'user:ana', role: 'admin' } });
    expect((await api('GET', '/session')).body).toMatchObject({ needsFirstAdmin: false });
    expect(codeOf(await claim(link, { name: 'eve' }))).toBe('LINK_EXPIRED');
    expect(await firstAdminLink(db)).toBeNull();
  });

  it('is one, even when two use the link at the same time', async () => {
    const link = secretOf(await firstAdminLink(db));
    const both = await Promise.all([claim(link), claim(link, { name: 'eve' })]);
    expect(both.map(({ status }) => String(status)).sort()).toEqual(['200', '401']);
  });

  it('is one identity with the Unix user who asked for the link', async () => {
    const link = secretOf(await firstAdminLink(db, 'sluice'));
    await claim(link);
    expect(await findUser(db, 'ana')).toMatchObject({ role: 'admin', unixUser: 'sluice' });
    const unixCaller = createUnixCaller(db, () => 'sluice');
    expect((await unixCaller()).identity).toBe('user:ana');
  });

  it('leaves a Unix user alone who belongs to another user already', async () => {
    await createUser(db, {
      name: 'bia',
      displayName: 'Bia',
      role: 'viewer',
      passwordHash: null,
      oidc: null,
      unixUser: 'sluice',
    });
    await claim(secretOf(await firstAdminLink(db, 'sluice')));
    expect(await findUser(db, 'ana')).toMatchObject({ role: 'admin', unixUser: null });
  });

  it('is not who comes by a link from before there was an admin', async () => {
    const link = secretOf(await firstAdminLink(db));
    await addUser(db, 'bia', 'admin');
    expect(codeOf(await claim(link))).toBe('ADMIN_EXISTS');
    expect(await findUser(db, 'ana')).toBeNull();
  });

  it.each<[string, object, string]>([
    ['a weak password', { password: 'short' }, 'PASSWORD_WEAK'],
    ['no name', { name: undefined }, 'NAME_REQUIRED'],
    ['a name that is no name', { name: '<script>' }, 'INPUT'],
  ])('can try again after %s', async (_, over, code) => {
    const link = secretOf(await firstAdminLink(db));
    expect(codeOf(await claim(link, over))).toBe(code);
    expect((await claim(link)).status).toBe(200);
  });

  it('can use a link that was printed before another one', async () => {
    const [first, second] = [secretOf(await firstAdminLink(db)), secretOf(await firstAdminLink(db))];
    expect((await claim(first)).status).toBe(200);
    expect(codeOf(await claim(second))).toBe('ADMIN_EXISTS');
  });

  it('does not come by a link that is too old or made up', async () => {
    const link = secretOf(await firstAdminLink(db));
    await db.query("update login_links set expires_at = expires_at - interval '15 min 1 s'");
    for (const one of [link, 'A'.repeat(43)]) expect(codeOf(await claim(one))).toBe('LINK_EXPIRED');
  });
});

describe('an admin', () => {
  beforeEach(async () => {
    await addUser(db, 'ana', 'admin');
    await browser.login('ana');
  });

  it('invites a user, who chooses a password by a one-time link', async () => {
    await api('POST', '/users', { name: 'bia', role: 'approver', displayName: '<b>Bia</b>' });
    const link = secretOf((await api('POST', '/users/bia/link', {})).body as { path: string });
    const bia = openBrowser(server);
    const claimed = await bia.send('POST', '/api/v1/session/claim', { link, password: PASSWORD });
    expect(claimed.body).toMatchObject({ user: { name: 'bia', role: 'approver' } });
    expect((await openBrowser(server).login('bia')).status).toBe(200);
  });

  it('cannot remove the last admin, and can when there is another one', async () => {
    for (const change of [{ role: 'viewer' }, { disabled: true }])
      expect(codeOf(await api('PATCH', '/users/ana', change))).toBe('LAST_ADMIN');
    await api('POST', '/users', { name: 'bia', role: 'admin' });
    expect((await api('PATCH', '/users/ana', { role: 'viewer' })).status).toBe(200);
    expect((await api('GET', '/users')).status).toBe(401);
  });

  it.each<[string, object, string]>([
    ['a name twice', { name: 'ana', role: 'viewer' }, 'NAME_TAKEN'],
    ['a name in capitals', { name: 'Bia', role: 'viewer' }, 'INPUT'],
    ['a name that looks like another', { name: 'bia', role: 'viewer', displayName: 'Ana\u200b' }, 'INPUT'],
    ['a name that reads backward', { name: 'bia', role: 'viewer', displayName: 'Bia \u202eana' }, 'INPUT'],
    ['a terminal sequence', { name: 'bia', role: 'viewer', displayName: '\u001b[2JBia' }, 'INPUT'],
    ['an unknown role', { name: 'bia', role: 'root' }, 'INPUT'],
    [
      'a password with the name',
      { name: 'bia', role: 'viewer', password: 'bia-is-my-name' },
      'PASSWORD_WEAK',
    ],
    ['a field of the ledger', { name: 'bia', role: 'viewer', passwordHash: 'x' }, 'INPUT'],
  ])('cannot add a user with %s', async (_, user, code) => {
    expect(codeOf(await api('POST', '/users', user))).toBe(code);
  });

  it('links a Unix user to one user only', async () => {
    await api('POST', '/users', { name: 'bia', role: 'viewer', unixUser: 'bia' });
    expect(codeOf(await api('PATCH', '/users/ana', { unixUser: 'bia' }))).toBe('UNIX_USER_TAKEN');
    expect(codeOf(await api('POST', '/users', { name: 'c', role: 'viewer', unixUser: 'bia' }))).toBe(
      'UNIX_USER_TAKEN',
    );
    await api('PATCH', '/users/bia', { unixUser: null });
    expect((await api('PATCH', '/users/ana', { unixUser: 'bia' })).status).toBe(200);
  });

  it('reads users by page and without hashes, and every command in the audit log', async () => {
    for (const name of ['b1', 'b2', 'b3'])
      await api('POST', '/users', { name, role: 'viewer', password: PASSWORD });
    const first = (await api('GET', '/users?limit=3')).body as { users: { name: string }[]; next: string };
    const second = (await api('GET', `/users?limit=3&after=${first.next}`)).body as typeof first;
    expect([...first.users, ...second.users].map(({ name }) => name)).toEqual(['ana', 'b1', 'b2', 'b3']);
    const { text } = await api('GET', '/audit?action=POST%20/users&identity=user:ana');
    expect(JSON.parse(text)).toMatchObject({
      lines: [{ outcome: 'ok' }, {}, { details: { name: 'b1', role: 'viewer' } }],
      next: null,
    });
    for (const shown of [text, JSON.stringify(first)]) {
      expect(shown).not.toContain(PASSWORD);
      expect(shown).not.toContain('argon2');
    }
  });
});

describe('an access token', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const tokenOf = (answer: Answer) => (answer.body as { secret: string }).secret;

  it('works without CSRF token and Origin, and dies when it is revoked', async () => {
    await addUser(db, 'ana', 'admin');
    await addUser(db, 'bia');
    await browser.login('ana');
    const made = await api('POST', '/tokens', { name: 'laptop' });
    const command = openBrowser(server);
    const headers = { ...bearer(tokenOf(made)), origin: null };
    expect((await command.send('POST', '/api/v1/users/bia/logout', {}, headers)).status).toBe(200);
    const { tokens } = (await api('GET', '/tokens')).body as { tokens: { id: number }[] };
    expect(JSON.stringify(tokens)).not.toContain(tokenOf(made));
    await api('DELETE', `/tokens/${tokens[0]?.id}`, {});
    expect(codeOf(await command.send('GET', '/api/v1/users', undefined, headers))).toBe('TOKEN_INVALID');
  });

  it('is revoked by its own logout, and the session of a browser goes on', async () => {
    await addUser(db, 'ana', 'admin');
    await browser.login('ana');
    const headers = bearer(tokenOf(await api('POST', '/tokens', { name: 'laptop' })));
    const command = openBrowser(server);
    expect((await command.send('POST', '/api/v1/logout', {}, headers)).status).toBe(200);
    expect(codeOf(await command.send('GET', '/api/v1/users', undefined, headers))).toBe('TOKEN_INVALID');
    expect((await api('GET', '/users')).status).toBe(200);
  });

  const NEW = 'another good password';
  const linkFor = async (name: string) =>
    secretOf((await api('POST', `/users/${name}/link`, {})).body as { path: string });

  it.each<[string, 'dies' | 'lives', (bia: Browser) => Promise<unknown>]>([
    [
      'changes the password',
      'dies',
      (bia) => bia.send('POST', '/api/v1/password', { current: PASSWORD, password: NEW }),
    ],
    [
      'changes the password and keeps tokens',
      'lives',
      (bia) => bia.send('POST', '/api/v1/password', { current: PASSWORD, password: NEW, keepTokens: true }),
    ],
    ['logs out', 'lives', (bia) => bia.send('POST', '/api/v1/logout', {})],
    ['logs out everywhere', 'dies', (bia) => bia.send('POST', '/api/v1/logout', { everywhere: true })],
    [
      'chooses a password by a link of an admin',
      'dies',
      async (bia) =>
        await bia.send('POST', '/api/v1/session/claim', { link: await linkFor('bia'), password: NEW }),
    ],
    ['gets a password from an admin', 'dies', () => api('POST', '/users/bia/password', { password: NEW })],
    ['is logged out by an admin', 'dies', () => api('POST', '/users/bia/logout', {})],
    ['gets another role', 'lives', () => api('PATCH', '/users/bia', { role: 'operator' })],
    [
      'is disabled and enabled again',
      'dies',
      async () => {
        await api('PATCH', '/users/bia', { disabled: true });
        await api('PATCH', '/users/bia', { disabled: false });
      },
    ],
  ])('of a user who %s %s', async (_, then, end) => {
    await addUser(db, 'ana', 'admin');
    await addUser(db, 'bia');
    await browser.login('ana');
    const bia = openBrowser(server);
    await bia.login('bia');
    const headers = bearer(tokenOf(await bia.send('POST', '/api/v1/tokens', { name: 'laptop' })));
    const status = async () => (await bia.send('GET', '/api/v1/tokens', undefined, headers)).status;
    expect(await status()).toBe(200);
    await end(bia);
    expect(await status()).toBe(then === 'lives' ? 200 : 401);
  });

  it('of a user of a provider works for a week after the last login there', async () => {
    await addOidcUser('caio');
    const caio = await findUser(db, 'caio');
    const token = { hash: hashToken('slu_caio'), user: caio?.id ?? 0, name: 'laptop', days: 90 };
    await createAccessToken(db, token);
    const statusAt = async (last: string) => {
      await db.query("update users set last_login_at = now() - $1::text::interval where name = 'caio'", [
        last,
      ]);
      return (await api('GET', '/tokens', undefined, bearer('slu_caio'))).status;
    };
    expect([await statusAt('6 days 23 hours'), await statusAt('7 days 1 min')]).toEqual([200, 401]);
    // After the next login, until then an admin can revoke it.
    expect(await statusAt('1 min')).toBe(200);
  });

  it('makes no further tokens, users, passwords or links', async () => {
    await addUser(db, 'ana', 'admin');
    await browser.login('ana');
    const headers = { ...bearer(tokenOf(await api('POST', '/tokens', { name: 'ci' }))), cookie: null };
    for (const [method, path, body] of [
      ['POST', '/tokens', { name: 'more' }],
      ['POST', '/users', { name: 'eve', role: 'admin' }],
      ['PATCH', '/users/ana', { unixUser: 'eve' }],
      ['POST', '/users/ana/password', { password: PASSWORD }],
      ['POST', '/users/ana/link', {}],
      ['POST', '/password', { current: PASSWORD, password: 'another good password' }],
    ] as const)
      expect(codeOf(await api(method, path, body, headers)), path).toBe('SESSION_REQUIRED');
  });

  it('of somebody else cannot be seen or revoked by a viewer', async () => {
    await addUser(db, 'ana', 'admin');
    await addUser(db, 'bia');
    await browser.login('ana');
    await api('POST', '/tokens', { name: 'laptop' });
    const bia = openBrowser(server);
    await bia.login('bia');
    expect((await bia.send('GET', '/api/v1/tokens?all=true')).body).toMatchObject({ tokens: [] });
    expect((await bia.send('DELETE', '/api/v1/tokens/1', {})).status).toBe(404);
  });

  it('comes from a login of a command, which gets no cookie', async () => {
    await addUser(db, 'ana');
    const answer = await api('POST', '/login', {
      name: 'ana',
      password: PASSWORD,
      accessToken: { name: 'laptop' },
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    const { accessToken } = answer.body as { accessToken: string };
    expect(accessToken).toMatch(/^slu_[\w-]{43}$/);
    const session = await api('GET', '/session', undefined, bearer(accessToken));
    expect(session.body).toMatchObject({ user: { identity: 'user:ana', via: 'token' }, csrfToken: null });
  });

  it.each(['Bearer x', 'Bearer', 'Basic YTpi', `Bearer slu_${'A'.repeat(43)}`])(
    'that is %j is refused, even with a session',
    async (authorization) => {
      await addUser(db, 'ana');
      await browser.login('ana');
      expect(codeOf(await api('GET', '/tokens', undefined, { authorization }))).toBe('TOKEN_INVALID');
    },
  );
});

async function addOidcUser(name: string): Promise<void> {
  const oidc = { issuer: 'https://login.example', subject: name };
  await createUser(db, { name, displayName: name, role: 'viewer', passwordHash: null, oidc, unixUser: null });
}

describe('a user of a provider', () => {
  it.each([
    ['/users/caio/password', { password: PASSWORD }],
    ['/users/caio/link', {}],
  ])('gets no password by %s, which would outlive the removal there', async (path, body) => {
    await addUser(db, 'ana', 'admin');
    await browser.login('ana');
    await addOidcUser('caio');
    expect(codeOf(await api('POST', path, body))).toBe('PASSWORD_OF_PROVIDER');
  });
});

describe('a link', () => {
  it('from before a new password, or before the user was disabled, chooses none', async () => {
    await addUser(db, 'ana', 'admin');
    await addUser(db, 'bia');
    await browser.login('ana');
    const link = async () => secretOf((await api('POST', '/users/bia/link', {})).body as { path: string });
    for (const end of [
      () => api('POST', '/users/bia/password', { password: 'another good password' }),
      async () => {
        await api('PATCH', '/users/bia', { disabled: true });
        await api('PATCH', '/users/bia', { disabled: false });
      },
    ]) {
      const old = await link();
      await end();
      expect(codeOf(await api('POST', '/session/claim', { link: old, password: PASSWORD }))).toBe(
        'LINK_EXPIRED',
      );
    }
  });
});
