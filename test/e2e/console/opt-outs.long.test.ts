// The registry of opt-outs in the console, against real processes: recorded, imported, withdrawn, exported.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freePort } from '../../../src/core/net/ports.ts';
import { dayFixture, TOKEN } from '../../support/console/day.ts';
import { checkView } from '../../support/console/pages.ts';
import { button, openPeople, readCsv, saved } from '../../support/console/people.ts';
import {
  type DevProcess,
  type SandboxProcess,
  startDevProcess,
  startSandboxProcess,
} from '../../support/console/processes.ts';
import { loginAnswers } from '../../support/console/stub.ts';
import { prepareConsole } from '../../support/console/with-console.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { launchChromium } from '../../support/tools/chromium.ts';

const LIST = [
  'fone;data;motivo',
  '11 91234-5678;2026-01-10;SAIR',
  '11 98765-4321;2026-01-11;',
  '11 91234-5679;10/01/2026;por carta',
].join('\n');

const withConsole = prepareConsole();

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'phone' },
] as const)('the registry of opt-outs, in $scheme on a $size', (options) => {
  let dir: string;
  let browser: Browser;
  let sandbox: SandboxProcess;
  let dev: DevProcess;
  let people: ReturnType<typeof openPeople>;
  let page: Page;

  beforeAll(async () => {
    const dist = await buildOnce();
    dir = await mkdtemp(join(tmpdir(), 'sluice-optouts-'));
    [browser, sandbox] = await Promise.all([
      launchChromium(),
      startSandboxProcess({ dist, dir, fixture: dayFixture(), rate: 120 }),
    ]);
    people = openPeople(browser);
    const config = {
      version: 1,
      accounts: { acme: { baseUrl: sandbox.baseUrl, tokens: ['env:TOKEN'], timeZone: 'America/Sao_Paulo' } },
      operator: { http: { port: await freePort() } },
    };
    await writeFile(join(dir, 'sluice.yaml'), stringify(config));
    dev = await startDevProcess(dist, dir, { TOKEN });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await dev?.stop();
    await sandbox?.stop();
    await rm(dir, { recursive: true, force: true });
  });
  /** A failed chapter shows what stood on the page. */
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await people.describe());
  });

  const row = (text: string | RegExp) => page.getByRole('table').getByRole('row').filter({ hasText: text });

  async function check(state: string): Promise<void> {
    await checkView(page, `opt-outs-${state}`, options);
    await people.check(page, state);
  }

  it('is empty at first, and says how somebody gets into it', async () => {
    page = await people.open(dev.url, dev.adminLink as string, options);
    await people.claim(page, 'Create admin and log in', 'root');
    await page.goto(`${dev.url}/people`);
    await check('search');
    await page.getByRole('tab', { name: 'Opt-outs' }).click();
    await page.getByText('Nobody has opted out').waitFor();
    expect(new URL(page.url()).search).toBe('?tab=opt-outs');
    await check('empty');
  });

  it('takes an opt-out; a number that may be another one is refused in the form', async () => {
    await button(page, 'Record an opt-out').click();
    const panel = page.getByRole('dialog');
    await panel.getByLabel('Number').fill('11 98765-4321');
    await panel.getByLabel('Since').fill('2026-02-01T10:00');
    await panel.getByLabel('Evidence').fill('said so on the phone');
    await panel.getByRole('button', { name: 'Record an opt-out' }).click();
    await panel.getByRole('alert').getByText('country code').waitFor();
    await check('record');
    await panel.getByLabel('Country').fill('br');
    await panel.getByRole('button', { name: 'Record an opt-out' }).click();
    await panel.waitFor({ state: 'hidden' });
    await row('+55 11 9••••-4321').waitFor();
    expect(await row('4321').innerText()).toMatch(
      /Feb 1, 2026, 10:00[\s\S]*Operator[\s\S]*In effect[\s\S]*root/,
    );
    await check('list');
  });

  it('shows the number and the evidence of one entry after a click', async () => {
    await row('4321')
      .getByRole('button', { name: /^Show the number/ })
      .click();
    await page.getByText('+5511987654321').waitFor();
    expect(await page.getByText('said so on the phone').count()).toBe(0);
    await row('4321')
      .getByRole('button', { name: /^Show the evidence/ })
      .click();
    await page.getByText('said so on the phone').waitFor();
  });

  it('takes a file: first a check that names the wrong row, then the rest is recorded', async () => {
    await button(page, 'Import').click();
    const panel = page.getByRole('dialog');
    await check('import-empty');
    const chooser = page.waitForEvent('filechooser');
    await panel.getByRole('button', { name: 'Choose a CSV file' }).click();
    await (await chooser).setFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(LIST) });
    await panel.getByText('list.csv: 3 rows').waitFor();
    const chosen = async (label: string) => await panel.getByLabel(label).inputValue();
    expect(await chosen('Column of the phone numbers')).toBe('fone');
    expect(await chosen('Column of the times')).toBe('data');
    expect(await chosen('Offset of times')).toBe('-03:00');
    expect(await chosen('Column of what shows it')).toBe('motivo');
    expect(await chosen('Country')).toBe('BR');
    await panel.getByRole('button', { name: 'Check the file' }).click();
    await panel.getByText('Nothing is recorded yet.').waitFor();
    await panel.getByText('Row 3').waitFor();
    await panel.getByText('The time cannot be read in exactly one way').waitFor();
    await check('import-checked');
    const csv = readCsv(await saved(page, () => panel.getByRole('button', { name: 'CSV' }).click()));
    expect(csv.map(([number, code]) => [number, code])).toEqual([
      ['row', 'code'],
      ['3', 'OPT_OUT_TIME'],
    ]);
    // A change asks for another check.
    await panel.getByLabel('Offset of times').selectOption('-02:00');
    await panel.getByText('Nothing is recorded yet.').waitFor({ state: 'hidden' });
    await panel.getByRole('button', { name: 'Check the file' }).click();
    await panel.getByRole('button', { name: 'Record 1 opt-out' }).click();
    await panel.getByText('The opt-outs are recorded').waitFor();
    await check('import-done');
    await panel.getByRole('button', { name: 'Close', exact: true }).click();
    await row('5678').getByText('Imported list').waitFor();
  });

  it('takes an opt-out back with a reason, and again on the page of the person', async () => {
    await button(page, 'Withdraw the opt-out of +55 11 9••••-5678').click();
    const dialog = page.getByRole('dialog');
    const verb = dialog.getByRole('button', { name: 'Withdraw opt-out' });
    await dialog.getByText('optOut.tags').waitFor();
    expect(await verb.isDisabled()).toBe(true);
    await check('withdraw');
    await dialog.getByLabel('Why may the person be messaged again?').fill('asked for it in the shop');
    await verb.click();
    await row('5678').getByText('asked for it in the shop').waitFor();
    await page.getByLabel('State').selectOption('Withdrawn');
    await row('4321').waitFor({ state: 'hidden' });
    await check('withdrawn');
    await row('5678').getByRole('link').first().click();
    // The list has a button of the same name.
    await page.getByRole('heading', { level: 1, name: '+55 11 9••••-5678' }).waitFor();
    await button(page, 'Record an opt-out').click();
    await page.getByRole('dialog').getByLabel('Evidence').waitFor();
    expect(await page.getByRole('dialog').getByLabel('Number').count()).toBe(0);
    await check('person-record');
    await page.getByRole('dialog').getByRole('button', { name: 'Record an opt-out' }).click();
    await button(page, 'Withdraw opt-out').waitFor();
    await page.getByRole('region', { name: 'Why no message' }).getByText('Operator').waitFor();
    await check('person');
  });

  it('is exported with a reason, and every step is in the audit log without a number', async () => {
    await page.goto(`${dev.url}/people?tab=opt-outs&state=active`);
    await row('4321').waitFor();
    await button(page, 'CSV').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('request of the data protection officer');
    await check('export');
    const csv = readCsv(await saved(page, () => dialog.getByRole('button', { name: 'Export' }).click()));
    expect(csv.map(([number, account, , source]) => [number, account, source])).toEqual([
      ['number', 'account', 'source'],
      // The list knew of an earlier time, but not of what shows it.
      ["'+5511987654321", 'acme', 'operator'],
      ["'+5511912345678", 'acme', 'operator'],
    ]);
    await page.goto(`${dev.url}/settings?tab=audit`);
    for (const sentence of [
      'recorded an opt-out of a person of acme',
      'imported opt-outs of acme from an uploaded file',
      'withdrew the opt-out of a person of acme',
      'exported the opt-outs of acme',
    ])
      await page.getByText(sentence).first().waitFor();
    expect(await page.getByRole('tabpanel').innerText()).not.toMatch(/98765|91234/);
  });
});

it('a viewer sees the list in their language, without commands and without plain text', async () => {
  const entry = {
    id: 7,
    account: 'acme',
    person: `o${'a'.repeat(32)}`,
    number: '+55 11 9••••-4321',
    source: 'tag',
    at: '2026-01-10T12:00:00.000Z',
    evidence: '•••',
    recordedBy: null,
    recordedAt: null,
    active: true,
    withdrawal: null,
  };
  const erased = { ...entry, id: 6, number: null, evidence: null, source: 'by-mail' };
  const answers = {
    ...loginAnswers('viewer'),
    'GET /accounts': () => ({ accounts: [{ account: 'acme' }, { account: 'other' }] }),
    'GET /opt-outs': () => ({ optOuts: [entry, erased], next: null }),
  };
  await withConsole(answers, '/people?tab=opt-outs', { locale: 'pt-BR' }, async ({ page }) => {
    await page.getByRole('table').getByText('Etiqueta no contato').waitFor();
    await page.getByRole('link', { name: 'apagada' }).waitFor();
    await page.getByText('by-mail').waitFor();
    await page.getByRole('cell', { name: 'acme' }).first().waitFor();
    for (const name of [/Mostrar/, /Registrar/, /Importar/, /Retirar/, 'CSV'])
      expect(await page.getByRole('tabpanel').getByRole('button', { name }).count(), String(name)).toBe(0);
  });
});
