// The promises of README, each once, with everything real: the built program as processes, killed with SIGKILL, against a
// sandbox process that says what happened. Kafka and the browser are left out where there is none.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ALL_DAY } from '../support/campaigns/windows.ts';
import { sendToKafka } from '../support/console/day.ts';
import { openPeople } from '../support/console/people.ts';
import {
  type DevProcess,
  runSluice,
  type SandboxProcess,
  startDevProcess,
  startSandboxProcess,
} from '../support/console/processes.ts';
import { startKafka, type TestKafka } from '../support/kafka/kafka.ts';
import { effects } from '../support/panel.ts';
import { buildOnce } from '../support/runner/build.ts';
import { NO_BROWSER, NO_KAFKA } from '../support/runner/missing.ts';
import { launchChromium } from '../support/tools/chromium.ts';
import { until } from '../support/until.ts';

const TOKEN = 'svc_test_system';
const SECRET = 'aSecretOf32BytesForOurOwnWebhooks';
const TOPIC = 'system-interests';
const ROWS = 300;
const MEMBERS = 20;
const NEWSLETTER = 1;
const VIP = 2;
const TRIGGER = /\/v1\/flows\/trigger$/;
const numberOf = (n: number) => `55119${81230000 + n}`;
const leads = Array.from({ length: ROWS }, (_, n) => numberOf(n));
const members = Array.from({ length: MEMBERS }, (_, n) => 1000 + n);

const fixture = {
  accounts: [
    {
      id: 'acme',
      tokens: [
        {
          value: TOKEN,
          scopes: [
            'contacts:write',
            'contacts:read',
            'cards:write',
            'cards:read',
            'connections:read',
            'conversations:read',
            'messages:read',
            'flows:trigger',
          ],
        },
      ],
      connections: [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED', isDefault: true }],
      tags: [
        { id: NEWSLETTER, name: 'newsletter' },
        { id: VIP, name: 'vip' },
      ],
      pipelines: [{ id: 1, name: 'Sales', stages: [{ id: 11, name: 'New', order: 1, probability: 10 }] }],
      flows: [{ id: 3, name: 'reactivate', active: true, published: true, nodes: 3 }],
      contacts: members.map((id) => ({
        id,
        number: numberOf(id),
        name: `Member ${id}`,
        tagIds: [NEWSLETTER],
      })),
    },
  ],
};

const tagVip = { type: 'tags', number: 'phone', defaultCountry: 'BR', add: [{ const: 'vip' }] };

function configOf(baseUrl: string): object {
  return {
    version: 1,
    accounts: {
      acme: {
        baseUrl,
        tokens: ['env:TOKEN'],
        callsPerMinute: 6000,
        timeZone: 'America/Sao_Paulo',
        announce: [{ sink: 'file' }],
        assumptions: { 'readBack.settleSeconds': 1 },
      },
    },
    sinks: { file: { type: 'jsonl', path: './messages.jsonl' } },
    sources: { leads: { type: 'csv', path: './leads.csv' } },
    mappings: {
      leads: {
        contact: { number: 'phone', name: 'name' },
        card: { pipeline: 'Sales', stage: { const: 'New' } },
      },
    },
    syncs: { leads: { account: 'acme', source: 'leads', mapping: 'leads' } },
    campaigns: {
      winback: {
        account: 'acme',
        flow: 3,
        connection: 1,
        audience: [{ from: 'contacts', tags: ['newsletter'] }],
        windows: { zone: 'account', days: ALL_DAY },
        // Two a second leave time to pause.
        waves: { size: 500, settle: '1s', callsPerMinute: 120 },
        approval: 'none',
      },
    },
    pollers: { main: { account: 'acme', connection: 1, from: 'now', interval: { min: '1s', max: '1s' } } },
    operator: { http: { port: 0 } },
    ingress: {
      http: { port: 0 },
      ...(kafka === null
        ? {}
        : { kafka: { bus: { brokers: kafka.brokers, group: 'system', deadLetters: 'dead' } } }),
    },
    routes: {
      hook: {
        account: 'acme',
        http: { path: '/interest', auth: { type: 'token', secrets: ['env:SECRET'] } },
        action: tagVip,
      },
      ...(kafka === null
        ? {}
        : { bus: { account: 'acme', kafka: { cluster: 'bus', topics: [TOPIC] }, action: tagVip } }),
    },
  };
}

let dist: string;
let dir: string;
let kafka: TestKafka | null;
let sandbox: SandboxProcess;
let dev: DevProcess;
const start = () => startDevProcess(dist, dir, { TOKEN, SECRET });
/** Runs a command beside `sluice dev`. @returns its last line of stdout */
const sluice = async (command: string): Promise<string> => {
  const { code, stdout, stderr } = await runSluice(dist, dir, command.split(' '), { TOKEN, SECRET });
  expect(code, stderr).toBe(0);
  return stdout.trim().split('\n').at(-1) ?? '';
};

beforeAll(async () => {
  dist = await buildOnce();
  dir = await mkdtemp(join(tmpdir(), 'sluice-system-'));
  [kafka, sandbox] = await Promise.all([
    startKafka(),
    startSandboxProcess({ dist, dir, fixture, rate: 6000 }),
  ]);
  if (kafka !== null) await sendToKafka(kafka.brokers, [TOPIC, 'dead'], []);
  await writeFile(
    join(dir, 'leads.csv'),
    `phone,name\n${leads.map((number, n) => `+${number},Lead ${n}\n`).join('')}`,
  );
  await writeFile(join(dir, 'sluice.yaml'), stringify(configOf(sandbox.baseUrl)));
  dev = await start();
}, 180_000);
afterAll(async () => {
  await dev?.stop();
  await Promise.all([sandbox?.stop(), kafka?.stop()]);
  await rm(dir, { recursive: true, force: true });
});

const made = async (path: RegExp) => effects(await sandbox.panel.requests(), 'POST', path).length;
const hasTag = async (number: string, tag: number) => {
  const { contacts } = await sandbox.panel.account();
  return contacts.find((contact) => contact.number === number)?.tagIds.includes(tag);
};

it('a sync that is killed in the middle continues: everybody once, with one card each', async () => {
  // The command follows the run until it loses its server.
  const following = runSluice(dist, dir, ['sync', 'run', 'leads'], {});
  await until('the sync is in the middle', async () => (await made(/\/cards$/)) > ROWS / 4);
  await dev.kill();
  await following;
  expect(await made(/\/cards$/)).toBeLessThan(ROWS);
  dev = await start();
  await until('all cards are there', async () => (await sandbox.panel.account()).cards.length >= ROWS);
  // It joins the run that was killed, or finds nothing to do.
  const run = JSON.parse(await sluice('sync run leads --json')) as object;
  expect(run).toMatchObject({ read: ROWS, failed: 0, unknown: 0 });
  const { contacts, cards } = await sandbox.panel.account();
  expect(contacts.map(({ number }) => number).sort()).toEqual([...leads, ...members.map(numberOf)].sort());
  expect(new Set(cards.map(({ contactId }) => contactId)).size).toBe(ROWS);
  expect(cards).toHaveLength(ROWS);
});

it('a campaign stops when it is paused, and triggers each member once', async () => {
  const reached = async () => (await sandbox.panel.flowRuns()).map(({ contactId }) => contactId);
  await sluice('campaign plan winback');
  await sluice('campaign start winback --yes');
  await until('the first members are triggered', async () => (await reached()).length >= 3);
  await sluice('campaign pause winback');
  const paused = (await reached()).length;
  expect(paused).toBeLessThan(MEMBERS);
  await sluice('status');
  expect((await reached()).length).toBe(paused);
  await sluice('campaign resume winback');
  await until('all members are triggered', async () => (await reached()).length >= MEMBERS);
  expect((await reached()).sort((a, b) => a - b)).toEqual(members);
  expect(await made(TRIGGER)).toBe(MEMBERS);
});

it('an event over HTTP is applied once, however often it is sent', async () => {
  const send = async () => {
    const { statusCode, body } = await request(`${dev.ingress}/interest`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${SECRET}`,
        'content-type': 'application/json',
        'idempotency-key': 'one',
      },
      body: JSON.stringify({ phone: leads[0] }),
    });
    return { statusCode, ...((await body.json()) as { duplicate?: boolean }) };
  };
  expect(await send()).toMatchObject({ statusCode: 202 });
  await until('the tag is set', () => hasTag(leads[0] as string, VIP));
  expect(await send()).toMatchObject({ duplicate: true });
});

it('an event from Kafka is applied', async ({ skip }) => {
  if (kafka === null) return skip(NO_KAFKA);
  await sendToKafka(kafka.brokers, [TOPIC, 'dead'], [{ phone: leads[1] }]);
  await until('the tag is set', () => hasTag(leads[1] as string, VIP));
});

it('a message of a customer is published once', async () => {
  const file = join(dir, 'messages.jsonl');
  await until('the poller has begun', async () => (await sluice('poll status')).includes('polling'));
  await sandbox.panel.inbound({ number: numberOf(1000), body: 'hello', connectionId: 1 });
  const received = async () =>
    (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes('"hello"'));
  await until('the message is published', async () => (await received()).length > 0);
  await sluice('poll now main');
  expect(await received()).toHaveLength(1);
});

it('the console shows it in a browser, after a login by the one-time link', async ({ skip }) => {
  if (process.env.CHROMIUM_PATH === undefined) return skip(NO_BROWSER);
  const browser = await launchChromium();
  try {
    const people = openPeople(browser);
    const page = await people.open(dev.url, dev.adminLink as string);
    await people.claim(page, 'Create admin and log in', 'root');
    await people.check(page, 'overview');
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await page.getByText('winback').first().waitFor();
  } finally {
    await browser.close();
  }
});
