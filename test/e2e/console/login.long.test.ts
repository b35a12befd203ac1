// The login in Chromium: passwords, expired sessions, the second factor, and what a viewer changes about them.
import { expect, it } from 'vitest';
import { checkView, logIn } from '../../support/console/pages.ts';
import { busyOverview } from '../../support/console/sample.ts';
import { consoleAnswers } from '../../support/console/sample-console.ts';
import { type Answer, loginAnswers } from '../../support/console/stub.ts';
import { prepareBrowser } from '../../support/console/with-console.ts';

const withPage = prepareBrowser();

it('a wrong password is refused in words, and the right one opens the address that was asked for', async () => {
  await withPage(consoleAnswers(), {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/campaigns?state=failed`);
    await logIn(page, 'ana', 'wrong');
    await page.getByRole('alert').getByText('wrong name or password').waitFor();
    await logIn(page);
    await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
    expect(page.url()).toBe(`${stub.url}/campaigns?state=failed`);
  });
});

it('an expired session leads to the login, and from there back to the same place', async () => {
  let isExpired = false;
  const logins = loginAnswers();
  const given = consoleAnswers({
    ...logins,
    'GET /session': (req, res) =>
      isExpired
        ? { user: null, csrfToken: null, oidc: null, needsFirstAdmin: false }
        : logins['GET /session']?.(req, res),
    'POST /login': (req, res) => {
      isExpired = false;
      return logins['POST /login']?.(req, res);
    },
    'GET /overview': (_req, res) => {
      if (!isExpired) return busyOverview();
      res.status(401).json({ error: { kind: 'unauthenticated', message: 'log in first' } });
      return undefined;
    },
  });
  await withPage(given, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/?period=360`);
    await logIn(page);
    await page.getByText('3 things stand still').waitFor();
    isExpired = true;
    stub.announce(['overview']);
    await page.getByRole('heading', { name: 'Log in to Sluice' }).waitFor();
    await logIn(page);
    await page.getByText('3 things stand still').waitFor();
    expect(page.url()).toBe(`${stub.url}/?period=360`);
  });
});

it('what is typed in an open form outlasts an expired session, for the same viewer alone', async () => {
  let isExpired = false;
  let name = 'ana';
  const logins = loginAnswers();
  const refuse: Answer = (_req, res) => {
    res.status(401).json({ error: { kind: 'unauthenticated', message: 'log in first' } });
    return undefined;
  };
  const given = consoleAnswers({
    ...logins,
    'GET /session': (req, res) => {
      if (isExpired) return { user: null, csrfToken: null, oidc: null, needsFirstAdmin: false };
      const session = logins['GET /session']?.(req, res) as { user: object | null };
      return session.user === null
        ? session
        : { ...session, user: { ...session.user, identity: `user:${name}` } };
    },
    'POST /login': (req, res) => {
      isExpired = false;
      return logins['POST /login']?.(req, res);
    },
    'GET /users': (req, res) => (isExpired ? refuse(req, res) : { users: [] }),
    'POST /users': refuse,
  });
  await withPage(given, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/settings?tab=users`);
    await logIn(page);
    await page.getByRole('button', { name: 'Add user' }).first().click();
    const form = page.getByRole('dialog');
    const field = form.getByLabel('Login name');
    await field.fill('bia');
    isExpired = true;
    await form.getByRole('button', { name: 'Add user' }).click();
    await page.getByRole('heading', { name: 'Log in to Sluice' }).waitFor();
    await form.waitFor({ state: 'hidden' });
    await logIn(page);
    await form.waitFor();
    expect(await field.inputValue()).toBe('bia');
    await page.getByRole('heading', { name: 'Log in to Sluice' }).waitFor({ state: 'detached' });
    isExpired = true;
    stub.announce(['users']);
    await page.getByRole('heading', { name: 'Log in to Sluice' }).waitFor();
    name = 'eve';
    await logIn(page);
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(await form.count()).toBe(0);
  });
});

it('a login with a second factor asks for a code, and can begin again', async () => {
  const codes: unknown[] = [];
  const logins = loginAnswers();
  const given = consoleAnswers({
    ...logins,
    'POST /login': () => ({ user: null, csrfToken: null, accessToken: null, pending: 'half-a-login' }),
    'POST /login/code': (req, res) => {
      codes.push(req.body);
      if ((req.body as { code?: string }).code === '123456') {
        req.body = { password: 'correct horse battery' };
        return logins['POST /login']?.(req, res);
      }
      res.status(401).json({ error: { kind: 'unauthenticated', message: 'the code is wrong' } });
      return undefined;
    },
  });
  await withPage(given, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/campaigns`);
    await logIn(page);
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('the code is wrong').waitFor();
    await checkView(page, 'login-code', {});
    await page.getByRole('button', { name: 'Start again' }).click();
    await logIn(page);
    await page.getByLabel('Code').fill('123456');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
    expect(codes).toEqual([
      { pending: 'half-a-login', code: '000000' },
      { pending: 'half-a-login', code: '123456' },
    ]);
  });
});

it('viewers turn a second factor on, see their recovery codes once, and turn it off', async () => {
  const commands: unknown[] = [];
  let since: string | null = null;
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const given = consoleAnswers({
    'GET /second-factor': () => ({ since, recoveryCodesLeft: since === null ? 0 : 10, isAvailable: true }),
    'POST /second-factor/secret': () => ({ secret, uri: `otpauth://totp/Sluice:ana?secret=${secret}` }),
    'POST /second-factor': (req) => {
      commands.push(req.body);
      since = new Date().toISOString();
      return { recoveryCodes: ['AAAA-BBBB-CCCC-DDDD', 'EEEE-FFFF-GGGG-HHHH'] };
    },
    'POST /second-factor/off': (req) => {
      commands.push(req.body);
      since = null;
      return {};
    },
  });
  await withPage(given, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/settings?tab=secondFactor`);
    await logIn(page);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await page.getByText(secret).waitFor();
    await page.getByLabel('Current password').fill('correct horse battery');
    await page.getByLabel('Code that the app shows').fill('123456');
    await checkView(page, 'second-factor', {});
    await page.getByRole('button', { name: 'Turn on' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('EEEE-FFFF-GGGG-HHHH').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Recovery codes left').waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    await page.getByLabel('Current password').fill('correct horse battery');
    await page.getByLabel('recovery code').fill('AAAA-BBBB-CCCC-DDDD');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
    expect(commands).toEqual([
      { password: 'correct horse battery', code: '123456', keepTokens: false },
      { password: 'correct horse battery', code: 'AAAA-BBBB-CCCC-DDDD' },
    ]);
  });
});

it('viewers change their password', async () => {
  const changes: unknown[] = [];
  const given = consoleAnswers({
    'GET /second-factor': () => ({ since: null, recoveryCodesLeft: 0, isAvailable: true }),
    'POST /password': (req) => {
      changes.push(req.body);
      const user = {
        identity: 'user:ana',
        name: 'ana',
        displayName: 'Ana Souza',
        role: 'admin',
        via: 'session',
      };
      return { user, csrfToken: 'csrf-of-ana', accessToken: null, pending: null };
    },
  });
  await withPage(given, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/settings?tab=password`);
    await logIn(page);
    await page.getByLabel('Current password').fill('correct horse battery');
    await page.getByLabel('New password').fill('another good password');
    await checkView(page, 'password', {});
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed').waitFor();
    expect(changes).toEqual([
      { current: 'correct horse battery', password: 'another good password', keepTokens: false },
    ]);
  });
});
