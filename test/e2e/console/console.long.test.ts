// The built console in Chromium: login, live overview, commands, languages, and no barriers on any screen.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import { checkView, logIn, type OpenOptions, openPage } from '../../support/console/pages.ts';
import {
  busyOverview,
  callMinutes,
  HOSTILE_NAME,
  quietOverview,
  spending,
} from '../../support/console/sample.ts';
import { eventAnswers } from '../../support/console/sample-events.ts';
import { type Answer, loginAnswers, type Stub, startStub } from '../../support/console/stub.ts';
import { buildOnce } from '../../support/runner/build.ts';

const ROUTES = ['/', '/syncs', '/campaigns', '/conversations', '/events', '/people', '/settings', '/nowhere'];

let browser: Browser;
let dist: string;

beforeAll(async () => {
  dist = await buildOnce();
  browser = await launchChromium();
}, 180_000);
afterAll(() => browser?.close());

const answers = (more: Readonly<Record<string, Answer>> = {}): Readonly<Record<string, Answer>> => ({
  ...loginAnswers(),
  ...eventAnswers(),
  'GET /overview': busyOverview,
  'GET /spending': spending,
  'GET /calls/minutes': (req) => callMinutes(Number(req.query['minutes'])),
  ...more,
});

async function withConsole(
  given: Readonly<Record<string, Answer>>,
  options: OpenOptions,
  test: (opened: Awaited<ReturnType<typeof openPage>> & { readonly stub: Stub }) => Promise<void>,
): Promise<void> {
  const stub = await startStub(given, dist);
  const opened = await openPage(browser, stub.url, options);
  try {
    await test({ ...opened, stub });
    expect(opened.complaints).toEqual([]);
  } finally {
    await opened.context.close();
    await stub.close();
  }
}

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'desktop' },
  { scheme: 'light', size: 'phone' },
  { scheme: 'dark', size: 'phone' },
] as const)('in $scheme on a $size', (options) => {
  it('no screen has a serious barrier, and none is wider than the window', { timeout: 120_000 }, async () => {
    await withConsole(answers(), options, async ({ page, stub }) => {
      const check = (name: string) => checkView(page, name, options);
      await page.goto(stub.url);
      await page.getByRole('heading', { name: 'Log in to Sluice' }).waitFor();
      await check('login');
      await logIn(page);
      await page.getByText('1 thing stands still').waitFor();
      await page.locator('.uplot canvas').waitFor();
      for (const route of ROUTES) {
        await page.goto(stub.url + route);
        await page.getByRole('heading', { level: 1 }).waitFor();
        if (route === '/') await page.locator('.uplot canvas').waitFor();
        await check(route === '/' ? 'overview' : route.slice(1));
      }
    });
  });
});

it('a wrong password is refused in words, and the right one opens the address that was asked for', async () => {
  await withConsole(answers(), {}, async ({ page, stub }) => {
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
  const given = answers({
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
  await withConsole(given, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/?period=360`);
    await logIn(page);
    await page.getByText('1 thing stands still').waitFor();
    isExpired = true;
    stub.announce(['overview']);
    await page.getByRole('heading', { name: 'Log in to Sluice' }).waitFor();
    await logIn(page);
    await page.getByText('1 thing stands still').waitFor();
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
  const given = answers({
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
  await withConsole(given, {}, async ({ page, stub }) => {
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

it('the overview counts failures of the last day only when it is asked to', async () => {
  let counted = 0;
  const at = new Date().toISOString();
  const failure = { account: 'acme', run: null, outcome: 'failed', reason: null, firstAt: at, lastAt: at };
  const given = answers({
    'GET /failures': () => {
      counted++;
      const members = Object.assign({ kind: 'member', name: 'spring', code: 'HTTP_500', count: 12 }, failure);
      return { since: at, until: at, failures: [members], more: false, repaired: 2, problems: [] };
    },
    'GET /refusals/hours': () => ({ hours: [] }),
  });
  await withConsole(given, {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    const section = page.getByRole('region', { name: 'Failed in the last 24 hours' });
    await section.waitFor();
    stub.announce(['overview']);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(counted).toBe(0);
    await section.getByRole('button', { name: 'Count' }).click();
    await section.getByText('HTTP_500: 12').waitFor();
    await section.getByText('2 more failures were made good').waitFor();
    expect(await section.getByRole('link', { name: 'Members of campaigns' }).getAttribute('href')).toBe(
      '/campaigns',
    );
    expect(counted).toBe(1);
  });
});

it('the overview changes when the server announces it, and says when the connection is lost', async () => {
  let overview = busyOverview();
  await withConsole(answers({ 'GET /overview': () => overview }), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByText('1 thing stands still').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    overview = quietOverview();
    stub.announce(['overview']);
    await page.getByText('All is well. Nothing needs you, and nothing did since').waitFor();
    overview = busyOverview();
    // Nothing announces the change that happens while the connection is lost.
    stub.cutStreams();
    await page.getByText('1 thing stands still').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });
});

it('an overview that cannot be read says why, and not that all is well as before', async () => {
  let gone = false;
  const overview: Answer = (_req, res) => {
    if (!gone) return quietOverview();
    const message = "the ledger's database: connect ECONNREFUSED";
    return res.status(503).json({ error: { kind: 'unavailable', code: 'LEDGER', message } });
  };
  await withConsole(answers({ 'GET /overview': overview }), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByText('All is well').waitFor();
    gone = true;
    stub.announce(['overview']);
    await page.getByText('connect ECONNREFUSED').waitFor();
    expect(await page.getByText('All is well').count()).toBe(0);
    gone = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('All is well').waitFor();
  });
});

it('a command says what it does, takes a reason, and carries the CSRF token', async () => {
  const commands: unknown[] = [];
  const given = answers({
    'POST /campaigns/campaign-7/resume': (req) => {
      commands.push([req.get('x-csrf-token'), req.body]);
      return {};
    },
  });
  await withConsole(given, {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByRole('button', { name: 'Resume' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Work goes on from where it stopped.').waitFor();
    await dialog.getByRole('textbox').fill('flow 7 is active again');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Resume: winback').waitFor();
    expect(commands).toEqual([['csrf-of-ana', { reason: 'flow 7 is active again' }]]);
    // The server refuses the next one: its own words show.
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('there is no POST /campaigns/campaign-9/approve').waitFor();
  });
});

it('a login with a second factor asks for a code, and can begin again', async () => {
  const codes: unknown[] = [];
  const logins = loginAnswers();
  const given = answers({
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
  await withConsole(given, {}, async ({ page, stub }) => {
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
  const given = answers({
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
  await withConsole(given, {}, async ({ page, stub }) => {
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
  const given = answers({
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
  await withConsole(given, {}, async ({ page, stub }) => {
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

it('a viewer sees no button that needs the role of an operator', async () => {
  await withConsole(answers(loginAnswers('viewer')), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByText('1 thing stands still').waitFor();
    expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
  });
});

it('names from outside are text', async () => {
  await withConsole(answers(), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByText(HOSTILE_NAME).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });
});

it('a browser in Portuguese sees Portuguese, with its numbers and the zone of its times', async () => {
  await withConsole(answers(), { locale: 'pt-BR' }, async ({ page, stub }) => {
    await page.goto(stub.url);
    await page.getByRole('heading', { name: 'Entrar no Sluice' }).waitFor();
    await logIn(page);
    await page.getByText('38.760 de 100.000').waitFor();
    await page.getByRole('button', { name: 'Suas preferências: Ana Souza' }).click();
    await page.getByText('Horários em America/Sao_Paulo (GMT-3)').first().waitFor();
    await page.getByText('English', { exact: true }).click();
    await page.getByText('38,760 of 100,000').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });
});

it('what a viewer types to find a person is neither in the address nor in the history', async () => {
  await withConsole(answers(), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByRole('searchbox', { name: 'Find a person by phone' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('+55 11 91234-5601');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    expect(page.url()).toBe(`${stub.url}/people`);
    expect(await page.getByRole('searchbox').last().inputValue()).toBe('+55 11 91234-5601');
    expect(await page.evaluate<string>('JSON.stringify(history.state)')).not.toContain('91234');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    expect(await page.getByRole('searchbox').last().inputValue()).toBe('');
  });
});
