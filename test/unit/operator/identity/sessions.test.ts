// Logins of browsers against a hostile world: other sites, stolen and planted sessions.
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, LedgerError } from '../../../../src/core/sql/database.ts';
import { changeUser } from '../../../../src/operator/store/identity/users.ts';
import {
  addUser,
  type Browser,
  codeOf,
  me,
  openBrowser,
  openLogin,
  startServer,
  type TestServer,
} from './http-context.ts';

let db: Database;
let server: TestServer;
let browser: Browser;
let COOKIE: string;
beforeEach(async () => {
  ({ db, server, browser, cookie: COOKIE } = await openLogin());
});
afterEach(() => server.close());

const setCookie = (headers: Headers) => headers.getSetCookie().join('\n');

describe('a login', () => {
  it('gives a cookie that scripts and other sites cannot use, and a CSRF token', async () => {
    const { status, headers, body } = await browser.login('ana');
    expect(status).toBe(200);
    expect(setCookie(headers)).toMatch(
      /^sluice_session_\d+=[\w-]{43};.*Path=\/;.*HttpOnly; SameSite=Strict$/,
    );
    expect(body).toMatchObject({ user: { identity: 'user:ana', role: 'admin', via: 'session' } });
    expect(await me(browser)).toMatchObject({ name: 'ana' });
    const rows = await db.query<{ hash: string }>('select hash from user_sessions');
    expect(JSON.stringify(rows)).not.toContain(browser.cookies.get(COOKIE));
  });

  it('finds the name in any case, with spaces around', async () => {
    expect((await browser.login(' ANA ')).status).toBe(200);
  });

  it('over https gives a cookie that no other host can set', async () => {
    await server.close();
    server = await startServer(db, {
      http: { publicUrl: 'https://s.example.com', trustProxy: ['10.0.0.7'] },
    });
    const { headers } = await openBrowser(server, 'https://s.example.com').login('ana');
    expect(setCookie(headers)).toMatch(
      /^__Host-sluice_session_443=.*Path=\/;.*HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(setCookie(headers)).not.toMatch(/domain/i);
    expect(headers.get('strict-transport-security')).toContain('max-age');
  });

  it('of two instances on one machine have cookies and CSRF tokens of their own', async () => {
    const other = await startServer(db);
    try {
      const there = openBrowser(other);
      await browser.login('ana');
      // One jar: browsers share the cookies of a host among its ports.
      for (const [name, value] of browser.cookies) there.cookies.set(name, value);
      expect(await me(there)).toBeNull();
      await there.login('ana');
      for (const [name, value] of there.cookies) browser.cookies.set(name, value);
      expect(browser.cookies.size).toBe(2);
      expect([await me(browser), await me(there)]).toEqual([expect.anything(), expect.anything()]);
    } finally {
      await other.close();
    }
  });

  it('never takes over the session that somebody planted in the browser', async () => {
    const attacker = openBrowser(server);
    await attacker.login('ana');
    const planted = attacker.cookies.get(COOKIE) as string;
    browser.cookies.set(COOKIE, planted);
    await browser.login('ana');
    expect(browser.cookies.get(COOKIE)).not.toBe(planted);
    expect(await me(attacker)).toBeNull();
    const made = openBrowser(server);
    made.cookies.set(COOKIE, 'A'.repeat(43));
    await made.login('ana');
    expect(made.cookies.get(COOKIE)).not.toBe('A'.repeat(43));
  });

  it('is ignored when a second cookie of the name was added', async () => {
    await browser.login('ana');
    const cookie = `${COOKIE}=planted; ${COOKIE}=${browser.cookies.get(COOKIE)}`;
    expect((await browser.send('GET', '/api/v1/users', undefined, { cookie })).status).toBe(401);
  });
});

describe('a command of a browser', () => {
  const add = (name: string) => ({ name, role: 'viewer' });

  it.each<[string, Record<string, string | null>, string]>([
    ['no CSRF token', { 'x-csrf-token': null }, 'CSRF'],
    ['an empty CSRF token', { 'x-csrf-token': '' }, 'CSRF'],
    ['a made-up CSRF token', { 'x-csrf-token': 'A'.repeat(43) }, 'CSRF'],
    ['a foreign Origin', { origin: 'https://evil.example' }, 'FOREIGN_ORIGIN'],
    ['the Origin of a sandboxed frame', { origin: 'null' }, 'FOREIGN_ORIGIN'],
    ['the Origin of another port', { origin: 'http://127.0.0.1:1' }, 'FOREIGN_ORIGIN'],
    ['an Origin that begins alike', { origin: 'http://127.0.0.1.evil.example' }, 'FOREIGN_ORIGIN'],
    ['another site, as the browser says', { origin: null, 'sec-fetch-site': 'cross-site' }, 'FOREIGN_ORIGIN'],
    ['a sibling site, as the browser says', { 'sec-fetch-site': 'same-site' }, 'FOREIGN_ORIGIN'],
  ])('with %s is refused and changes nothing', async (_, headers, code) => {
    await browser.login('ana');
    const answer = await browser.send('POST', '/api/v1/users', add('eve'), headers);
    expect([answer.status, codeOf(answer)]).toEqual([403, code]);
    expect(await db.query("select 1 from users where name = 'eve'")).toEqual([]);
  });

  it('with the CSRF token of another session of the same user is refused', async () => {
    await browser.login('ana');
    const other = await openBrowser(server).login('ana');
    const token = (other.body as { csrfToken: string }).csrfToken;
    const answer = await browser.send('POST', '/api/v1/users', add('eve'), { 'x-csrf-token': token });
    expect(codeOf(answer)).toBe('CSRF');
  });

  it('with its own token works, and a body that is a form does not', async () => {
    await browser.login('ana');
    expect((await browser.send('POST', '/api/v1/users', add('bia'))).status).toBe(200);
    const form = await browser.send('POST', '/api/v1/users', add('eve'), { 'content-type': 'text/plain' });
    expect(form.status).toBe(400);
  });

  it.each(['evil.example', '127.0.0.1.nip.io', 'localhost.evil.example', '169.254.169.254'])(
    'to the Host %j is refused, as after DNS rebinding',
    async (host) => {
      expect(await statusOfHost(host)).toBe(403);
    },
  );

  it('with a second Host header is refused, whichever is right', async () => {
    for (const hosts of [
      ['localhost', 'evil.example'],
      ['evil.example', 'localhost'],
      ['localhost', 'localhost'],
    ])
      expect(await statusOfHost(...hosts)).toBe(400);
  });

  it.each(['localhost:9000', '127.0.0.1:1', '[::1]:8088'])(
    'to the Host %s of a tunnel works',
    async (host) => {
      expect(await statusOfHost(host)).toBe(200);
    },
  );

  /** `fetch` does not let a test choose the Host. */
  function statusOfHost(...hosts: readonly string[]): Promise<number> {
    return new Promise((done, failed) => {
      const options = {
        port: server.port,
        path: '/api/v1/session',
        headers: hosts.flatMap((host) => ['host', host]),
      };
      request(options, (res) => {
        res.resume();
        done(res.statusCode ?? 0);
      })
        .on('error', failed)
        .end();
    });
  }
});

describe('a session ends', () => {
  const move = (column: string, by: string) =>
    db.query(`update user_sessions set ${column} = ${column} - $1::text::interval`, [by]);

  it.each<[string, () => Promise<unknown>]>([
    ['after an hour without a request', () => move('seen_at', '61 min')],
    ['after twelve hours', () => move('created_at', '12 hours 1 min')],
    [
      'when the configuration allows less time',
      async () => {
        await move('seen_at', '6 min');
        server.configure({ sessions: { idle: '5m' } });
      },
    ],
    ['when the user is disabled', () => changeUser(db, 'ana', { disabled: true })],
    ['when the role is less', () => changeUser(db, 'ana', { role: 'viewer' })],
    ['at logout', () => browser.send('POST', '/api/v1/logout', {})],
  ])('%s', async (_, end) => {
    await browser.login('ana');
    const stolen = openBrowser(server);
    for (const [name, value] of browser.cookies) stolen.cookies.set(name, value);
    expect(await me(stolen)).not.toBeNull();
    await end();
    expect(await me(stolen)).toBeNull();
    expect((await stolen.send('GET', '/api/v1/users')).status).toBe(401);
  });

  it('everywhere at once, and nowhere else', async () => {
    await addUser(db, 'bia');
    const [here, there, bia] = [browser, openBrowser(server), openBrowser(server)];
    await here.login('ana');
    await there.login('ana');
    await bia.login('bia');
    await here.send('POST', '/api/v1/logout', { everywhere: true });
    expect(await Promise.all([me(here), me(there), me(bia)])).toEqual([null, null, expect.anything()]);
  });

  it('elsewhere when the password changes, and goes on here with a new token', async () => {
    const other = openBrowser(server);
    await browser.login('ana');
    await other.login('ana');
    const before = browser.cookies.get(COOKIE);
    const change = { current: 'correct horse battery', password: 'another good password' };
    expect((await browser.send('POST', '/api/v1/password', change)).status).toBe(200);
    expect(browser.cookies.get(COOKIE)).not.toBe(before);
    expect(await Promise.all([me(browser), me(other)])).toEqual([expect.anything(), null]);
    expect((await openBrowser(server).login('ana')).status).toBe(401);
  });
});

describe('a session while the ledger is away', () => {
  it('is not over: the answer says that the ledger is unavailable, and afterwards it goes on', async () => {
    await browser.login('ana');
    let isAway = true;
    const away: Database = {
      ...db,
      query: async (...of) => {
        if (isAway) throw new LedgerError(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
        return await db.query(...of);
      },
    };
    const other = await startServer(away);
    try {
      const one = openBrowser(other);
      one.cookies.set(`sluice_session_${other.port}`, browser.cookies.get(COOKIE) as string);
      const { status, body } = await one.send('GET', '/api/v1/session');
      expect([status, codeOf({ body })]).toEqual([503, 'LEDGER']);
      isAway = false;
      expect(await me(one)).not.toBeNull();
    } finally {
      await other.close();
    }
  });
});

describe('a change of the password', () => {
  it('with a wrong current one changes nothing, and the session goes on', async () => {
    await browser.login('ana');
    const change = { current: 'not my password', password: 'another good password' };
    const answer = await browser.send('POST', '/api/v1/password', change);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'PASSWORD_WRONG']);
    expect(await me(browser)).not.toBeNull();
    expect((await openBrowser(server).login('ana')).status).toBe(200);
  });
});

describe('every answer', () => {
  it('forbids frames, sniffing, and everything from elsewhere', async () => {
    for (const path of ['/', '/api/v1/session', '/api/v1/nothing']) {
      const { headers } = await browser.send('GET', path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('has its own nonce', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => (await browser.send('GET', '/')).headers.get('content-security-policy')),
    );
    expect(nonces[0]).not.toBe(nonces[1]);
  });
});
