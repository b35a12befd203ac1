// Who guesses passwords is slowed down, by name and address, and nobody else is.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { firstAdminLink, invitationLink } from '../../../../src/operator/identity/logins.ts';
import { hashToken } from '../../../../src/operator/identity/tokens.ts';
import { changeUser, findUser, type UserRow } from '../../../../src/operator/store/identity/users.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { addUser, type Browser, codeOf, openBrowser, startServer, type TestServer } from './http-context.ts';

let db: Database;
let server: TestServer;
let browser: Browser;
beforeEach(async () => {
  db = await testLedger();
  server = await startServer(db);
  browser = openBrowser(server);
  await addUser(db, 'ana', 'admin');
});
afterEach(() => server.close());

describe('behind a proxy', () => {
  const guessFrom = async (address: string) => {
    const headers = { 'x-forwarded-for': address };
    const guess = { name: 'ana', password: 'guess' };
    const { status } = await openBrowser(server).send('POST', '/api/v1/login', guess, headers);
    return status;
  };
  const wrong = async () =>
    await Promise.all(Array.from({ length: 5 }, () => guessFrom('203.0.113.1'))).then(() => undefined);

  it('a guesser slows down the own address, and no other', async () => {
    await server.close();
    server = await startServer(db, { http: { trustProxy: ['127.0.0.1'] } });
    await wrong();
    const waits = await db.query<{ key: string }>('select key from login_attempts where failures = 5');
    await guessFrom('198.51.100.7, 203.0.113.2');
    const all = await db.query<{ key: string }>('select key from login_attempts');
    // Name and address, address, and name. The second guesser adds two, and shares the name.
    expect(waits.length).toBe(3);
    expect(all.length).toBe(5);
  });

  it('that is not listed, nobody can name another address', async () => {
    await wrong();
    const before = await db.query('select key from login_attempts');
    await guessFrom('203.0.113.2');
    expect(await db.query('select key from login_attempts')).toEqual(before);
  });
});

describe('a one-time link', () => {
  const claim = (link: string, password = 'a long walk to the lighthouse', name?: string) =>
    openBrowser(server).send('POST', '/api/v1/session/claim', { link, password, ...(name && { name }) });
  const flood = async () => {
    for (let sent = 0; sent < 70; sent += 1) await claim(`wrong${sent}`, 'x');
  };

  const secretOf = (made: { path: string } | null) => made?.path.replace('/login#link=', '') ?? '';
  const linkOfAna = async () => secretOf(await invitationLink(db, (await findUser(db, 'ana')) as UserRow));
  const linkOfFirstAdmin = async () => {
    await db.query('delete from users');
    return secretOf(await firstAdminLink(db));
  };

  it.each([
    ['of the first admin', linkOfFirstAdmin, 'root'],
    ['of a user', linkOfAna, undefined],
  ])('%s works while strangers of the same address send wrong ones', async (_whose, make, name) => {
    const link = await make();
    await flood();
    expect((await claim('wrong')).status).toBe(429);
    const answer = await claim(link, undefined, name);
    expect([answer.status, codeOf(answer)]).toEqual([200, undefined]);
    // It is used up, so it is wrong again.
    expect((await claim(link)).status).toBe(429);
  });

  it.each([
    [
      'a link that has expired',
      async () => {
        const link = await linkOfAna();
        await db.query("update login_links set expires_at = now() - interval '1 second'");
        return link;
      },
    ],
    ['a link in other case', async () => (await linkOfAna()).toUpperCase()],
    ['the hash of a link', async () => hashToken(await linkOfAna())],
    ['a link with a space', async () => `${await linkOfAna()} `],
    ['SQL', async () => "' or 1=1 --"],
  ])('that is %s is limited', async (_what, make) => {
    const link = await make();
    await flood();
    const answer = await claim(link);
    expect([answer.status, codeOf(answer), answer.headers.get('retry-after')]).toEqual([
      429,
      'LOGIN_LIMITED',
      '60',
    ]);
  });

  it('does not let its holder send passwords without end', async () => {
    const link = await linkOfAna();
    await flood();
    const statuses: number[] = [];
    for (let sent = 0; sent < 61; sent += 1) statuses.push((await claim(link, 'short')).status);
    expect([statuses.filter((status) => status === 400).length, statuses.at(-1)]).toEqual([60, 429]);
  });
});

describe('who guesses', () => {
  it.each([
    ['an unknown name', 'bia', 'correct horse battery'],
    ['a wrong password', 'ana', 'correct horse batterz'],
    ['a disabled user', 'gone', 'correct horse battery'],
    ['a name that is SQL', "ana' or 1=1 --", 'correct horse battery'],
    ['a name that exists in no case', 'ÁNA', 'correct horse battery'],
  ])('gets the same answer for %s', async (_, name, password) => {
    await addUser(db, 'gone');
    await changeUser(db, 'gone', { disabled: true });
    const answer = await browser.login(name, password);
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      error: {
        kind: 'unauthenticated',
        code: 'LOGIN_FAILED',
        message: 'the name or the password is wrong',
      },
    });
    expect(browser.cookies.size).toBe(0);
  });

  it('is slowed down alike for names that exist and names that do not', async () => {
    const guess = async (name: string) => {
      const all = await Promise.all(
        Array.from({ length: 15 }, () => openBrowser(server).login(name, 'guess')),
      );
      return all.map(({ status, body, headers }) => {
        const isLate = Number(headers.get('retry-after')) > 0;
        return `${status} ${codeOf({ body })} ${isLate}`;
      });
    };
    for (const name of ['ana', 'nobody']) {
      const answers = await guess(name);
      expect(new Set(answers)).toEqual(new Set(['401 LOGIN_FAILED false', '429 LOGIN_LIMITED true']));
      // Five at once. On a slow machine, the first pause of a second may be over before the last one comes.
      expect(answers.filter((answer) => answer.startsWith('401')).length).toBeLessThanOrEqual(7);
    }
  });

  it('in a flood of names gets few of them checked, while others go on', async () => {
    // Fewer than the 128 connections that one address may have.
    const all = await Promise.all(
      Array.from({ length: 120 }, (_, n) => openBrowser(server).login(`user${n}`, 'guess')),
    );
    // 20 at once, and then one for each pause that doubles.
    expect(all.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(25);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect((await browser.send('GET', '/api/v1/session')).status).toBe(200);
  });

  it('cannot lock logins with a password by images of the login page', async () => {
    for (let image = 0; image < 70; image += 1)
      await browser.send('GET', '/auth/oidc', undefined, { 'sec-fetch-mode': 'no-cors' });
    for (let claim = 0; claim < 70; claim += 1) await browser.send('POST', '/api/v1/session/claim', {});
    expect((await browser.login('ana')).status).toBe(200);
  });

  it('of a user who is known at the address goes on while strangers there send a flood', async () => {
    await browser.login('ana');
    const flood = async (path: string) => {
      for (let sent = 0; sent < 70; sent += 1)
        await openBrowser(server).send('POST', path, { name: `user${sent}`, password: 'guess' });
    };
    await flood('/api/v1/login');
    expect((await openBrowser(server).login('bia', 'guess')).status).toBe(429);
    expect((await openBrowser(server).login('ana')).status).toBe(200);
    // Whoever is logged in has a counter of their own.
    await flood('/api/v1/password');
    const change = { current: 'wrong', password: 'x' };
    expect((await browser.send('POST', '/api/v1/password', change)).status).not.toBe(429);
  });

  it('of a known user is limited, too', async () => {
    await browser.login('ana');
    const all = await Promise.all(
      Array.from({ length: 125 }, () => openBrowser(server).login('ana', 'guess')),
    );
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const lines = await db.query("select 1 from operator_audit where outcome = 'denied'");
    // 60 as a stranger, 60 as known.
    expect(lines.length).toBeLessThanOrEqual(120);
  });

  it('leaves a trace without what was typed as the name', async () => {
    await browser.login('my secret password', 'x');
    await browser.login('ana', 'x');
    await browser.login('ana');
    const lines = await db.query('select identity, target, outcome from operator_audit order by id');
    expect(lines).toEqual([
      { identity: null, target: '-', outcome: 'denied' },
      { identity: null, target: 'ana', outcome: 'denied' },
      { identity: 'user:ana', target: 'ana', outcome: 'ok' },
    ]);
  });
});
