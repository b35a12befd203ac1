// The built console in Chromium: live overview, commands, languages, and no barriers on any screen.
import { describe, expect, it } from 'vitest';
import { checkView, logIn } from '../../support/console/pages.ts';
import { busyOverview, callMinutes, HOSTILE_NAME, quietOverview } from '../../support/console/sample.ts';
import { consoleAnswers } from '../../support/console/sample-console.ts';
import { type Answer, loginAnswers } from '../../support/console/stub.ts';
import { prepareBrowser } from '../../support/console/with-console.ts';

const ROUTES = ['/', '/syncs', '/campaigns', '/conversations', '/events', '/people', '/settings', '/nowhere'];
const withPage = prepareBrowser();

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'desktop' },
  { scheme: 'light', size: 'phone' },
  { scheme: 'dark', size: 'phone' },
] as const)('in $scheme on a $size', (options) => {
  it('no screen has a serious barrier, and none is wider than the window', { timeout: 120_000 }, async () => {
    await withPage(consoleAnswers(), options, async ({ page, stub }) => {
      const check = (name: string) => checkView(page, name, options);
      await page.goto(stub.url);
      await page.getByRole('heading', { name: 'Log in to Sluice' }).waitFor();
      await check('login');
      await logIn(page);
      await page.getByText('3 things stand still').waitFor();
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

it.each([
  ['one call in an hour', '60'],
  ['a week', '10080'],
])('the chart of calls repeats no label for %s', async (_, period) => {
  const few: Answer = (req) => {
    const { stepMinutes, minutes } = callMinutes(Number(req.query['minutes']));
    const calls = { reply: 0, lead: 1, poll: 0, campaign: 0, backfill: 0 };
    return { stepMinutes, minutes: minutes.map((minute) => Object.assign(minute, { calls })) };
  };
  await withPage(consoleAnswers({ 'GET /calls/minutes': few }), {}, async ({ page, stub }) => {
    // A canvas keeps no text: what is written since it was cleared.
    await page.addInitScript(`
      const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
      window.written = [];
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        window.written = [];
        return clearRect.apply(this, box);
      };
      CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
        window.written.push(text);
        return fillText.call(this, text, ...at);
      };`);
    await page.goto(stub.url);
    await logIn(page);
    await page.goto(`${stub.url}/?period=${period}`);
    await page.locator('.uplot canvas').waitFor();
    await expect.poll(() => page.evaluate<number>('window.written.length')).toBeGreaterThan(3);
    const labels = (await page.evaluate<string[]>('window.written')).filter((label) => label !== '');
    expect(labels).toEqual([...new Set(labels)]);
    expect(labels.filter((label) => /\d\.\d/.test(label))).toEqual([]);
  });
});

it('the overview counts failures of the last day only when it is asked to', async () => {
  let counted = 0;
  const at = new Date().toISOString();
  const run = 'acme/+spring/1';
  const failure = { account: 'acme', run, outcome: 'failed', reason: null, firstAt: at, lastAt: at };
  const given = consoleAnswers({
    'GET /failures': ({ query }) => {
      counted++;
      // Refused requests are counted by full hours.
      expect(query['since']).toMatch(/:00:00\.000Z$/);
      const members = Object.assign({ kind: 'member', name: 'spring', code: 'HTTP_500', count: 12 }, failure);
      return {
        since: at,
        until: at,
        failures: [members],
        more: false,
        repaired: 1200,
        retriedCalls: 1,
        problems: [],
      };
    },
  });
  await withPage(given, {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    const section = page.getByRole('region', { name: 'Failed in the last day' });
    await section.waitFor();
    stub.announce(['overview']);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(counted).toBe(0);
    await section.getByRole('button', { name: 'Count' }).click();
    await section.getByText('HTTP_500: 12').waitFor();
    await section.getByText('1,200 more failures were made good').waitFor();
    await section.getByText(/^Since .+: the full hours of the last day\.$/).waitFor();
    expect(await section.getByRole('link', { name: 'spring', exact: true }).getAttribute('href')).toBe(
      '/campaigns?run=acme%2F%2Bspring%2F1',
    );
    expect(counted).toBe(1);
  });
});

it('the chart of calls shows failed and refused calls as such, in words and in its table', async () => {
  await withPage(consoleAnswers(), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    const chart = page.getByRole('figure', {
      name: 'Calls per minute. Answered 429, made again: 50. Failed: 400',
    });
    await chart.locator('canvas').waitFor();
    const legend = await chart.getByRole('listitem').allTextContents();
    expect(legend.slice(-3)).toEqual(['Answered 429, made again', 'Failed', 'Limit 240']);
    await chart.getByRole('button', { name: 'table' }).click();
    const cells = await chart.getByRole('row').nth(25).getByRole('cell').allTextContents();
    expect(cells.slice(-3)).toEqual(['5', '40', '240']);
  });
});

it('the overview changes when the server announces it, and says when the connection is lost', async () => {
  let overview = busyOverview();
  await withPage(consoleAnswers({ 'GET /overview': () => overview }), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByText('3 things stand still').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    overview = quietOverview();
    stub.announce(['overview']);
    await page.getByText('All is well. Nothing needs you, and nothing did since').waitFor();
    overview = busyOverview();
    // Nothing announces the change that happens while the connection is lost.
    stub.cutStreams();
    await page.getByText('3 things stand still').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });
});

it('a service that does not answer stands apart from what waits for somebody', async () => {
  const overview = busyOverview();
  const [first] = overview.needs;
  const away = Object.assign({}, first, {
    kind: 'service-away',
    severity: 'critical',
    account: 'acme',
    name: 'acme',
    since: new Date(Date.now() - 600_000).toISOString(),
    code: 'TRANSPORT_REFUSED',
    reason: 'the service does not answer',
    commands: [],
  });
  const byHand = Object.assign({}, first, {
    kind: 'failed-events',
    severity: 'warning',
    name: '_cli',
    count: 2,
  });
  const given = consoleAnswers({ 'GET /overview': () => ({ ...overview, needs: [away, byHand] }) });
  await withPage(given, {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page
      .getByText(
        /Work waits for the service of acme since .+, and goes on by itself when it answers\. 1 more thing needs you\./,
      )
      .waitFor();
    await page.getByText('2 events of messages sent by hand failed').waitFor();
  });
});

it('a refused token names what it blocks, with links to it', async () => {
  const overview = busyOverview();
  const [first] = overview.needs;
  const blocks = [
    { kind: 'sync', name: 'contacts', run: 'acme/contacts/7' },
    { kind: 'poller', name: 'chats', run: null },
  ] as const;
  const refused = Object.assign({}, first, {
    kind: 'refused-token',
    account: 'acme',
    name: '1',
    run: null,
    code: 'ERR_TOKEN_REVOKED',
    reason: 'the service refuses the token',
    commands: [],
    blocks,
  });
  const given = consoleAnswers({ 'GET /overview': () => ({ ...overview, needs: [refused] }) });
  await withPage(given, { size: 'phone' }, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByText('It blocks sync contacts, poller chats').waitFor();
    const link = page.getByRole('link', { name: 'sync contacts' });
    const href = new URL((await link.getAttribute('href')) ?? '', stub.url);
    expect([href.pathname, href.searchParams.get('name')]).toEqual(['/syncs', 'contacts']);
    await checkView(page, 'overview-refused-token', { size: 'phone' });
  });
});

it('a priority says what goes before and after it by name, before it is saved', async () => {
  const set: unknown[] = [];
  const answer: Answer = ({ body }) => {
    set.push(body);
    return { file: 'sluice.yaml', before: 'backfill', active: true, running: null };
  };
  const options = { size: 'phone', scheme: 'dark' } as const;
  await withPage(consoleAnswers({ 'PUT /syncs/contacts/lane': answer }), options, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByLabel('Priority of contacts').selectOption('lead');
    await page.getByText('Goes first: event route notify.').waitFor();
    await page.getByText('Nothing of this account takes turns with it.').waitFor();
    await page.getByText('Goes after it: poller chats and campaign spring.').waitFor();
    expect(set).toEqual([]);
    await checkView(page, 'overview-priority', options);
    await page.getByRole('button', { name: 'Save priority' }).click();
    await page.getByText('contacts: the new priority counts from its next run on').waitFor();
    expect(set).toMatchObject([{ lane: 'lead' }]);
  });
});

it('an overview that cannot be read says why, and not that all is well as before', async () => {
  let gone = false;
  const overview: Answer = (_req, res) => {
    if (!gone) return quietOverview();
    const message = "the ledger's database: connect ECONNREFUSED";
    return res.status(503).json({ error: { kind: 'unavailable', code: 'LEDGER', message } });
  };
  await withPage(consoleAnswers({ 'GET /overview': overview }), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByText('All is well').waitFor();
    gone = true;
    stub.announce(['overview']);
    await page.getByText('connect ECONNREFUSED').waitFor();
    await page
      .getByText(/^The database of Sluice has not answered since \d\d:\d\d.* goes on by itself/)
      .waitFor();
    expect(await page.getByText('All is well').count()).toBe(0);
    gone = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('All is well').waitFor();
  });
});

it('a command says what it does, takes a reason, and carries the CSRF token', async () => {
  const commands: unknown[] = [];
  const given = consoleAnswers({
    'POST /campaigns/campaign-7/resume': (req) => {
      commands.push([req.get('x-csrf-token'), req.body]);
      return {};
    },
  });
  await withPage(given, {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByRole('button', { name: 'Resume' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Work goes on from where it stopped.').waitFor();
    await dialog.getByRole('textbox').fill('flow 7 is active again');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Resume: winback').waitFor();
    expect(commands).toEqual([['csrf-of-ana', { reason: 'flow 7 is active again' }]]);
    // A plan is approved where it can be read.
    await page.getByRole('link', { name: /^Check and approve: / }).click();
    await page.waitForURL(/\/campaigns\?run=campaign-9&tab=plan$/);
  });
});

it('a viewer sees no button that needs the role of an operator', async () => {
  await withPage(consoleAnswers(loginAnswers('viewer')), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByText('3 things stand still').waitFor();
    expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
  });
});

it('names from outside are text', async () => {
  await withPage(consoleAnswers(), {}, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByText(HOSTILE_NAME).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });
});

it('a refusal is in the language of the page, and keeps the sentence of the server beside it', async () => {
  const message = 'the campaign "spring" has no plan; run `sluice campaign plan spring`';
  const given = consoleAnswers({
    'POST /campaigns/campaign-7/resume': (_req, res) =>
      res.status(409).json({ error: { kind: 'conflict', code: 'NOT_PLANNED', message } }),
  });
  await withPage(given, { locale: 'pt-BR' }, async ({ page, stub }) => {
    await page.goto(stub.url);
    await logIn(page);
    await page.getByRole('button', { name: 'Retomar' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retomar' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Não há plano para iniciar' });
    await notice.waitFor();
    expect(await notice.locator('[lang=en]').textContent()).toBe(message);
  });
});

it('a browser in Portuguese sees Portuguese, with its numbers and the zone of its times', async () => {
  await withPage(consoleAnswers(), { locale: 'pt-BR' }, async ({ page, stub }) => {
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
  await withPage(consoleAnswers(), {}, async ({ page, stub }) => {
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
