// The form of a campaign in Chromium, over the real handlers, a configuration file and a ledger: the form and the YAML edit
// one draft, the count follows, and what is saved keeps what the form does not know.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createOperator } from '../../../src/app/operator.ts';
import { createLiveConfig } from '../../../src/config/live-config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createApi, refuseWith } from '../../../src/operator/http/api.ts';
import { consoleRouter } from '../../../src/operator/http/console.ts';
import { type Listener, listen } from '../../../src/operator/http/listen.ts';
import { launchChromium } from '../../support/chromium.ts';
import { checkView, type OpenOptions, openPage } from '../../support/console/pages.ts';
import { testLedger } from '../../support/postgres/ledger.ts';
import { buildOnce } from '../../support/runner/build.ts';

const FILE = `version: 1
accounts:
  acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: [env:TOKEN], timeZone: America/Sao_Paulo }
sources:
  leads: { type: csv, path: leads.csv }
campaigns:
  spring:
    account: acme
    flow: 7 # reactivation
    connection: 1
    defaultCountry: BR
    variables: { name: name }
    audience:
      - { from: source, source: leads, number: phone } # from the shop
    exclude: { numbers: ["+5511987650004"] }
    windows: { days: { mon: ["09:00-18:00"], tue: ["09:00-12:00", "13:00-18:00"] } }
    waves: { canary: 20, size: [50, 100] }
    humanService: { retryAfter: 2h } # the form does not know it
`;

let browser: Browser;
let dist: string;
let dir: string;
let listener: Listener;

beforeAll(async () => {
  [dist, browser] = [await buildOnce(), await launchChromium()];
  await testLedger();
}, 240_000);
afterAll(() => browser?.close());

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-form-'));
  await writeFile(join(dir, 'sluice.yaml'), FILE);
  const rows = [
    '5511987650001,Ana',
    '5511987650002,Bia',
    '5511987650003,',
    '5511987650004,Caio',
    'none,Davi',
  ];
  await writeFile(join(dir, 'leads.csv'), `phone,name\n${rows.join('\n')}\n`);
  const config = await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_form' } });
  const live = createLiveConfig(config, { log: console });
  const operator = createOperator({
    db: await testLedger(),
    config: live.current,
    live,
    temporal: () => Promise.reject(new Error('this test has no Temporal server')),
    runningTemporal: async () => null,
    env: { TOKEN: 'svc_test_form' },
    stateDir: join(dir, 'state'),
    log: { info: () => undefined, warn: () => undefined, error: (...line) => console.error(...line) },
  });
  const user = {
    identity: 'user:bia',
    name: 'bia',
    displayName: 'Bia',
    role: 'admin',
    via: 'session',
  } as const;
  const app = express();
  app.use((_req, res, next) => {
    res.locals.nonce = 'nonce';
    res.locals.caller = user;
    next();
  });
  app.get('/api/v1/session', (_req, res) => {
    res.json({ user, csrfToken: 'csrf', oidc: null, needsFirstAdmin: false });
  });
  app.get('/api/v1/changes', (_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    res.write('event: open\ndata: {}\n\n');
  });
  app.use(createApi(operator.dispatch));
  app.use(consoleRouter(join(dist, 'console'), (res) => String(res.locals.nonce)));
  app.use(refuseWith(console));
  listener = await listen(app, { host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await listener.close();
  await rm(dir, { recursive: true, force: true });
});

async function withPage(options: OpenOptions, test: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, complaints } = await openPage(browser, listener.url, options);
  try {
    await test(page);
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

it('the count follows the form, and what is saved keeps comments and other keys', {
  timeout: 90_000,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    await page.getByText('2 people', { exact: true }).first().waitFor();
    for (const reason of [
      'A variable of the flow is empty',
      'An excluded number',
      'The number is not a phone number',
    ])
      await page.getByRole('list', { name: 'Excluded, by reason' }).getByText(reason).waitFor();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('50, 100');

    await page.getByLabel('Phone numbers', { exact: true }).fill('');
    await page.getByText('3 people', { exact: true }).first().waitFor();
    await page.getByLabel('More failed than').fill('10');
    const wednesday = page.getByRole('group', { name: 'Wednesday' });
    const hours = (number: number, end: string) =>
      wednesday.getByLabel(`Wednesday, hours ${number}: ${end}`, { exact: true });
    const addHours = wednesday.getByRole('button', { name: 'Add hours' });
    await addHours.click();
    await hours(1, 'from').fill('08:00');
    await hours(1, 'to').fill('12:00');
    await addHours.click();
    await wednesday.getByText('Choose both times').waitFor();
    expect(await hours(2, 'to').getAttribute('aria-invalid')).toBe('true');
    await hours(2, 'from').fill('14:00');
    await hours(2, 'until 24:00').check();
    expect(await hours(2, 'to').inputValue()).toBe('24:00');
    await wednesday.getByText('Choose both times').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Tuesday: remove hours 1' }).click();
    const holidays = page.getByRole('group', { name: 'Days off' });
    for (const [n, day] of ['2026-12-25', '2026-12-31'].entries()) {
      await holidays.getByRole('button', { name: 'Add a day' }).click();
      await holidays.getByLabel(`Holiday ${n + 1}`, { exact: true }).fill(day);
    }
    await holidays.getByLabel('every year').first().check();
    await page.getByLabel('First trigger not before').fill('2099-12-01T09:00');
    await page.getByText('Time zone of the account: America/Sao_Paulo.').first().waitFor();

    await page.getByLabel('Time between waves').fill('soon');
    const field = page.getByLabel('Time between waves');
    await expect.poll(() => field.getAttribute('aria-invalid'), { timeout: 10_000 }).toBe('true');
    await field.fill('1h');

    await page.getByRole('tab', { name: 'YAML' }).click();
    const yaml = page.getByRole('textbox', { name: /Its part of/ });
    const text = await yaml.inputValue();
    expect(text).toContain('# the form does not know it');
    expect(text).not.toContain('exclude');
    await yaml.fill(text.replace('flow: 7', 'flow: 8'));
    await page.getByRole('tab', { name: 'Form' }).click();
    expect(await page.getByLabel('Flow', { exact: true }).inputValue()).toBe('8');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The campaign is saved.').waitFor();
  });
  const saved = await readFile(join(dir, 'sluice.yaml'), 'utf8');
  for (const kept of [
    'flow: 8 # reactivation',
    '# from the shop',
    'retryAfter: 2h',
    'every: 1h',
    'failed: 0.1',
  ])
    expect(saved).toContain(kept);
  expect(
    (await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_form' } })).campaign('spring')
      .config,
  ).toMatchObject({
    start: '2099-12-01T09:00:00-03:00',
    windows: {
      days: { mon: ['09:00-18:00'], tue: ['13:00-18:00'], wed: ['08:00-12:00', '14:00-24:00'] },
      holidays: ['12-25', '2026-12-31'],
    },
    waves: { canary: 20, size: [50, 100], every: '1h' },
    stop: { failed: 0.1 },
  });
});

it('a mistake stands at its field alone, in the language of the page, and elsewhere when no field is shown', {
  timeout: 90_000,
}, async () => {
  await withPage({ locale: 'pt-BR' }, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    const field = page.getByLabel('Tempo entre ondas');
    await field.fill('soon');
    const sentence = page.getByText('Escreva um número e uma unidade: 30s, 5m, 2h, 1d.');
    await sentence.waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await sentence.count()).toBe(1);
    expect(await page.getByText('waves.every').count()).toBe(0);
    const refused = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await refused;
    expect(await sentence.count()).toBe(1);
    expect(await page.getByText(/write a number and a unit/).count()).toBe(0);
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.getByText('waves.every').first().waitFor();
  });
});

it('every variable is in the form, and shows what real people would get', {
  timeout: 90_000,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    const preview = page.getByRole('region', { name: 'What real people would get' });
    await preview.getByText('+55 11 9••••-0001').waitFor();
    await page.getByText('“name” has no value for 1 of the 5 people read.').waitFor();

    // The flow wants `nome`.
    await page.getByRole('button', { name: 'Remove name' }).click();
    await page.getByText('The flow gets no variables.').waitFor();
    await page.getByRole('textbox', { name: 'Name in the flow' }).fill('nome');
    await page.getByRole('button', { name: 'Add a variable' }).click();
    const nome = page.getByRole('group', { name: 'nome' });
    await nome.getByLabel('Field or column').fill('name');
    await nome.getByLabel('If it is empty').fill('cliente');
    await page.getByRole('button', { name: 'Show these values' }).click();
    await preview.getByText('Bia').waitFor();
    await preview.getByText('cliente').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The campaign is saved.').waitFor();
  });
  const saved = await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_form' } });
  expect(saved.campaign('spring').config.variables).toEqual({ nome: { path: 'name', default: 'cliente' } });
});

it('a file that is uploaded becomes the audience, and its columns can be variables', {
  timeout: 90_000,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    await page.setInputFiles('input[type=file]', {
      name: 'Volta às aulas.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Celular;Nome do aluno\n(11) 98765-0011;Eva\n(11) 98765-0012;Lia\n'),
    });
    await page.getByText('Columns: Celular, Nome do aluno.').waitFor();
    expect(await page.getByLabel('Name of the source').inputValue()).toBe('volta-as-aulas');
    await checkView(page, 'campaign-file', {});
    await page.getByRole('button', { name: 'Use this file' }).click();
    await page.getByText('The file is kept as data/volta-as-aulas.csv').waitFor();
    await page.getByLabel('Column of the phone number').waitFor();
    expect(await page.getByLabel('Column of the phone number').inputValue()).toBe('Celular');
    await page.getByRole('group', { name: 'name' }).getByLabel('Field or column').fill('Nome do aluno');
    await page.getByText('2 people', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The campaign is saved.').waitFor();
  });
  const saved = await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_form' } });
  expect(saved.campaign('spring').config).toMatchObject({
    audience: [{ from: 'source', source: 'volta-as-aulas', number: 'Celular' }],
    variables: { name: 'Nome do aluno' },
  });
});

it('a campaign is cloned under a new name, and the copy is deleted', { timeout: 90_000 }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    await page.getByRole('button', { name: 'Clone' }).click();
    await page.getByRole('heading', { name: 'Copy of spring' }).waitFor();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('50, 100');
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('summer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Edit the campaign' }).waitFor();
    expect(await readFile(join(dir, 'sluice.yaml'), 'utf8')).toContain('summer:');

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('deleting is archiving').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The campaign summer is deleted.').waitFor();
  });
  const text = await readFile(join(dir, 'sluice.yaml'), 'utf8');
  expect(text).not.toContain('summer');
  expect(text).toContain('# the form does not know it');
});

it('a test goes to one number, once, and its result is shown', { timeout: 90_000 }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    await page.getByRole('button', { name: 'Test this draft' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test the campaign “spring”' });
    await dialog.getByText('so the account needs a contact with this number').waitFor();
    const values = dialog.getByLabel('What the flow gets');
    await values.waitFor();
    expect(await values.locator('option').allTextContents()).toEqual([
      'What +55 11 9••••-0001 would get',
      'What +55 11 9••••-0002 would get',
      'Values that I type',
    ]);
    await dialog.getByLabel('Your number').fill('(11) 98765');
    await dialog.getByRole('button', { name: 'Trigger the flow' }).click();
    await dialog.getByRole('alert').getByText('Not a phone number').waitFor();
    await checkView(page, 'campaign-test-refused', {});

    // No Temporal server accepts a test here.
    const keys: string[] = [];
    await page.route('**/api/v1/campaign-drafts/test', async (route) => {
      const { key, ...asked } = route.request().postDataJSON() as Record<string, unknown>;
      keys.push(String(key));
      expect(asked).toMatchObject({ number: '(11) 98765-0009', member: { part: 0, contact: null, row: 1 } });
      await route.fulfill({ json: { event: `e${keys.length}`, duplicate: false } });
    });
    const event = { outcome: 'unknown', blocked: null, code: 'FLOW_AMBIGUOUS', reason: null };
    await page.route('**/api/v1/events/e*', (route) => route.fulfill({ json: event }));
    await dialog.getByLabel('Your number').fill('(11) 98765-0009');
    await dialog.getByRole('button', { name: 'Trigger the flow' }).click();
    await dialog.getByRole('status').getByText('Look at the phone before you send another test').waitFor();
    // Closed and opened again, it still shows the test that was sent.
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Test this draft' }).click();
    await dialog.getByRole('status').getByText('Unknown').waitFor();
    await checkView(page, 'campaign-test-sent', {});
    expect(await dialog.getByRole('button', { name: 'Trigger the flow' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Send another test' }).click();
    // The number that was typed before the dialog was closed.
    expect(await dialog.getByLabel('Your number').inputValue()).toBe('(11) 98765-0009');
    await dialog.getByRole('button', { name: 'Trigger the flow' }).click();
    await dialog.getByRole('status').waitFor();
    expect(new Set(keys).size).toBe(2);
  });
});

it('a test needs no contact where flows get the number', { timeout: 90_000 }, async () => {
  await withPage({}, async (page) => {
    await page.route('**/api/v1/assumptions', async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      const entry = /("key":"flows\.contactIdentity"[^}]*"value":)"[^,]*"/;
      await route.fulfill({ response: answer, body: text.replace(entry, '$1"\\"number\\""') });
    });
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    await page.getByRole('button', { name: 'Test this draft' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test the campaign “spring”' });
    await dialog.getByText('Sluice looks for no contact with it.').waitFor();
    expect(await dialog.getByText('needs a contact').count()).toBe(0);
  });
});

it('on a phone, the bar below the form covers no field that has the focus', { timeout: 90_000 }, async () => {
  await withPage({ size: 'phone' }, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    await page.locator('[data-old="false"]').waitFor();
    const covered = await page.evaluate(`
      [...document.querySelectorAll('[role=tabpanel] :is(input:not([type=file], [type=checkbox]), select)')]
        .flatMap((field) => {
          scrollTo(0, 0);
          field.focus();
          const { left, width, bottom } = field.getBoundingClientRect();
          const above = document.elementFromPoint(left + width / 2, bottom - 2);
          return field.contains(above) ? [] : [field.outerHTML];
        })`);
    expect(covered).toEqual([]);
  });
});

it.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'phone', locale: 'pt-BR' },
] as const)(
  'in $scheme on a $size it has no serious barrier and fits',
  { timeout: 90_000 },
  async (options) => {
    await withPage(options, async (page) => {
      for (const [name, path] of [
        ['edit', '/campaigns?campaign=spring'],
        ['new', '/campaigns?new=yes'],
      ] as const) {
        await page.goto(listener.url + path);
        await page.locator('[data-old="false"]').waitFor();
        await checkView(page, `campaign-form-${name}`, options);
      }
    });
  },
);

it('a draft comes back after a reload, except one with phone numbers', { timeout: 90_000 }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    // The campaign excludes a number, so nothing of its draft stays.
    await page.getByLabel('Members per wave').fill('7');
    await page.getByText('A draft with phone numbers does not stay in the browser.').waitFor();
    await page.reload();
    await page.getByLabel('Members per wave').waitFor();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('50, 100');

    await page.getByLabel('Phone numbers', { exact: true }).fill('');
    await page.getByLabel('Members per wave').fill('7');
    await page.getByText('A draft with phone numbers does not stay in the browser.').waitFor({
      state: 'detached',
    });
    await page.reload();
    await page.getByText('Restored what you typed at').waitFor();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('7');
    await checkView(page, 'campaign-draft', {});
    await page.getByRole('button', { name: 'Start over' }).click();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('50, 100');
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('sluice:draft');
  });
});
