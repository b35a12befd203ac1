// The second factor over HTTP: turned on, asked for, guessed, replayed, lost, and every way that could come past it.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { SignJWT } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../../src/ledger/database.ts';
import { findUser } from '../../../../src/ledger/operator/users.ts';
import { startSession } from '../../../../src/operator/identity/logins.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import {
  type Answer,
  addUser,
  type Browser,
  codeOf,
  me,
  openBrowser,
  PASSWORD,
  startServer,
  type TestServer,
} from './http-context.ts';

const STEP_MS = 30_000;
const NEW_PASSWORD = 'seven purple otters sing';

let db: Database;
let server: TestServer;
beforeEach(async () => {
  // Only the clock that codes are made by; the middle of a step.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2 });
  db = await testLedger();
  server = await startServer(db);
  await addUser(db, 'ana', 'admin');
});
afterEach(async () => {
  await server.close();
  vi.useRealTimers();
});

const later = (steps = 1) => vi.setSystemTime(Date.now() + steps * STEP_MS);
const post = (browser: Browser, path: string, body: object = {}, headers = {}): Promise<Answer> =>
  browser.send('POST', `/api/v1${path}`, body, headers);
const pendingOf = ({ body }: Answer): string => (body as { pending: string }).pending;

interface Enrolled {
  readonly browser: Browser;
  /** The code of the present step. */
  code(): string;
  /** What is no code of now, the steps beside it, or the next ones. */
  wrong(): string;
  readonly recoveryCodes: readonly string[];
}

/** Turns the second factor of a user on. The code of the present step is used up. */
async function enrol(name: string): Promise<Enrolled> {
  const browser = openBrowser(server);
  await browser.login(name);
  const { secret } = (await post(browser, '/second-factor/secret')).body as { secret: string };
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = () => totp.generate({ timestamp: Date.now() });
  const answer = await post(browser, '/second-factor', { password: PASSWORD, code: code() });
  expect(answer.status).toBe(200);
  const near = () =>
    new Set([-1, 0, 1].map((step) => totp.generate({ timestamp: Date.now() + step * STEP_MS })));
  const wrong = () => ['000000', '111111', '222222', '333333'].find((each) => !near().has(each)) as string;
  return { browser, code, wrong, recoveryCodes: (answer.body as { recoveryCodes: string[] }).recoveryCodes };
}

/** Password and code, in a browser of its own. */
async function loginWith(name: string, code: string): Promise<{ answer: Answer; browser: Browser }> {
  const browser = openBrowser(server);
  const answer = await post(browser, '/login/code', { pending: pendingOf(await browser.login(name)), code });
  return { answer, browser };
}

const audit = async (action: string) =>
  await db.query<{ identity: string | null; outcome: string; details: object; target: string }>(
    'select identity, outcome, details, target from operator_audit where action = $1 order by id',
    [action],
  );

describe('turning it on', () => {
  it('needs the password and a code, and shows ten recovery codes', async () => {
    const browser = openBrowser(server);
    await browser.login('ana');
    const { secret, uri } = (await post(browser, '/second-factor/secret')).body as Record<string, string>;
    expect(uri).toContain(secret);
    const totp = new TOTP({ secret: Secret.fromBase32(secret ?? '') });
    const code = totp.generate({ timestamp: Date.now() });
    const off = { since: null, recoveryCodesLeft: 0, isAvailable: true };
    for (const [body, expected] of [
      [{ password: 'wrong', code }, 'PASSWORD_WRONG'],
      [{ password: PASSWORD, code: '٢٨٧٠٨٢' }, 'CODE_WRONG'],
      [{ password: PASSWORD }, 'INPUT'],
    ] as const)
      expect(codeOf(await post(browser, '/second-factor', body))).toBe(expected);
    expect((await browser.send('GET', '/api/v1/second-factor')).body).toEqual(off);
    const { body } = await post(browser, '/second-factor', { password: PASSWORD, code });
    const { recoveryCodes } = body as { recoveryCodes: string[] };
    expect(new Set(recoveryCodes).size).toBe(10);
    expect((await browser.send('GET', '/api/v1/second-factor')).body).toMatchObject({
      since: expect.any(String),
      recoveryCodesLeft: 10,
    });
    const stored = JSON.stringify(await db.query('select * from users'));
    for (const each of recoveryCodes) {
      expect(stored).not.toContain(each);
      expect(stored).not.toContain(each.replaceAll('-', ''));
    }
    for (const path of ['/second-factor/secret', '/second-factor'])
      expect(codeOf(await post(browser, path, path.endsWith('t') ? {} : { password: PASSWORD, code }))).toBe(
        'SECOND_FACTOR_ON',
      );
  });

  it('counts only with the newest secret, and not before its code', async () => {
    const browser = openBrowser(server);
    await browser.login('ana');
    expect(codeOf(await post(browser, '/second-factor', { password: PASSWORD, code: '000000' }))).toBe(
      'SECOND_FACTOR_SECRET',
    );
    const { secret } = (await post(browser, '/second-factor/secret')).body as { secret: string };
    await post(browser, '/second-factor/secret');
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() });
    expect(codeOf(await post(browser, '/second-factor', { password: PASSWORD, code }))).toBe('CODE_WRONG');
    expect((await openBrowser(server).login('ana')).body).toMatchObject({ user: { name: 'ana' } });
  });

  it('ends what began with the password alone, and keeps the session that did it', async () => {
    const other = openBrowser(server);
    await other.login('ana');
    const { secret: token } = (await post(other, '/tokens', { name: 'laptop' })).body as { secret: string };
    const { browser } = await enrol('ana');
    expect(await me(other)).toBeNull();
    expect(await me(browser)).toMatchObject({ name: 'ana' });
    const headers = { authorization: `Bearer ${token}`, cookie: null };
    expect((await browser.send('GET', '/api/v1/session', undefined, headers)).status).toBe(401);
  });

  it('is not for users of an OpenID provider, whose provider asks, and not by an access token', async () => {
    await db.query(
      "update users set oidc_issuer = 'https://id.example', oidc_subject = '1' where name = 'ana'",
    );
    const browser = openBrowser(server);
    await browser.login('ana');
    expect(codeOf(await post(browser, '/second-factor/secret'))).toBe('PASSWORD_OF_PROVIDER');
    await addUser(db, 'bia');
    const bia = openBrowser(server);
    await bia.login('bia');
    const { secret } = (await post(bia, '/tokens', { name: 'laptop' })).body as { secret: string };
    const headers = { authorization: `Bearer ${secret}`, cookie: null };
    expect(codeOf(await post(bia, '/second-factor/secret', {}, headers))).toBe('SESSION_REQUIRED');
  });
});

describe('a login', () => {
  it('asks for a code after the right password, and gives nothing before', async () => {
    const { code } = await enrol('ana');
    later();
    const browser = openBrowser(server);
    const asked = await browser.login('ana');
    expect(asked.body).toEqual({
      user: null,
      csrfToken: null,
      accessToken: null,
      pending: expect.any(String),
    });
    expect(browser.cookies.size).toBe(0);
    expect(await me(browser)).toBeNull();
    const answer = await post(browser, '/login/code', { pending: pendingOf(asked), code: code() });
    expect(answer.body).toMatchObject({
      user: { name: 'ana' },
      csrfToken: expect.any(String),
      pending: null,
    });
    expect(await me(browser)).toMatchObject({ name: 'ana' });
    expect(await audit('POST /login')).toEqual([
      expect.objectContaining({ identity: 'user:ana', details: {} }),
      expect.objectContaining({ identity: null, outcome: 'ok', details: { secondFactor: 'asked' } }),
    ]);
    expect(await audit('POST /login/code')).toEqual([
      expect.objectContaining({ identity: 'user:ana', outcome: 'ok', details: { with: 'code' } }),
    ]);
  });

  it('says nothing about the second factor to a wrong password', async () => {
    await enrol('ana');
    const answer = await openBrowser(server).login('ana', 'wrong');
    expect(codeOf(answer)).toBe('LOGIN_FAILED');
    expect(answer.body).not.toHaveProperty('pending');
  });

  it('takes a code once: neither again nor an earlier one after it', async () => {
    const { code } = await enrol('ana');
    // The one that turned it on.
    expect(codeOf((await loginWith('ana', code())).answer)).toBe('CODE_WRONG');
    const early = (later(), code());
    later();
    const now = code();
    expect((await loginWith('ana', now)).answer.status).toBe(200);
    for (const used of [now, early]) expect(codeOf((await loginWith('ana', used)).answer)).toBe('CODE_WRONG');
    expect((await audit('POST /login/code')).at(-1)).toMatchObject({ outcome: 'denied', target: 'ana' });
  });

  it('takes a code once, even at two browsers at the same time', async () => {
    const { code } = await enrol('ana');
    later();
    const both = await Promise.all([loginWith('ana', code()), loginWith('ana', code())]);
    expect(both.map(({ answer }) => String(answer.status)).sort()).toEqual(['200', '401']);
  });

  it.each([
    ['as the app shows it', (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['with blanks around it', (code: string) => ` ${code}\n`],
  ])('takes a code %s', async (_, typed) => {
    const { code } = await enrol('ana');
    later();
    expect((await loginWith('ana', typed(code()))).answer.status).toBe(200);
  });

  it('takes each recovery code once, in any spelling', async () => {
    const { recoveryCodes, browser } = await enrol('ana');
    const [first = '', second = ''] = recoveryCodes;
    expect((await loginWith('ana', first)).answer.status).toBe(200);
    expect(codeOf((await loginWith('ana', first)).answer)).toBe('CODE_WRONG');
    expect((await loginWith('ana', second.replaceAll('-', '').toLowerCase())).answer.status).toBe(200);
    expect((await browser.send('GET', '/api/v1/second-factor')).body).toMatchObject({ recoveryCodesLeft: 8 });
    expect((await audit('POST /login/code'))[0]).toMatchObject({ details: { with: 'recovery code' } });
  });

  it('takes no recovery code of another user', async () => {
    await addUser(db, 'bia');
    const { recoveryCodes } = await enrol('bia');
    await enrol('ana');
    expect(codeOf((await loginWith('ana', recoveryCodes[0] ?? '')).answer)).toBe('CODE_WRONG');
  });
});

/** The first waits are seconds, which a busy machine takes to check a password. */
const prolongWaits = () =>
  db.query("update login_attempts set blocked_until = blocked_until + interval '1 hour' where failures > 0");

describe('guessing codes', () => {
  it('is slowed down, and a right password forgives nothing', async () => {
    const { code, wrong } = await enrol('ana');
    for (let guess = 0; guess < 5; guess += 1)
      expect(codeOf((await loginWith('ana', wrong())).answer)).toBe('CODE_WRONG');
    await prolongWaits();
    const sixth = (await loginWith('ana', wrong())).answer;
    expect([sixth.status, codeOf(sixth)]).toEqual([429, 'LOGIN_LIMITED']);
    later();
    // The right code waits too.
    expect((await loginWith('ana', code())).answer.status).toBe(429);
    await db.query("update login_attempts set blocked_until = '-infinity'");
    expect((await loginWith('ana', code())).answer.status).toBe(200);
    // It has proved the code, so counting begins again.
    later();
    expect(codeOf((await loginWith('ana', wrong())).answer)).toBe('CODE_WRONG');
    expect((await loginWith('ana', code())).answer.status).toBe(200);
  });

  it('counts in a session as at a login', async () => {
    const { browser, wrong } = await enrol('ana');
    for (let guess = 0; guess < 5; guess += 1)
      expect(codeOf(await post(browser, '/second-factor/off', { password: PASSWORD, code: wrong() }))).toBe(
        'CODE_WRONG',
      );
    await prolongWaits();
    expect((await post(browser, '/second-factor/off', { password: PASSWORD, code: wrong() })).status).toBe(
      429,
    );
    expect((await loginWith('ana', wrong())).answer.status).toBe(429);
    // Passwords are counted by themselves.
    expect((await openBrowser(server).login('ana')).status).toBe(200);
  });
});

describe('a pending login', () => {
  it.each<[string, (pending: string) => Promise<string>]>([
    ['made up', async () => 'x'],
    ['of nobody', async () => await forged('eve', 'k')],
    ['signed with another key', async () => await forged('ana', 'k')],
    ['without a signature', async (pending) => `${pending.split('.').slice(0, 2).join('.')}.`],
    [
      'that names another user',
      async (pending) => {
        const [head, body = '', signature] = pending.split('.');
        const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
        const other = Buffer.from(JSON.stringify({ ...claims, user: 'bia' })).toString('base64url');
        return [head, other, signature].join('.');
      },
    ],
  ])('is refused when it is %s', async (_, change) => {
    await addUser(db, 'bia');
    await enrol('bia');
    const { code } = await enrol('ana');
    later();
    const browser = openBrowser(server);
    const pending = await change(pendingOf(await browser.login('ana')));
    expect(codeOf(await post(browser, '/login/code', { pending, code: code() }))).toBe('LOGIN_EXPIRED');
    expect(browser.cookies.size).toBe(0);
  });

  const forged = async (user: string, key: string) =>
    await new SignJWT({ user, via: 'password', accessToken: null })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience('sluice second factor')
      .setExpirationTime('300s')
      .sign(Buffer.from(key.padEnd(32, '.')));

  it.each<[string, (ana: Enrolled) => Promise<unknown>]>([
    ['after 5 minutes', async () => vi.setSystemTime(Date.now() + 301_000)],
    [
      'when the password was changed',
      async ({ browser, code }) => {
        const body = { current: PASSWORD, password: NEW_PASSWORD, code: code() };
        expect((await post(browser, '/password', body)).status).toBe(200);
        later();
      },
    ],
    ['when the user was disabled', async () => await db.query('update users set disabled_at = now()')],
    [
      'when the second factor was turned off',
      async ({ browser, code }) => {
        expect((await post(browser, '/second-factor/off', { password: PASSWORD, code: code() })).status).toBe(
          200,
        );
        later();
      },
    ],
  ])('is void %s', async (_, happen) => {
    const ana = await enrol('ana');
    later();
    const browser = openBrowser(server);
    const pending = pendingOf(await browser.login('ana'));
    await happen(ana);
    expect(codeOf(await post(browser, '/login/code', { pending, code: ana.code() }))).toBe('LOGIN_EXPIRED');
  });
});

describe('no way around it:', () => {
  it('`sluice login` gets an access token only with a code', async () => {
    const { code } = await enrol('ana');
    later();
    const browser = openBrowser(server);
    const body = { name: 'ana', password: PASSWORD, accessToken: { name: 'laptop' } };
    const asked = await post(browser, '/login', body);
    expect(asked.body).toMatchObject({ accessToken: null, pending: expect.any(String) });
    expect(await db.query('select 1 from access_tokens')).toEqual([]);
    const answer = await post(browser, '/login/code', { pending: pendingOf(asked), code: code() });
    expect(answer.body).toMatchObject({ accessToken: expect.stringMatching(/^slu_/), csrfToken: null });
    // What was asked for as a token is no session.
    expect(browser.cookies.size).toBe(0);
  });

  it('a link for a new password ends with the code', async () => {
    await addUser(db, 'bia');
    const { code } = await enrol('bia');
    const ana = openBrowser(server);
    await ana.login('ana');
    const { path } = (await post(ana, '/users/bia/link')).body as { path: string };
    later();
    const bia = openBrowser(server);
    const link = path.replace('/login#link=', '');
    const asked = await post(bia, '/session/claim', { link, password: NEW_PASSWORD });
    expect(asked.body).toMatchObject({ user: null, csrfToken: null, pending: expect.any(String) });
    expect(bia.cookies.size).toBe(0);
    const answer = await post(bia, '/login/code', { pending: pendingOf(asked), code: code() });
    expect(answer.body).toMatchObject({ user: { name: 'bia' } });
  });

  it('a password that an admin sets keeps it on', async () => {
    await addUser(db, 'bia');
    await enrol('bia');
    const ana = openBrowser(server);
    await ana.login('ana');
    await post(ana, '/users/bia/password', { password: NEW_PASSWORD });
    expect((await openBrowser(server).login('bia', NEW_PASSWORD)).body).toMatchObject({ user: null });
  });

  it('a change of the own password needs a code, and a refused password uses none up', async () => {
    const { browser, code } = await enrol('ana');
    later();
    const change = (body: object) =>
      post(browser, '/password', { current: PASSWORD, password: NEW_PASSWORD, ...body });
    expect(codeOf(await change({}))).toBe('CODE_REQUIRED');
    expect(codeOf(await change({ code: '12' }))).toBe('CODE_WRONG');
    expect(codeOf(await change({ code: code(), password: 'short' }))).toBe('PASSWORD_WEAK');
    expect((await change({ code: code() })).status).toBe(200);
    expect((await openBrowser(server).login('ana', NEW_PASSWORD)).body).toMatchObject({ user: null });
  });

  it('turning it off needs password and code', async () => {
    const { browser, code, recoveryCodes } = await enrol('ana');
    later();
    const off = (body: object) => post(browser, '/second-factor/off', body);
    expect(codeOf(await off({ password: 'wrong', code: code() }))).toBe('PASSWORD_WRONG');
    expect(codeOf(await off({ password: PASSWORD, code: '12' }))).toBe('CODE_WRONG');
    expect(codeOf(await off({ password: PASSWORD }))).toBe('INPUT');
    expect((await off({ password: PASSWORD, code: recoveryCodes[3] })).status).toBe(200);
    expect((await openBrowser(server).login('ana')).body).toMatchObject({ user: { name: 'ana' } });
    expect(codeOf(await off({ password: PASSWORD, code: code() }))).toBe('SECOND_FACTOR_OFF');
    const [row] = await db.query('select second_factor, second_factor_step, recovery_codes from users');
    expect(row).toEqual({ second_factor: null, second_factor_step: null, recovery_codes: null });
  });

  it('an admin resets that of others only, which ends their logins', async () => {
    await addUser(db, 'bia', 'admin');
    const bia = await enrol('bia');
    const ana = await enrol('ana');
    const reset = (browser: Browser, name: string) => post(browser, `/users/${name}/second-factor/reset`);
    expect(codeOf(await reset(ana.browser, 'ana'))).toBe('SECOND_FACTOR_OWN');
    expect((await reset(ana.browser, 'bia')).status).toBe(200);
    expect(await me(bia.browser)).toBeNull();
    expect((await openBrowser(server).login('bia')).body).toMatchObject({ user: { name: 'bia' } });
    expect(codeOf(await reset(ana.browser, 'bia'))).toBe('SECOND_FACTOR_OFF');
    expect(codeOf(await reset(ana.browser, 'eve'))).toBe('UNKNOWN_USER');
    expect((await audit('POST /users/{name}/second-factor/reset'))[1]).toMatchObject({
      identity: 'user:ana',
      target: '/users/bia/second-factor/reset',
      outcome: 'ok',
    });
  });

  it('no session begins for a user with a second factor whose code nobody checked', async () => {
    await enrol('ana');
    const user = await findUser(db, 'ana');
    const limits = { idleMs: 1000, absoluteMs: 1000 };
    const start = { via: 'oidc' as const, agent: '', limits, before: null };
    await expect(startSession(db, user as never, { ...start, hasCode: false })).rejects.toThrow(
      'past the second factor',
    );
  });

  it('every row of a session is written by a function that asks', async () => {
    const callers = await Promise.all(
      globSync('src/**/*.ts').map(async (file) => {
        const text = await readFile(file, 'utf8');
        return /\b(?:createSession|createAccessToken)\(/.test(text) ? [file] : [];
      }),
    );
    expect(callers.flat().sort()).toEqual([
      'src/ledger/operator/sessions.ts',
      'src/operator/identity/logins.ts',
      // For the access token of a session that had its code.
      'src/operator/service/identity/index.ts',
      'src/operator/service/identity/logins.ts',
    ]);
  });
});
