// `operator.secondFactor: required`: whoever has no second factor can only turn one on.
import { Secret, TOTP } from 'otpauth';
import { beforeEach, describe, expect, it } from 'vitest';
import { API_PREFIX, type Endpoint } from '../../../../src/core/endpoint.ts';
import { ENDPOINTS } from '../../../../src/operator/contract/index.ts';
import { addUser, type Browser, codeOf, PASSWORD } from './http-context.ts';
import { later, post, secondFactorContext } from './second-factor-context.ts';

const context = secondFactorContext();
const REQUIRED = 'SECOND_FACTOR_REQUIRED';
const OPEN = new Set([
  'GET /session',
  'GET /second-factor',
  'POST /second-factor/secret',
  'POST /second-factor',
  'POST /logout',
]);
const requireFactor = () => context.configure({ secondFactor: 'required' });
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}`, cookie: null });

async function tokenOf(browser: Browser): Promise<string> {
  return ((await post(browser, '/tokens', { name: 'script' })).body as { secret: string }).secret;
}

describe('a session without a second factor', () => {
  let browser: Browser;
  beforeEach(async () => {
    browser = context.newBrowser();
    await browser.login('ana');
    requireFactor();
  });

  it('is answered by nothing else, whatever the role', async () => {
    const closed = Object.entries<Endpoint>(ENDPOINTS).filter(
      ([route, { role }]) => role !== 'anyone' && !OPEN.has(route),
    );
    expect(closed.length).toBeGreaterThan(100);
    for (const [route, { bytes }] of closed) {
      const [method = '', path = ''] = route.split(' ');
      const body = method === 'GET' || bytes !== undefined ? undefined : {};
      const answer = await browser.send(method, API_PREFIX + path.replace(/\{\w+\}/g, '1'), body);
      expect([route, answer.status, codeOf(answer)]).toEqual([route, 403, REQUIRED]);
    }
    const changes = await browser.send('GET', `${API_PREFIX}/changes`);
    expect([changes.status, codeOf(changes)]).toEqual([403, REQUIRED]);
    expect((await context.audit('POST /tokens')).at(-1)).toMatchObject({ outcome: 'denied' });
  });

  it('learns that, turns one on and goes on', async () => {
    const needs = async () =>
      ((await browser.send('GET', `${API_PREFIX}/session`)).body as { user: unknown }).user;
    expect(await needs()).toMatchObject({ name: 'ana', needsSecondFactor: true });
    expect((await browser.send('GET', `${API_PREFIX}/second-factor`)).status).toBe(200);
    const { secret } = (await post(browser, '/second-factor/secret')).body as { secret: string };
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() });
    expect((await post(browser, '/second-factor', { password: PASSWORD, code })).status).toBe(200);
    expect(await needs()).toMatchObject({ needsSecondFactor: false });
    expect((await browser.send('GET', `${API_PREFIX}/users`)).status).toBe(200);
  });

  it('may end', async () => {
    expect((await post(browser, '/logout')).status).toBe(200);
    expect((await browser.login('ana')).body).toMatchObject({ user: { needsSecondFactor: true } });
  });

  it('is answered by everything again where a second factor is optional', async () => {
    context.configure({ secondFactor: 'optional' });
    expect((await browser.send('GET', `${API_PREFIX}/users`)).status).toBe(200);
  });
});

describe('an access token of a user without a second factor', () => {
  it('is refused, and can only be revoked', async () => {
    const browser = context.newBrowser();
    await browser.login('ana');
    const headers = bearer(await tokenOf(browser));
    expect((await browser.send('GET', `${API_PREFIX}/users`, undefined, headers)).status).toBe(200);
    requireFactor();
    for (const path of ['/users', '/session', '/second-factor'])
      expect(codeOf(await browser.send('GET', API_PREFIX + path, undefined, headers))).toBe(REQUIRED);
    expect((await post(browser, '/logout', {}, headers)).status).toBe(200);
    expect(codeOf(await browser.send('GET', `${API_PREFIX}/session`, undefined, headers))).toBe(
      'TOKEN_INVALID',
    );
  });

  it('is not made by a login', async () => {
    requireFactor();
    const login = { name: 'ana', password: PASSWORD, accessToken: { name: 'laptop' } };
    expect(codeOf(await post(context.newBrowser(), '/login', login))).toBe(REQUIRED);
    expect(await context.db.query('select 1 from access_tokens')).toEqual([]);
    expect((await context.audit('POST /login')).at(-1)).toMatchObject({ outcome: 'denied', target: 'ana' });
  });
});

describe('everybody else', () => {
  it('with a second factor goes on, and so does the access token', async () => {
    const { browser, code } = await context.enrol('ana');
    requireFactor();
    const headers = bearer(await tokenOf(browser));
    expect((await browser.send('GET', `${API_PREFIX}/users`, undefined, headers)).status).toBe(200);
    later();
    expect((await post(browser, '/second-factor/off', { password: PASSWORD, code: code() })).status).toBe(
      200,
    );
    for (const extra of [{}, headers])
      expect(codeOf(await browser.send('GET', `${API_PREFIX}/users`, undefined, extra))).toBe(REQUIRED);
  });

  it('of an OpenID provider goes on: the provider asks', async () => {
    await addUser(context.db, 'bia');
    const browser = context.newBrowser();
    await browser.login('bia');
    await context.db.query(
      "update users set oidc_issuer = 'https://id.example', oidc_subject = '1' where name = 'bia'",
    );
    requireFactor();
    expect((await browser.send('GET', `${API_PREFIX}/sessions`)).status).toBe(200);
  });
});
