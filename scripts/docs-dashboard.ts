// `npm run docs:dashboard -- [MINUTES]`: runs two workers, an ingress and a console on a company's data, lets Prometheus scrape
// them, and writes a picture of what the dashboard's queries return. Grafana itself is not needed.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import UPNG from 'upng-js';
import { SEARCH_KEYS } from '../src/core/ids.ts';
import { freePort } from '../src/core/net/ports.ts';
import { cacheDirOf } from '../src/temporal/cache-dir.ts';
import { startTemporal } from '../src/temporal/temporal-server.ts';
import { openPage } from '../test/support/console/pages.ts';
import { startSandboxProcess } from '../test/support/console/processes.ts';
import { startFleet } from '../test/support/fleet.ts';
import { startBroker } from '../test/support/kafka/kafka-broker.ts';
import { startPostgresServer } from '../test/support/postgres/postgres.ts';
import { launchChromium } from '../test/support/tools/chromium.ts';
import { pageOf } from './dashboard/page.ts';
import { type AnsweredPanel, readDashboard, startPrometheus } from './dashboard/prometheus.ts';
import { configuration, crmExport, ENV, fixture, memberNumber, nameOf } from './screenshots/data.ts';
import { type Call, callAs, makeTopics, planned, sendRecords } from './screenshots/living.ts';

const DIST = resolve(import.meta.dirname, '..');
const ROOT = resolve(DIST, '..');
const PICTURE = join(ROOT, 'docs/images/dashboard.png');
const PASSWORD = 'a picture of a password';
/** Calls per minute and token that the sandbox allows: the service's limit. */
const RATE = 120;
/** Seconds between two forms of the website. */
const PERIOD = 4;
const COLORS = 64;

const { argv, env } = process;
const minutes = Number(argv[2] ?? 60);
const say = (text: string) => process.stderr.write(`${text}\n`);
const stops: (() => Promise<unknown>)[] = [];
try {
  await main();
} finally {
  for (const stop of stops.toReversed()) await stop();
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-dashboard-'));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const state = join(dir, 'temporal');
  await mkdir(state);
  const temporal = await startTemporal({
    stateDir: state,
    env: {},
    cacheDir: cacheDirOf(env),
    say,
    port: await freePort(),
    searchAttributes: Object.fromEntries(Object.values(SEARCH_KEYS).map((key) => [key.name, 'Keyword'])),
  });
  stops.push(() => temporal.stop());
  const postgres = await startPostgresServer(['max_connections=400', 'fsync=off', 'jit=off']);
  stops.push(() => postgres.stop());
  const kafka = await startBroker();
  if (kafka !== null) stops.push(() => kafka.stop());
  const brokers = kafka?.brokers ?? null;
  if (brokers !== null) await makeTopics(brokers);
  const sandbox = await startSandboxProcess({ dist: DIST, dir, fixture: fixture(), rate: RATE });
  stops.push(() => sandbox.stop());
  const [consolePort, ingressPort] = [await freePort(), await freePort()];
  await writeFile(join(dir, 'crm.csv'), crmExport());
  const { baseUrl, panel } = sandbox;
  await writeFile(join(dir, 'sluice.yaml'), configuration({ baseUrl, consolePort, ingressPort, brokers }));
  const servers = { TEMPORAL_ADDRESS: temporal.address, DATABASE_URL: postgres.url };
  const variables = Object.assign(servers, ENV);
  const fleet = await startFleet({ dist: DIST, dir, env: variables, workers: 2 });
  stops.push(() => fleet.stop());
  const targets = fleet.processes.map(({ name, adminUrl }) => [name, new URL(adminUrl).host]);
  const prometheus = await startPrometheus(ROOT, dir, Object.fromEntries(targets));
  stops.push(() => prometheus.stop());
  const from = Date.now();

  const browser = await launchChromium();
  stops.push(() => browser.close());
  const { page, context } = await openPage(browser, fleet.consoleUrl);
  await page.goto(fleet.adminLink);
  await page.getByLabel('User name').fill('marina');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  say(`the company works for ${minutes} minutes`);
  await work(callAs(page), { panel, brokers, ingress: `http://127.0.0.1:${ingressPort}` });
  await context.close();

  const panels = await prometheus.readPanels(await readDashboard(ROOT), from, Date.now());
  for (const { title } of panels.filter(hasNoData)) say(`no data: ${title}`);
  const about = `The panels of deploy/grafana/sluice.json, answered by Prometheus ${prometheus.version} and drawn by a script, not by Grafana. Two workers, an ingress and a console; ${RATE} calls a minute and token; the sandbox in place of the service.`;
  const drawing = await browser.newPage({ viewport: { width: 1616, height: 900 } });
  await drawing.setContent(pageOf(panels, about));
  await drawing.locator('body[data-drawn]').waitFor();
  const shot = UPNG.decode(new Uint8Array(await drawing.screenshot({ fullPage: true })).buffer);
  const [frame] = UPNG.toRGBA8(shot);
  const bytes = Buffer.from(UPNG.encode([frame as ArrayBuffer], shot.width, shot.height, COLORS));
  await writeFile(PICTURE, bytes);
  say(`${PICTURE} ${Math.round(bytes.length / 1000)} kB`);
}

function hasNoData({ type, series }: AnsweredPanel): boolean {
  return type !== 'row' && series.every(({ values }) => values.every((value) => value === null));
}

interface Outside {
  readonly panel: Awaited<ReturnType<typeof startSandboxProcess>>['panel'];
  readonly brokers: readonly string[] | null;
  readonly ingress: string;
}

/** A sync, a campaign and a poller, with events and replies that keep coming, and a service that fails now and then. */
async function work(call: Call, { panel, brokers, ingress }: Outside): Promise<void> {
  const end = Date.now() + minutes * 60_000;
  await panel.fault({ kind: 'status', status: 500, body: 'oops', path: '/v1/', probability: 0.01, seed: 7 });
  await panel.fault({ kind: 'delay', ms: 120, path: '/v1/', probability: 0.3, seed: 9 });
  await call('POST', '/pollers/start', {});
  await call('POST', '/syncs/orders/runs', {});
  await call('POST', '/campaigns/autumn-offer/plan', {});
  const campaign = planned(call, 'autumn-offer').then(() =>
    call('POST', '/campaigns/autumn-offer/start', { reason: 'approved by marketing' }),
  );
  for (let second = 0; Date.now() < end; second += PERIOD) {
    if (second === 32) await call('POST', '/syncs/leads/runs', {});
    if (second % 40 === 8 && brokers !== null) await sendRecords(brokers);
    // Every ninth form comes without its number, and one in fifteen comes twice.
    const index = second / PERIOD - (second % 60 === 28 ? 1 : 0);
    const phone = index % 9 === 5 ? {} : { Telefone: `+${memberNumber(3000 + index)}` };
    const { body } = await request(`${ingress}/events/leads`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `form-${index}` },
      body: JSON.stringify({ Nome: nameOf(index * 3), Etapa: 'New', ...phone }),
    });
    await body.dump();
    if (second % 12 === 0)
      await panel.inbound({ number: memberNumber(index), body: 'Oi! Quero sim', connectionId: 1 });
    await delay(PERIOD * 1000);
  }
  await campaign;
}
