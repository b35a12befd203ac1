// The second factor over HTTP: turned on, asked for, guessed and replayed.
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { addUser, codeOf, me, PASSWORD } from './http-context.ts';
import { later, pendingOf, post, secondFactorContext } from './second-factor-context.ts';

const context = secondFactorContext();

describe('turning it on', () => {
  it('needs the password and a code, and shows ten recovery codes', async () => {
    const browser = context.newBrowser();
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
    const stored = JSON.stringify(await context.db.query('select * from users'));
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
    const browser = context.newBrowser();
    await browser.login('ana');
    expect(codeOf(await post(browser, '/second-factor', { password: PASSWORD, code: '000000' }))).toBe(
      'SECOND_FACTOR_SECRET',
    );
    const { secret } = (await post(browser, '/second-factor/secret')).body as { secret: string };
    await post(browser, '/second-factor/secret');
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() });
    expect(codeOf(await post(browser, '/second-factor', { password: PASSWORD, code }))).toBe('CODE_WRONG');
    expect((await context.newBrowser().login('ana')).body).toMatchObject({ user: { name: 'ana' } });
  });

  it('takes the first code in its own 30 seconds only', async () => {
    const browser = context.newBrowser();
    await browser.login('ana');
    const { secret } = (await post(browser, '/second-factor/secret')).body as { secret: string };
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() });
    for (const steps of [1, -2]) {
      later(steps);
      expect(codeOf(await post(browser, '/second-factor', { password: PASSWORD, code }))).toBe('CODE_TIME');
    }
    later();
    expect((await post(browser, '/second-factor', { password: PASSWORD, code })).status).toBe(200);
  });

  it('ends what began with the password alone, and keeps the session that did it', async () => {
    const other = context.newBrowser();
    await other.login('ana');
    const { secret: token } = (await post(other, '/tokens', { name: 'laptop' })).body as { secret: string };
    const { browser } = await context.enrol('ana');
    expect(await me(other)).toBeNull();
    expect(await me(browser)).toMatchObject({ name: 'ana' });
    const headers = { authorization: `Bearer ${token}`, cookie: null };
    expect((await browser.send('GET', '/api/v1/session', undefined, headers)).status).toBe(401);
  });

  it('is not for users of an OpenID provider, whose provider asks, and not by an access token', async () => {
    await context.db.query(
      "update users set oidc_issuer = 'https://id.example', oidc_subject = '1' where name = 'ana'",
    );
    const browser = context.newBrowser();
    await browser.login('ana');
    expect(codeOf(await post(browser, '/second-factor/secret'))).toBe('PASSWORD_OF_PROVIDER');
    await addUser(context.db, 'bia');
    const bia = context.newBrowser();
    await bia.login('bia');
    const { secret } = (await post(bia, '/tokens', { name: 'laptop' })).body as { secret: string };
    const headers = { authorization: `Bearer ${secret}`, cookie: null };
    expect(codeOf(await post(bia, '/second-factor/secret', {}, headers))).toBe('SESSION_REQUIRED');
  });
});

describe('a login', () => {
  it('asks for a code after the right password, and gives nothing before', async () => {
    const { code } = await context.enrol('ana');
    later();
    const browser = context.newBrowser();
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
    expect(await context.audit('POST /login')).toEqual([
      expect.objectContaining({ identity: 'user:ana', details: {} }),
      expect.objectContaining({ identity: null, outcome: 'ok', details: { secondFactor: 'asked' } }),
    ]);
    expect(await context.audit('POST /login/code')).toEqual([
      expect.objectContaining({ identity: 'user:ana', outcome: 'ok', details: { with: 'code' } }),
    ]);
  });

  it('says nothing about the second factor to a wrong password', async () => {
    await context.enrol('ana');
    const answer = await context.newBrowser().login('ana', 'wrong');
    expect(codeOf(answer)).toBe('LOGIN_FAILED');
    expect(answer.body).not.toHaveProperty('pending');
  });

  it('takes a code once: neither again nor an earlier one after it', async () => {
    const { code } = await context.enrol('ana');
    // The one that turned it on.
    expect(codeOf((await context.loginWith('ana', code())).answer)).toBe('CODE_WRONG');
    const early = (later(), code());
    later();
    const now = code();
    expect((await context.loginWith('ana', now)).answer.status).toBe(200);
    expect(codeOf((await context.loginWith('ana', now)).answer)).toBe('CODE_WRONG');
    expect(codeOf((await context.loginWith('ana', early)).answer)).toBe('CODE_TIME');
    expect((await context.audit('POST /login/code')).at(-1)).toMatchObject({
      outcome: 'denied',
      target: 'ana',
    });
  });

  it('takes a code once, even at two browsers at the same time', async () => {
    const { code } = await context.enrol('ana');
    later();
    const both = await Promise.all([context.loginWith('ana', code()), context.loginWith('ana', code())]);
    expect(both.map(({ answer }) => String(answer.status)).sort()).toEqual(['200', '401']);
  });

  it('takes no code after its 30 seconds, and says that it is late', async () => {
    const { code } = await context.enrol('ana');
    later();
    const late = code();
    later();
    const { answer } = await context.loginWith('ana', late);
    expect([answer.status, codeOf(answer)]).toEqual([401, 'CODE_TIME']);
    expect(answer.text).toContain('up to 30 s ago');
    expect((await context.loginWith('ana', code())).answer.status).toBe(200);
  });

  it('takes no code before its time, and not in its time either once it was tried', async () => {
    const { code } = await context.enrol('ana');
    const present = Date.now();
    later(2);
    const early = code();
    later(-1);
    expect(Date.now()).toBeGreaterThan(present);
    const { answer } = await context.loginWith('ana', early);
    expect([codeOf(answer), answer.text]).toEqual(['CODE_TIME', expect.stringContaining('is ahead')]);
    later();
    expect(codeOf((await context.loginWith('ana', early)).answer)).toBe('CODE_WRONG');
    later();
    expect((await context.loginWith('ana', code())).answer.status).toBe(200);
  });

  it.each([
    ['as the app shows it', (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['with blanks around it', (code: string) => ` ${code}\n`],
  ])('takes a code %s', async (_, typed) => {
    const { code } = await context.enrol('ana');
    later();
    expect((await context.loginWith('ana', typed(code()))).answer.status).toBe(200);
  });

  it('takes each recovery code once, in any spelling', async () => {
    const { recoveryCodes, browser } = await context.enrol('ana');
    const [first = '', second = ''] = recoveryCodes;
    expect((await context.loginWith('ana', first)).answer.status).toBe(200);
    expect(codeOf((await context.loginWith('ana', first)).answer)).toBe('CODE_WRONG');
    expect((await context.loginWith('ana', second.replaceAll('-', '').toLowerCase())).answer.status).toBe(
      200,
    );
    expect((await browser.send('GET', '/api/v1/second-factor')).body).toMatchObject({ recoveryCodesLeft: 8 });
    expect((await context.audit('POST /login/code'))[0]).toMatchObject({
      details: { with: 'recovery code' },
    });
  });

  it('takes no recovery code of another user', async () => {
    await addUser(context.db, 'bia');
    const { recoveryCodes } = await context.enrol('bia');
    await context.enrol('ana');
    expect(codeOf((await context.loginWith('ana', recoveryCodes[0] ?? '')).answer)).toBe('CODE_WRONG');
  });
});

/** The first waits are seconds, which a busy machine takes to check a password. */
const prolongWaits = () =>
  context.db.query(
    "update login_attempts set blocked_until = blocked_until + interval '1 hour' where failures > 0",
  );

describe('guessing codes', () => {
  it('is slowed down, and a right password forgives nothing', async () => {
    const { code, wrong } = await context.enrol('ana');
    for (let guess = 0; guess < 5; guess += 1)
      expect(codeOf((await context.loginWith('ana', wrong())).answer)).toBe('CODE_WRONG');
    await prolongWaits();
    const sixth = (await context.loginWith('ana', wrong())).answer;
    expect([sixth.status, codeOf(sixth)]).toEqual([429, 'LOGIN_LIMITED']);
    later();
    // The right code waits too.
    expect((await context.loginWith('ana', code())).answer.status).toBe(429);
    await context.db.query("update login_attempts set blocked_until = '-infinity'");
    expect((await context.loginWith('ana', code())).answer.status).toBe(200);
    // It has proved the code, so counting begins again.
    later();
    expect(codeOf((await context.loginWith('ana', wrong())).answer)).toBe('CODE_WRONG');
    expect((await context.loginWith('ana', code())).answer.status).toBe(200);
  });

  it('counts in a session as at a login', async () => {
    const { browser, wrong } = await context.enrol('ana');
    for (let guess = 0; guess < 5; guess += 1)
      expect(codeOf(await post(browser, '/second-factor/off', { password: PASSWORD, code: wrong() }))).toBe(
        'CODE_WRONG',
      );
    await prolongWaits();
    expect((await post(browser, '/second-factor/off', { password: PASSWORD, code: wrong() })).status).toBe(
      429,
    );
    expect((await context.loginWith('ana', wrong())).answer.status).toBe(429);
    // Passwords are counted by themselves.
    expect((await context.newBrowser().login('ana')).status).toBe(200);
  });
});
