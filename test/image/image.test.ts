// The image: small, run by nobody in particular, and able to run every process of docker-compose.yml, with the commands,
// variables and the configuration that stand there.
import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePort } from '../../src/core/net/ports.ts';
import { startKafka, type TestKafka } from '../support/kafka/kafka.ts';
import { startPostgres, type TestPostgres } from '../support/postgres/postgres.ts';
// Brings the type of what the setup provides.
import type {} from '../support/runner/global-setup.ts';
import { NO_CONTAINERS } from '../support/runner/missing.ts';
import { buildImage, type Image, type ImageProcess } from '../support/tools/image.ts';
import { until } from '../support/until.ts';

const MIB = 2 ** 20;
/** Of the image, over its base. */
const LARGEST_MIB = 400;

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: { readonly sluice: { readonly content: string } };
}
interface Config {
  accounts: { demo: { baseUrl: string } };
  ingress: { http: { port?: number }; kafka?: { bus: { brokers: string[] } } };
  operator: { http: { port?: number } };
  routes: { 'site-leads': { kafka?: object } };
}

/** Command of the image's health check. */
let check: readonly string[];
let image: Image | null = null;
let postgres: TestPostgres;
let kafka: TestKafka | null;
let dir: string;
let compose: Compose;
const ports = { sandbox: 0, ingress: 0, console: 0 };
const processes: ImageProcess[] = [];

beforeAll(async () => {
  image = await buildImage();
  if (image === null) return;
  [postgres, kafka, ports.sandbox, ports.ingress, ports.console] = await Promise.all([
    startPostgres(),
    startKafka(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  dir = await mkdtemp(join(tmpdir(), 'sluice-image-config-'));
  // The user of the image reads it.
  await chmod(dir, 0o755);
  const file = resolve(import.meta.dirname, '../../docker-compose.yml');
  const dockerfile = await readFile(resolve(import.meta.dirname, '../../Dockerfile'), 'utf8');
  check = JSON.parse(/^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
  compose = parse(await readFile(file, 'utf8'), { merge: true }) as Compose;
  const config = parse(compose.configs.sluice.content) as Config;
  config.accounts.demo.baseUrl = `http://127.0.0.1:${ports.sandbox}/wapi`;
  config.ingress.http.port = ports.ingress;
  config.operator.http.port = ports.console;
  if (config.ingress.kafka !== undefined && kafka !== null) config.ingress.kafka.bus.brokers = kafka.brokers;
  if (kafka === null) {
    delete config.ingress.kafka;
    delete config.routes['site-leads'].kafka;
  }
  await writeFile(join(dir, 'sluice.yaml'), stringify(config), { mode: 0o644 });
}, 900_000);
afterAll(async () => {
  if (image === null) return;
  for (const process of processes.toReversed()) await process.stop();
  await Promise.all([postgres?.stop(), kafka?.stop()]);
  await rm(dir, { recursive: true, force: true });
  await image.remove();
}, 180_000);
beforeEach(({ skip }) => skip(image === null, NO_CONTAINERS));

const own = () => image as Image;

/** Values as Compose gives them, with the servers of this test. */
function environmentOf({ environment = {} }: Service, adminPort: number): Record<string, string> {
  const values = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace(/\$\{\w+:-([^}]*)\}/g, '$1'),
  ]);
  return {
    ...Object.fromEntries(values),
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    DATABASE_URL: postgres.url,
    SLUICE_ADMIN_PORT: `${adminPort}`,
  };
}

/** What the health check of the image says. */
function isHealthy(adminPort: number): boolean {
  const [, ...args] = check;
  const env = { SLUICE_ADMIN_PORT: `${adminPort}` };
  return spawnSync(process.execPath, args, { env }).status === 0;
}

/** Starts a service of docker-compose.yml, and waits for what its health check asks. */
async function start(name: string): Promise<ImageProcess> {
  const service = compose.services[name] as Service;
  const adminPort = await freePort();
  const args = (service.command ?? ['worker', '--state', '/var/lib/sluice']).map((arg) =>
    arg.replace('--port=4010', `--port=${ports.sandbox}`),
  );
  const started = await own().start(args, { env: environmentOf(service, adminPort), config: dir });
  processes.push(started);
  await until(`${name} is ready`, async () => {
    if (started.child.exitCode !== null) throw new Error(`${name} ended:\n${started.output()}`);
    if (name !== 'sandbox') return isHealthy(adminPort);
    const answer = await request(`http://127.0.0.1:${ports.sandbox}/panel/faults`).catch(() => null);
    await answer?.body.dump();
    return answer?.statusCode === 200;
  });
  return started;
}

it(`has at most ${LARGEST_MIB} MiB over its base`, async () => {
  const { whole, base } = await own().size();
  console.error(`image: ${Math.round(whole / MIB)} MiB, base: ${Math.round(base / MIB)} MiB`);
  expect((whole - base) / MIB).toBeLessThan(LARGEST_MIB);
});

it('runs as user 1000, who can change nothing of the program', async () => {
  expect(await own().exec(['id', '-u'])).toMatch(/^1000/);
  const writable = await own().exec(['find', '/app', '-writable', '-not', '-type', 'l']);
  expect(writable.trim()).toBe('');
});

it('runs the sandbox, a worker, the ingress and the console as docker-compose.yml starts them', {
  timeout: 240_000,
}, async () => {
  await start('sandbox');
  await start('worker');
  await start('ingress');
  await start('console');
  const page = await request(`http://127.0.0.1:${ports.console}/`);
  expect(page.statusCode).toBe(200);
  expect(await page.body.text()).toContain('<div id="root">');
});

it('takes an event at the ingress, and its worker makes a contact', async () => {
  const answer = await request(`http://127.0.0.1:${ports.ingress}/site-leads`, {
    method: 'POST',
    headers: { authorization: 'Bearer demo-ingress-token', 'content-type': 'application/json' },
    body: JSON.stringify({ event_id: '1', phone: '11 98765-4321', name: 'Bia' }),
  });
  expect(answer.statusCode, await answer.body.text()).toBe(202);
  await until('the contact is there', async () => {
    const panel = await request(`http://127.0.0.1:${ports.sandbox}/panel/accounts/demo`);
    return (await panel.body.text()).includes('5511987654321');
  });
});
