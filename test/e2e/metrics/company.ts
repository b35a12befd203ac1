// A company on servers of its own that a test may break. Each account talks to a service of its own, so that the trouble
// of one is not the trouble of another.
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { request } from 'undici';
import { stringify } from 'yaml';
import { type Prometheus, startPrometheus } from '../../../scripts/dashboard/prometheus.ts';
import { freePort } from '../../../src/core/net/ports.ts';
import { SCOPES } from '../../../src/core/scopes.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { startSluice } from '../../support/console/processes.ts';
import type { TestKafka } from '../../support/kafka/kafka-broker.ts';
import { panelOf } from '../../support/panel.ts';
import {
  type RestartingPostgres,
  startRestartingPostgres,
} from '../../support/postgres/restarting-postgres.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { makeCertificates } from '../../support/tools/certificates.ts';
import {
  ACCOUNTS,
  type AccountName,
  configOf,
  DEAD_LETTERS,
  TOPIC,
  tokenOf,
  variableOf,
} from './company-config.ts';
import { type Call, logIn, ownTemporal, type Receiver, receive, type Startable } from './company-servers.ts';
import { readRules, SCRAPE_SECONDS, scaled } from './scaled-rules.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
export const RULES = join(ROOT, 'deploy/prometheus/sluice-alerts.yaml');

export const PROCESSES = ['worker-1', 'worker-2', 'ingress', 'console'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** What each command prints once it does its work. */
const READY = {
  worker: /^.*ready for the syncs .*$/m,
  ingress: /^ {2}\S+: POST .*$/m,
  console: /Ctrl-C ends/,
};
type Command = keyof typeof READY;

export interface Company {
  readonly panels: Readonly<Record<AccountName, ReturnType<typeof panelOf>>>;
  readonly baseUrls: Readonly<Record<AccountName, string>>;
  readonly receivers: Readonly<Record<'slow' | 'picky', Receiver>>;
  readonly kafka: TestKafka;
  readonly client: Kafka;
  readonly postgres: RestartingPostgres;
  readonly temporal: Startable;
  readonly prometheus: Prometheus;
  /** Ends a process as a crash does. */
  kill(name: ProcessName): Promise<void>;
  /** Starts a process that was killed. */
  start(name: ProcessName): Promise<void>;
  pid(name: ProcessName): number;
  /** Sends an event to the route of the account; returns the status. */
  lead(account: AccountName, lead: object): Promise<number>;
  readonly call: Call;
  /** Replaces sluice.yaml, as an editor does. */
  edit(change: (config: Record<string, unknown>) => string): Promise<void>;
  /** Replaces the certificate for the cluster `partner` by one that is valid for so many days. */
  renew(days: number): Promise<void>;
  /** Puts the first sluice.yaml back. */
  restore(): Promise<void>;
}

export async function openCompany(kafka: TestKafka, ends: (() => Promise<unknown>)[]): Promise<Company> {
  const dist = await buildOnce();
  const dir = await mkdtemp(join(tmpdir(), 'sluice-alerts-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));

  const temporal = await ownTemporal(join(dir, 'temporal'), ends);
  const postgres = await startRestartingPostgres();
  ends.push(() => postgres.stop());
  const client = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: 1 }, { topic: DEAD_LETTERS }] });
  await admin.disconnect();

  const panels: Partial<Record<AccountName, ReturnType<typeof panelOf>>> = {};
  const baseUrls: Partial<Record<AccountName, string>> = {};
  for (const name of ACCOUNTS) {
    const sandbox = await startSandbox({
      port: 0,
      dataDir: join(dir, `sandbox-${name}`),
      fixture: { accounts: [accountOf(name)] },
      rate: 600,
    });
    ends.push(() => sandbox.close());
    panels[name] = panelOf(sandbox.panelUrl);
    baseUrls[name] = sandbox.baseUrl;
  }
  const receivers = { slow: { status: 200 }, picky: { status: 200 } };
  const sinks: Record<string, string> = {};
  for (const [name, receiver] of Object.entries(receivers)) sinks[name] = await receive(receiver, ends);

  const [ingressPort, consolePort] = [await freePort(), await freePort()];
  const config = configOf({
    baseUrls: baseUrls as Record<AccountName, string>,
    brokers: kafka.brokers,
    sinks,
    ingressPort,
    consolePort,
  });
  const file = async (name: string, text: string) => {
    await writeFile(join(dir, `.${name}.next`), text);
    await rename(join(dir, `.${name}.next`), join(dir, name));
  };
  const renew = async (days: number) => {
    const { client: made } = await makeCertificates(
      await mkdtemp(join(dir, 'certificates-')),
      undefined,
      days,
    );
    await file('partner.key', await readFile(made.key, 'utf8'));
    await file('partner.pem', await readFile(made.cert, 'utf8'));
  };
  await renew(365);
  await file('leads.csv', 'phone,name\n11912345601,Ana\n');
  const rows = Array.from({ length: ROWS }, (_, index) => `${memberNumber(index)},Row ${index}\n`);
  await file('long.csv', `phone,name\n${rows.join('')}`);
  await file('sluice.yaml', stringify(config));

  const env: Record<string, string> = {
    SLUICE_LOG_LEVEL: 'info',
    TEMPORAL_ADDRESS: temporal.address,
    DATABASE_URL: postgres.url,
    SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  };
  for (const name of ACCOUNTS) env[variableOf(name)] = tokenOf(name);
  const ports: Partial<Record<ProcessName, number>> = {};
  for (const name of PROCESSES) ports[name] = await freePort();
  const running = new Map<ProcessName, ReturnType<typeof startSluice>>();
  ends.push(() => Promise.all([...running.values()].map((each) => each.stop())));
  const start = async (name: ProcessName) => {
    const command = name.replace(/-\d$/, '') as Command;
    const started = startSluice(dist, dir, [command], { ...env, SLUICE_ADMIN_PORT: `${ports[name]}` });
    running.set(name, started);
    await started.seen('stderr', READY[command]);
  };
  // One after the other: the first migrates the ledger, and the machine is small.
  for (const name of PROCESSES) await start(name);
  const of = (name: ProcessName) => {
    const found = running.get(name);
    if (found === undefined) throw new Error(`${name} does not run`);
    return found;
  };
  const link = /first admin: open (\S+) within/.exec(of('console').text('stderr'))?.[1];
  if (link === undefined) throw new Error(`no link for an admin:\n${of('console').text('stderr')}`);
  const call = await logIn(`http://127.0.0.1:${consolePort}`, link);

  const rules = join(dir, 'rules.yaml');
  await writeFile(rules, scaled(await readRules(RULES)));
  const targets = PROCESSES.map((name) => [name, `127.0.0.1:${ports[name]}`]);
  const prometheus = await startPrometheus(ROOT, dir, Object.fromEntries(targets), {
    rules,
    scrape: `${SCRAPE_SECONDS}s`,
  });
  ends.push(() => prometheus.stop());

  return {
    panels: panels as Company['panels'],
    baseUrls: baseUrls as Company['baseUrls'],
    receivers,
    kafka,
    client,
    postgres,
    temporal,
    prometheus,
    start,
    call,
    renew,
    async kill(name) {
      await of(name).kill();
      running.delete(name);
    },
    pid: (name) => of(name).pid,
    async lead(account, lead) {
      const { statusCode, body } = await request(`http://127.0.0.1:${ingressPort}/${account}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(lead),
      });
      await body.dump();
      return statusCode;
    },
    edit: (change) => file('sluice.yaml', change(structuredClone(config) as Record<string, unknown>)),
    restore: () => file('sluice.yaml', stringify(config)),
  };
}

const memberNumber = (index: number) => `55119${81_000_000 + index * 37}`;
const MEMBERS = 60;
/** A sync of them takes minutes. */
const ROWS = 3000;

function accountOf(name: AccountName): object {
  return {
    id: name,
    tokens: [{ value: tokenOf(name), scopes: SCOPES }],
    connections: [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' }],
    tags: [{ id: 1, name: 'newsletter' }],
    flows: [{ id: 3, name: 'offer', active: true, published: true, nodes: 2 }],
    contacts: Array.from({ length: MEMBERS }, (_, index) => ({
      id: 1000 + index,
      number: memberNumber(index),
      name: `Member ${index}`,
      channel: 'whatsapp',
      tagIds: [1],
    })),
  };
}
