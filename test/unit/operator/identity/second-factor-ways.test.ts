// Every way that could come past the second factor: the login that waits for its code, links, tokens, passwords, resets.
import { globSync, readFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { startSession } from '../../../../src/operator/identity/logins.ts';
import { findUser } from '../../../../src/operator/store/identity/users.ts';
import { addUser, type Browser, codeOf, me, PASSWORD } from './http-context.ts';
import {
  type Enrolled,
  later,
  NEW_PASSWORD,
  pendingOf,
  post,
  secondFactorContext,
} from './second-factor-context.ts';

const context = secondFactorContext();

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
    await addUser(context.db, 'bia');
    await context.enrol('bia');
    const { code } = await context.enrol('ana');
    later();
    const browser = context.newBrowser();
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
    [
      'when the user was disabled',
      async () => await context.db.query('update users set disabled_at = now()'),
    ],
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
    const ana = await context.enrol('ana');
    later();
    const browser = context.newBrowser();
    const pending = pendingOf(await browser.login('ana'));
    await happen(ana);
    expect(codeOf(await post(browser, '/login/code', { pending, code: ana.code() }))).toBe('LOGIN_EXPIRED');
  });
});

describe('no way around it:', () => {
  it('`sluice login` gets an access token only with a code', async () => {
    const { code } = await context.enrol('ana');
    later();
    const browser = context.newBrowser();
    const body = { name: 'ana', password: PASSWORD, accessToken: { name: 'laptop' } };
    const asked = await post(browser, '/login', body);
    expect(asked.body).toMatchObject({ accessToken: null, pending: expect.any(String) });
    expect(await context.db.query('select 1 from access_tokens')).toEqual([]);
    const answer = await post(browser, '/login/code', { pending: pendingOf(asked), code: code() });
    expect(answer.body).toMatchObject({ accessToken: expect.stringMatching(/^slu_/), csrfToken: null });
    // What was asked for as a token is no session.
    expect(browser.cookies.size).toBe(0);
  });

  it('a link for a new password ends with the code', async () => {
    await addUser(context.db, 'bia');
    const { code } = await context.enrol('bia');
    const ana = context.newBrowser();
    await ana.login('ana');
    const { path } = (await post(ana, '/users/bia/link')).body as { path: string };
    later();
    const bia = context.newBrowser();
    const link = path.replace('/login#link=', '');
    const asked = await post(bia, '/session/claim', { link, password: NEW_PASSWORD });
    expect(asked.body).toMatchObject({ user: null, csrfToken: null, pending: expect.any(String) });
    expect(bia.cookies.size).toBe(0);
    const answer = await post(bia, '/login/code', { pending: pendingOf(asked), code: code() });
    expect(answer.body).toMatchObject({ user: { name: 'bia' } });
  });

  it('a password that an admin sets keeps it on', async () => {
    await addUser(context.db, 'bia');
    await context.enrol('bia');
    const ana = context.newBrowser();
    await ana.login('ana');
    await post(ana, '/users/bia/password', { password: NEW_PASSWORD });
    expect((await context.newBrowser().login('bia', NEW_PASSWORD)).body).toMatchObject({ user: null });
  });

  it('a change of the own password needs a code, and a refused password uses none up', async () => {
    const { browser, code } = await context.enrol('ana');
    later();
    const change = (body: object) =>
      post(browser, '/password', { current: PASSWORD, password: NEW_PASSWORD, ...body });
    expect(codeOf(await change({}))).toBe('CODE_REQUIRED');
    expect(codeOf(await change({ code: '12' }))).toBe('CODE_WRONG');
    expect(codeOf(await change({ code: code(), password: 'short' }))).toBe('PASSWORD_WEAK');
    expect((await change({ code: code() })).status).toBe(200);
    expect((await context.newBrowser().login('ana', NEW_PASSWORD)).body).toMatchObject({ user: null });
  });

  it('turning it off needs password and code', async () => {
    const { browser, code, recoveryCodes } = await context.enrol('ana');
    later();
    const off = (body: object) => post(browser, '/second-factor/off', body);
    expect(codeOf(await off({ password: 'wrong', code: code() }))).toBe('PASSWORD_WRONG');
    expect(codeOf(await off({ password: PASSWORD, code: '12' }))).toBe('CODE_WRONG');
    expect(codeOf(await off({ password: PASSWORD }))).toBe('INPUT');
    expect((await off({ password: PASSWORD, code: recoveryCodes[3] })).status).toBe(200);
    expect((await context.newBrowser().login('ana')).body).toMatchObject({ user: { name: 'ana' } });
    expect(codeOf(await off({ password: PASSWORD, code: code() }))).toBe('SECOND_FACTOR_OFF');
    const [row] = await context.db.query(
      'select second_factor, second_factor_step, recovery_codes from users',
    );
    expect(row).toEqual({ second_factor: null, second_factor_step: null, recovery_codes: null });
  });

  it('an admin resets that of others only, which ends their logins', async () => {
    await addUser(context.db, 'bia', 'admin');
    const bia = await context.enrol('bia');
    const ana = await context.enrol('ana');
    const reset = (browser: Browser, name: string, body: object = { verified: 'seen in person' }) =>
      post(browser, `/users/${name}/second-factor/reset`, body);
    expect(codeOf(await reset(ana.browser, 'bia', {}))).toBe('INPUT');
    expect(codeOf(await reset(ana.browser, 'ana'))).toBe('SECOND_FACTOR_OWN');
    expect((await reset(ana.browser, 'bia')).status).toBe(200);
    expect(await me(bia.browser)).toBeNull();
    expect((await context.newBrowser().login('bia')).body).toMatchObject({ user: { name: 'bia' } });
    expect(codeOf(await reset(ana.browser, 'bia'))).toBe('SECOND_FACTOR_OFF');
    expect(codeOf(await reset(ana.browser, 'eve'))).toBe('UNKNOWN_USER');
    expect((await context.audit('POST /users/{name}/second-factor/reset'))[1]).toMatchObject({
      identity: 'user:ana',
      target: '/users/bia/second-factor/reset',
      details: { verified: 'seen in person' },
      outcome: 'ok',
    });
  });

  it('no session begins for a user with a second factor whose code nobody checked', async () => {
    await context.enrol('ana');
    const user = await findUser(context.db, 'ana');
    const limits = { idleMs: 1000, absoluteMs: 1000 };
    const start = { via: 'oidc' as const, agent: '', limits, before: null };
    await expect(startSession(context.db, user as never, { ...start, hasCode: false })).rejects.toThrow(
      'past the second factor',
    );
  });

  it('every row of a session is written by a function that asks', async () => {
    // One at a time: a machine may allow a process a thousand open files.
    const callers = globSync('src/**/*.ts').filter((file) =>
      /\b(?:createSession|createAccessToken)\(/.test(readFileSync(file, 'utf8')),
    );
    expect(callers.sort()).toEqual([
      'src/operator/identity/logins.ts',
      // For the access token of a session that had its code.
      'src/operator/service/identity/index.ts',
      'src/operator/service/identity/logins.ts',
      'src/operator/store/identity/sessions.ts',
    ]);
  });
});
