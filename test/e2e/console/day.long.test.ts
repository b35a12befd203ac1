// An operator's day in the console, with clicks and keys, against real processes: sandbox, `sluice dev`, Kafka.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AuditLine } from '../../../src/contracts/operator/identity.ts';
import { freePort } from '../../../src/runtime/ports.ts';
import { launchChromium } from '../../support/chromium.ts';
import {
  dayConfig,
  dayFixture,
  EXPORT,
  IN_EXPORT,
  LEFT_OUT,
  MEMBERS,
  TOKEN,
} from '../../support/console/day.ts';
import { findBarriers, type OpenPage, openPage } from '../../support/console/pages.ts';
import {
  type DevProcess,
  type SandboxProcess,
  startDevProcess,
  startSandboxProcess,
} from '../../support/console/processes.ts';
import { effects, type PanelRequest } from '../../support/panel.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { until } from '../../support/until.ts';

/** Set it to a folder to keep a picture of every state. */
const SHOTS = process.env.SLUICE_SCREENSHOTS;
const PASSWORD = 'correct horse battery';
const TRIGGER = /\/v1\/flows\/trigger$/;

/** Who did what in this day. */
const COMMANDS = [
  'user:root POST /users',
  'user:root POST /users/{name}/link',
  'user:root POST /uploads/{upload}/sync',
  'user:ana POST /syncs/{sync}/runs',
  'user:ana POST /campaigns/{campaign}/plan',
  'user:bia POST /campaigns/{campaign}/approve',
  'user:ana POST /campaigns/{campaign}/start',
  'user:ana POST /campaigns/{campaign}/rate',
  'user:ana POST /campaigns/{campaign}/pause',
  'user:ana POST /campaigns/{campaign}/resume',
  'user:ana POST /campaigns/{campaign}/retry',
  'user:ana POST /campaigns/{campaign}/resolve',
  'user:ana POST /people/{account}/{person}/export',
];

let dir: string;
let browser: Browser;
let sandbox: SandboxProcess;
let dev: DevProcess;
const opened: OpenPage[] = [];

beforeAll(async () => {
  const dist = await buildOnce();
  dir = await mkdtemp(join(tmpdir(), 'sluice-day-'));
  [browser, sandbox] = await Promise.all([
    launchChromium(),
    startSandboxProcess({ dist, dir, fixture: dayFixture(), rate: 120 }),
  ]);
  const config = dayConfig({ baseUrl: sandbox.baseUrl, port: await freePort(), kafka: null });
  await writeFile(join(dir, 'sluice.yaml'), config);
  dev = await startDevProcess(dist, dir, { TOKEN });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await dev?.stop();
  await sandbox?.stop();
  await rm(dir, { recursive: true, force: true });
});

/** A failed chapter shows what each person had before them. */
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const { page } of opened) {
    process.stderr.write(`\n${page.url().split('#')[0]}\n${await page.locator('body').ariaSnapshot()}\n`);
  }
});

async function open(url: string): Promise<Page> {
  const made = await openPage(browser, dev.url);
  opened.push(made);
  await made.page.goto(url);
  return made.page;
}

/** No serious barrier, and nothing that the browser complains about. */
async function check(page: Page, state: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${state}.png`), fullPage: true });
  expect(await findBarriers(page), state).toEqual([]);
  expect(
    opened.flatMap(({ complaints }) => complaints),
    state,
  ).toEqual([]);
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const screen = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }).click();

/** Presses a button that asks first, gives the reason if there is a field for one, and says yes. */
async function command(page: Page, name: string, reason?: string): Promise<void> {
  await button(page, name).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name, exact: true }).waitFor();
  await check(page, `asks ${name}`);
  if (reason !== undefined) await dialog.getByRole('textbox', { name: /^Reason/ }).fill(reason);
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Chooses a password on the page of a one-time link. */
async function claim(page: Page, verb: string, name?: string): Promise<void> {
  await button(page, verb).waitFor();
  if (name !== undefined) await page.getByLabel('User name').fill(name);
  await page.getByLabel('New password', { exact: false }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

describe("an operator's day", () => {
  let admin: Page;
  let operator: Page;
  let approver: Page;

  const requests = (): Promise<PanelRequest[]> => sandbox.panel.requests();

  it('the first admin opens the one-time link, and adds an operator and an approver', async () => {
    expect(dev.adminLink).not.toBeNull();
    admin = await open(dev.adminLink as string);
    await check(admin, 'first admin');
    await claim(admin, 'Create admin and log in', 'root');
    await check(admin, 'overview');
    await screen(admin, 'Settings');
    await admin.getByRole('tab', { name: 'Users' }).click();
    const add = async (name: string, displayName: string, role: string): Promise<string> => {
      await button(admin, 'Add user').click();
      const dialog = admin.getByRole('dialog');
      await dialog.getByLabel('Login name').fill(name);
      await dialog.getByLabel('Display name').fill(displayName);
      await dialog.getByRole('radio', { name: role }).check();
      await check(admin, `add ${name}`);
      await dialog.getByRole('button', { name: 'Add user' }).click();
      const link = admin.getByRole('dialog').getByText(`${dev.url}/login#link=`);
      const address = (await link.textContent()) as string;
      await check(admin, `link ${name}`);
      await admin.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      return address;
    };
    operator = await open(await add('ana', 'Ana Souza', 'Operator'));
    await claim(operator, 'Save password and log in');
    approver = await open(await add('bia', 'Bia Reis', 'Approver'));
    await claim(approver, 'Save password and log in');
  });

  it('the first sync: an export becomes contacts and cards of the account', async () => {
    await screen(admin, 'Syncs');
    await button(admin, 'First sync from a CSV').first().click();
    const chooser = admin.waitForEvent('filechooser');
    await button(admin, 'Choose a file').click();
    await (await chooser).setFiles({
      name: 'leads.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(EXPORT),
    });
    await admin.getByText('What Sluice recognized').waitFor();
    await admin.getByText('First rows: 5. Mapped: 4. Rejected: 1.').waitFor();
    await button(admin, 'Read pipelines from the account').click();
    await admin.getByLabel('Pipeline', { exact: true }).selectOption('Sales');
    await admin.getByLabel('Stage of new cards').selectOption('New');
    await admin.getByLabel('Name of the sync').fill('leads');
    await check(admin, 'first sync');
    await button(admin, 'Dry run').click();
    const dryRun = admin.getByText('To create');
    await dryRun.waitFor();
    await check(admin, 'dry run of the first sync');
    expect((await requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
    await command(admin, 'Write to the configuration');
    await admin.getByRole('heading', { level: 1, name: 'leads' }).waitFor();
    expect(await readFile(join(dir, 'sluice.yaml'), 'utf8')).toContain('leads:');
    await check(admin, 'sync that has not run');

    await screen(operator, 'Syncs');
    await button(operator, 'leads').click();
    await command(operator, 'Run now');
    await until('the run has ended', async () => {
      const { contacts } = await sandbox.panel.account();
      return contacts.filter(({ number }) => number.startsWith('55119555500')).length === IN_EXPORT.length;
    });
    await operator.getByText('Finished').first().waitFor();
    await check(operator, 'sync that has run');
    const { contacts, cards } = await sandbox.panel.account();
    const made = contacts.filter(({ number }) => number.startsWith('55119555500'));
    expect(made.map(({ name }) => name)).toEqual(IN_EXPORT);
    expect(cards.map(({ pipelineId, stageId }) => `${pipelineId}/${stageId}`)).toEqual(
      IN_EXPORT.map(() => '1/11'),
    );
  });

  it('a plan of one person is approved by another', async () => {
    await screen(operator, 'Campaigns');
    await button(operator, 'winback').click();
    await command(operator, 'Plan');
    await operator.getByText('Needs approval').first().waitFor();
    await operator.getByRole('tab', { name: 'Plan' }).click();
    await operator.getByText('Left out, by reason').waitFor();
    await check(operator, 'plan');
    expect(await button(operator, 'Approve').count()).toBe(0);
    expect(await button(operator, 'Start').isDisabled()).toBe(true);

    await button(approver, 'Approve').click();
    await approver.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await until('the plan is approved', () => button(operator, 'Start').isEnabled());
    expect(effects(await requests(), 'POST', TRIGGER)).toEqual([]);
  });

  it('a run is slowed down, paused and resumed, its failures are retried, and a lost answer is resolved', async () => {
    const triggers = async () => effects(await requests(), 'POST', TRIGGER);
    await sandbox.panel.fault({ kind: 'reset-after', method: 'POST', path: '/v1/flows/trigger', times: 1 });
    await command(operator, 'Start', 'autumn offer');
    await operator.getByRole('tab', { name: 'Run' }).click();
    await until('the first triggers are there', async () => (await triggers()).length >= 3);
    await check(operator, 'running');

    await sandbox.panel.fault({
      kind: 'status',
      status: 422,
      body: JSON.stringify({ error: 'ERR_INVALID_BODY' }),
      method: 'POST',
      path: '/v1/flows/trigger',
      times: 1,
    });
    await operator.getByRole('switch', { name: 'No limit but the budget' }).click();
    const pace = operator.getByRole('slider', { name: 'Triggers per minute' });
    await pace.focus();
    await operator.keyboard.press('Home');
    for (let step = 1; step < 60; step++) await operator.keyboard.press('ArrowRight');
    expect(await pace.getAttribute('aria-valuenow')).toBe('60');
    await button(operator, 'Set pace').click();
    await operator.getByText('The pace is set.').waitFor();

    await command(operator, 'Pause', 'lunch');
    await operator.getByText('lunch').first().waitFor();
    await check(operator, 'paused');
    const whilePaused = (await triggers()).length;
    expect(whilePaused).toBeLessThan(MEMBERS);
    await button(operator, 'Resume').click();
    await operator.getByText('The campaign continues.').waitFor();
    await until('triggers go on', async () => (await triggers()).length > whilePaused);
    // At 60 a minute.
    await operator.getByText('Finished').first().waitFor({ timeout: 90_000 });
    await check(operator, 'finished with failures');

    await command(operator, 'Retry', 'the template is corrected');
    await until('the failed member is triggered', async () => (await triggers()).length === MEMBERS);
    await command(operator, 'The flow ran', 'seen in the panel');
    await operator.getByText('1 member is resolved.').waitFor();
    await operator.getByText('Nobody was left out').or(operator.getByText('Left out')).first().waitFor();
    await check(operator, 'resolved');
  });

  it('a number leads to the person, and says why they got no message', async () => {
    await operator.keyboard.press('/');
    await operator.keyboard.type('+55 11 91234-5601');
    await operator.keyboard.press('Enter');
    await operator.getByText('Campaign winback left the person out.').waitFor();
    await check(operator, 'person');
    expect(operator.url()).not.toContain('91234');
    const download = operator.waitForEvent('download');
    await command(operator, 'Export', 'asked by the person');
    const file = JSON.parse(await readFile(await (await download).path(), 'utf8')) as object;
    expect(JSON.stringify(file)).toContain(LEFT_OUT);
  });

  it('nobody was triggered twice, nobody who was left out was triggered', async () => {
    const sent = effects(await requests(), 'POST', TRIGGER);
    expect(sent).toHaveLength(MEMBERS);
    await operator.goto(`${dev.url}/campaigns?campaign=winback&tab=members`);
    await operator.getByLabel('State').selectOption('Left out');
    await operator.getByText('EXCLUDED_TAG').first().waitFor();
    await check(operator, 'members who were left out');
  });

  it('each command is in the audit log with its identity', async () => {
    await screen(admin, 'Settings');
    await admin.getByRole('tab', { name: 'Audit log' }).click();
    await admin.getByText('user:bia').first().waitFor();
    await check(admin, 'audit log');
    const answer = await admin.request.get(`${dev.url}/api/v1/audit?limit=200`);
    const { lines } = (await answer.json()) as { lines: readonly AuditLine[] };
    const done = lines
      .filter(({ outcome }) => outcome === 'ok')
      .map(({ identity, action }) => `${identity} ${action}`);
    expect(done).toEqual(expect.arrayContaining(COMMANDS));
  });
});
