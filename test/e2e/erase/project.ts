// A project with everything that Sluice can be connected to: two sources, three kinds of sinks, HTTP and Kafka events, a
// poller, a campaign and the console.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { sendToKafka } from '../../support/console/day.ts';
import {
  type DevProcess,
  type SandboxProcess,
  startDevProcess,
  startSandboxProcess,
} from '../../support/console/processes.ts';
import { startKafka, type TestKafka } from '../../support/kafka/kafka.ts';
import { startPostgres } from '../../support/postgres/postgres.ts';
import { createLane, type Outcome } from '../docs/situations/lane.ts';
import { configure, fillCrm, type Topics } from './configure.ts';

export const TOKEN = 'svc_live_canary7f3e9d21c04b';
const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const PASSWORD_OF_DATABASE = /:([^:@]+)@/;

export interface Variant {
  /** Temporal's payloads are encrypted. */
  readonly codec: boolean;
  readonly ledger: 'pglite' | 'postgres';
}

export interface Project {
  readonly folder: string;
  /** Where the processes put temporary files. */
  readonly temporary: string;
  /** Every command that ran, with what it printed. */
  readonly outcomes: readonly (Outcome & { readonly words: readonly string[] })[];
  readonly sandbox: SandboxProcess;
  /** Null where no broker can be had. */
  readonly kafka: TestKafka | null;
  readonly topics: Topics;
  /** Of the ledger; null for the embedded one. */
  readonly databaseUrl: string | null;
  /** Requests that the receiver of the HTTP sink got. */
  readonly received: readonly string[];
  /** Secrets that the processes were given. */
  readonly secrets: readonly string[];
  dev(): DevProcess;
  /** An address that the running process printed. */
  address(of: 'ingress' | 'admin' | 'Temporal'): string;
  /** What all processes logged. */
  log(): string;
  must(words: readonly string[], input?: string): Promise<Outcome>;
  run(words: readonly string[], input?: string): Promise<Outcome>;
  stopDev(): Promise<void>;
  /** As a crash. */
  killDev(): Promise<void>;
  startDev(): Promise<void>;
  stop(): Promise<void>;
}

export async function makeProject(dist: string, base: string, variant: Variant): Promise<Project> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  try {
    return await make(dist, base, variant, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function make(
  dist: string,
  base: string,
  { codec, ledger }: Variant,
  stops: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<Project> {
  const folder = join(base, 'up');
  await createLane(dist, base, {}).must(['init', '--dir', folder]);
  const fixture = parse(await readFile(join(folder, 'sandbox.yaml'), 'utf8')) as {
    accounts: { tokens: { value: string }[] }[];
  };
  for (const { tokens } of fixture.accounts) for (const token of tokens) token.value = TOKEN;
  const sandboxDir = join(base, 'sandbox');
  await mkdir(sandboxDir);
  const sandbox = await startSandboxProcess({ dist, dir: sandboxDir, fixture, rate: 3000 });
  stops.push(() => sandbox.stop());
  const crm = await startPostgres();
  stops.push(() => crm.stop());
  await fillCrm(crm.url);
  const own = ledger === 'postgres' ? await startPostgres() : null;
  if (own !== null) stops.push(() => own.stop());
  const kafka = await startKafka({ shared: true });
  if (kafka !== null) stops.push(() => kafka.stop());
  const id = `canary-${process.pid}-${ledger}`;
  const topics = { in: `${id}-in`, dead: `${id}-dead`, out: `${id}-out` };
  if (kafka !== null) await sendToKafka(kafka.brokers, [topics.in, topics.dead, topics.out], []);
  const receiver = await startReceiver();
  stops.push(receiver.close);

  const temporary = join(base, 'tmp');
  await mkdir(temporary);
  const env: Record<string, string> = { ACME_TOKEN: TOKEN, CRM_DB: crm.url, TMPDIR: temporary };
  if (codec) env.HISTORY_KEY = ENCRYPTION_KEY;
  if (own !== null) env.DATABASE_URL = own.url;
  await configure(folder, {
    baseUrl: sandbox.baseUrl,
    codec,
    receiver: receiver.url,
    kafka: kafka === null ? null : { brokers: kafka.brokers, topics },
  });
  const lane = createLane(dist, folder, env);
  const outcomes: (Outcome & { words: readonly string[] })[] = [];
  const logs: string[] = [];
  let dev: DevProcess | null = null;
  const run = async (words: readonly string[], input = '') => {
    const outcome = await lane.run(words, input);
    outcomes.push(Object.assign({ words }, outcome));
    return outcome;
  };
  const endDev = async (end: (process: DevProcess) => Promise<void>) => {
    if (dev === null) return;
    await end(dev);
    logs.push(dev.log());
    dev = null;
  };
  const running = () => {
    if (dev === null) throw new Error('sluice dev does not run');
    return dev;
  };
  const project: Project = {
    folder,
    temporary,
    outcomes,
    sandbox,
    kafka,
    topics,
    databaseUrl: own?.url ?? null,
    received: receiver.received,
    secrets: [TOKEN, ENCRYPTION_KEY, ...(PASSWORD_OF_DATABASE.exec(crm.url)?.slice(1) ?? [])].filter(
      (secret) => secret.length > 8,
    ),
    dev: running,
    address: (of) => new RegExp(`^${of} +(?:http://)?(\\S+)`, 'm').exec(running().log())?.[1] ?? '',
    log: () => [...logs, dev?.log() ?? ''].join('\n'),
    run,
    async must(words, input) {
      const outcome = await run(words, input);
      if (outcome.exit !== 0)
        throw new Error(
          `sluice ${words.join(' ')}: exit ${outcome.exit}\n${outcome.stdout}${outcome.stderr}\n${project.log().slice(-2000)}`,
        );
      return outcome;
    },
    stopDev: () => endDev((process) => process.stop()),
    killDev: () => endDev((process) => process.kill()),
    async startDev() {
      dev = await startDevProcess(dist, folder, env);
    },
    stop,
  };
  stops.push(() => project.stopDev());
  await project.startDev();
  return project;
}

/** A receiver that refuses, and quotes what it got. */
async function startReceiver(): Promise<{ url: string; received: string[]; close(): Promise<void> }> {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push(body);
    response.writeHead(400).end(`I do not take ${body}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
