// An operator's day in the console, with clicks and keys, against real processes: sandbox, `sluice dev`, Kafka.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openLedger } from '../../../src/app/ledger/ledger-database.ts';
import { freePort } from '../../../src/core/net/ports.ts';
import type { AuditLine } from '../../../src/operator/contract/identity.ts';
import { createPasswords } from '../../../src/operator/identity/passwords.ts';
import { createUser } from '../../../src/operator/store/identity/users.ts';
import {
  dayConfig,
  dayFixture,
  EXPORT,
  IN_EXPORT,
  LEFT_OUT,
  MEMBER_IDS,
  MEMBERS,
  PHONE_COLUMN,
  sendToKafka,
  TOKEN,
  VIP,
} from '../../support/console/day.ts';
import { logIn } from '../../support/console/pages.ts';
import { button, openPeople, PASSWORD, readCsv, saved, screen } from '../../support/console/people.ts';
import {
  type DevProcess,
  type SandboxProcess,
  startDevProcess,
  startSandboxProcess,
} from '../../support/console/processes.ts';
import { startKafka, type TestKafka } from '../../support/kafka/kafka.ts';
import { effects, type PanelRequest } from '../../support/panel.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { NO_KAFKA } from '../../support/runner/missing.ts';
import { launchChromium } from '../../support/tools/chromium.ts';
import { until } from '../../support/until.ts';

const TOPIC = 'day-interests';
const DEAD = 'day-dead';
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

let dist: string;
let dir: string;
let port: number;
let browser: Browser;
let people: ReturnType<typeof openPeople>;
let kafka: TestKafka | null;
let sandbox: SandboxProcess;
let dev: DevProcess;

/** Writes sluice.yaml as it is at first. Later the screens edit it. */
const config = () =>
  dayConfig({
    baseUrl: sandbox.baseUrl,
    port,
    kafka: kafka === null ? null : { brokers: kafka.brokers, topic: TOPIC, dead: DEAD, phoneType: 'string' },
  });

beforeAll(async () => {
  dist = await buildOnce();
  dir = await mkdtemp(join(tmpdir(), 'sluice-day-'));
  [browser, kafka, sandbox, port] = await Promise.all([
    launchChromium(),
    startKafka(),
    startSandboxProcess({ dist, dir, fixture: dayFixture(), rate: 120 }),
    freePort(),
  ]);
  people = openPeople(browser);
  if (kafka !== null) await sendToKafka(kafka.brokers, [TOPIC, DEAD], []);
  await writeFile(join(dir, 'sluice.yaml'), config());
  await addApprover();
  dev = await startDevProcess(dist, dir, { TOKEN });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await dev?.stop();
  await Promise.all([sandbox?.stop(), kafka?.stop()]);
  await rm(dir, { recursive: true, force: true });
});

async function addApprover(): Promise<void> {
  const db = await openLedger({
    url: undefined,
    stateDir: join(dir, '.sluice'),
    cipher: null,
    onError: () => undefined,
  });
  await createUser(db, {
    name: 'bia',
    displayName: 'Bia Reis',
    role: 'approver',
    passwordHash: await createPasswords().hash(PASSWORD),
    oidc: null,
    unixUser: null,
  });
  await db.close();
}

/** A failed chapter shows what each person had before them. */
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') process.stderr.write(await people.describe());
});

describe("an operator's day", () => {
  let admin: Page;
  let operator: Page;
  let approver: Page;

  const requests = (): Promise<PanelRequest[]> => sandbox.panel.requests();
  const open = (url: string) => people.open(dev.url, url);
  const check = (page: Page, state: string) => people.check(page, state);
  const command = (page: Page, name: string, reason?: string) => people.command(page, name, reason);

  it('the first admin opens the one-time link, and adds an operator', async () => {
    expect(dev.adminLink).not.toBeNull();
    admin = await open(dev.adminLink as string);
    await people.claim(admin, 'Create admin and log in', 'root');
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
    await people.claim(operator, 'Save password and log in');
    // Who made a user today could be that user, so the approver has been there for longer.
    approver = await open(dev.url);
    await logIn(approver, 'bia', PASSWORD);
    await approver.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('a password is asked for after a logout, and opens the console again', async () => {
    await button(approver, 'Your settings: Bia Reis').click();
    await button(approver, 'Log out').click();
    await approver.getByRole('heading', { level: 1, name: 'Log in to Sluice' }).waitFor();
    await check(approver, 'login');
    await logIn(approver, 'bia', 'not the password');
    await approver.getByRole('alert').waitFor();
    await check(approver, 'login, refused');
    await logIn(approver, 'bia', PASSWORD);
    await approver.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('the doctor checks everything before anything is sent, and what needs attention is in the open', async () => {
    await screen(admin, 'Settings');
    await admin.getByRole('tab', { name: 'Doctor' }).click();
    await button(admin, 'Run now').click();
    await admin.getByRole('heading', { name: 'Account acme' }).waitFor();
    await check(admin, 'doctor');
    for (const details of await admin.locator('summary').all()) await details.click();
    await check(admin, 'doctor, unfolded');
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

  it('the rows of the run are saved as CSV, masked, and no spreadsheet runs them', async () => {
    const text = await saved(operator, () => button(operator, 'CSV').click());
    const [titles, ...rows] = readCsv(text);
    const named = (name: string) => (row: readonly string[]) => row[titles?.indexOf(name) ?? -1];
    expect(titles).toEqual(
      expect.arrayContaining('row,line,sheetLine,status,step,code,reason,column,key'.split(',')),
    );
    expect(rows.map((row) => `${named('row')(row)} ${named('status')(row)}`).sort()).toEqual([
      '1 created',
      '2 created',
      '3 created',
      '4 created',
      '5 rejected',
    ]);
    const rejected = rows.find((row) => named('status')(row) === 'rejected') ?? [];
    expect(named('column')(rejected)).toBe(`'${PHONE_COLUMN}`);
    expect(text).not.toMatch(/95555000|Ana Souza|<script>|example\.com/);
  });

  it('a plan of one person is approved by another', async () => {
    await screen(operator, 'Campaigns');
    await button(operator, 'winback').click();
    await command(operator, 'Plan');
    await operator.getByText('Needs approval').first().waitFor();
    await operator.getByRole('tab', { name: 'Plan' }).click();
    await operator.getByText('Excluded, by reason').waitFor();
    await check(operator, 'plan');
    const approve = button(operator, 'Approve');
    await approve.waitFor();
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    expect(await button(operator, 'Start').isDisabled()).toBe(true);

    // Not before the approver has seen what it is.
    await approver.getByRole('link', { name: 'Check and approve: winback' }).click();
    await approver.getByRole('heading', { name: 'What is to be approved' }).waitFor();
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
    await operator.getByText('Nobody was excluded').or(operator.getByText('Excluded')).first().waitFor();
    await check(operator, 'resolved');
  });

  it('exactly the right people were triggered, each of them once, says the service', async () => {
    const runs = await sandbox.panel.flowRuns();
    expect(runs.map(({ contactId }) => contactId).sort((a, b) => a - b)).toEqual(MEMBER_IDS);
    expect(new Set(runs.map(({ flowId }) => flowId))).toEqual(new Set([3]));
  });

  it('the members of the run are saved as CSV, masked: who was triggered, and who was excluded', async () => {
    await operator.goto(`${dev.url}/campaigns?campaign=winback&tab=members`);
    await operator.getByText('EXCLUDED_TAG').first().waitFor();
    const text = await saved(operator, () => button(operator, 'CSV').click());
    const [titles = [], ...rows] = readCsv(text);
    expect(titles.slice(0, 8)).toEqual('member,contact,card,part,row,wave,state,code'.split(','));
    const cell = (row: readonly string[], title: string) => row[titles.indexOf(title)];
    const triggered = rows.filter((row) => cell(row, 'state') === 'triggered');
    expect(triggered.map((row) => Number(cell(row, 'contact'))).sort((a, b) => a - b)).toEqual(MEMBER_IDS);
    const others = rows.filter((row) => cell(row, 'state') !== 'triggered');
    expect(others.map((row) => `${cell(row, 'contact')} ${cell(row, 'code')}`)).toEqual(['1 EXCLUDED_TAG']);
    for (const row of rows) expect(cell(row, 'number')).toMatch(/•/);
    expect(text).not.toMatch(/9812\d{4}|91234/);
    await operator.getByLabel('State').selectOption('Excluded');
    await operator.getByText('EXCLUDED_TAG').first().waitFor();
    await check(operator, 'members who were excluded');
  });

  it('a number leads to the person, and says why they got no message', async () => {
    await operator.keyboard.press('/');
    await operator.keyboard.type('+55 11 91234-5601');
    await operator.keyboard.press('Enter');
    await operator.getByText('Campaign winback excluded the person.').waitFor();
    await check(operator, 'person');
    expect(operator.url()).not.toContain('91234');
    const file = await saved(operator, () => command(operator, 'Export', 'asked by the person'));
    expect(JSON.stringify(JSON.parse(file))).toContain(LEFT_OUT);
  });

  it('a dead letter is replayed after the configuration is corrected, and its diff says so first', async ({
    skip,
  }) => {
    if (kafka === null) return skip(NO_KAFKA);
    await sendToKafka(kafka.brokers, [TOPIC, DEAD], [{ phone: Number(LEFT_OUT) }]);
    await screen(operator, 'Events');
    await operator.getByRole('tab', { name: 'Dead letters' }).click();
    await button(operator, 'SCHEMA').click();
    const panel = operator.getByRole('dialog', { name: /^Dead letter / });
    await panel.getByText('A replay now would be refused again, for the same reason.').waitFor();
    await check(operator, 'dead letter, refused as before');

    await dev.stop();
    const file = join(dir, 'sluice.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/(phone:\s+type: )string/, '$1number'));
    dev = await startDevProcess(dist, dir, { TOKEN });
    await operator.reload();
    await panel
      .getByRole('row', { name: /Outcome/ })
      .getByText('accepted')
      .waitFor();
    await panel.getByRole('row', { name: /add.*vip/ }).waitFor();
    await panel.getByRole('row', { name: /remove.*–/ }).waitFor();
    await check(operator, 'dead letter, accepted now');
    await panel.getByRole('button', { name: 'Replay' }).click();
    await operator
      .getByRole('dialog', { name: 'Replay 1 dead letter?' })
      .getByRole('button', { name: 'Replay' })
      .click();
    await until('the tag is set', async () => {
      const { contacts } = await sandbox.panel.account();
      return contacts.find(({ number }) => number === LEFT_OUT)?.tagIds.includes(VIP);
    });
    await operator.getByText('No dead letters').waitFor();
    await check(operator, 'dead letter replayed');
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
    const replay = kafka === null ? [] : ['user:ana POST /dead-letters/replay'];
    expect(done).toEqual(expect.arrayContaining([...COMMANDS, ...replay]));
  });
});
