// Processes that die or starve, servers that stop, and a ledger that grows.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { stringify } from 'yaml';
import type { Company, ProcessName } from '../company.ts';
import { TOPIC } from '../company-config.ts';
import type { Cause } from './cause.ts';
import { newPerson, produce } from './traffic.ts';

/** More than the accepted events of a minute and the threshold of the rule. */
const RECORDS = 450;

/** In the database of the ledger. */
async function statement({ postgres }: Company, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Lets a process run for a moment in each second, as a machine without processor time does. */
async function starve(company: Company, name: ProcessName): Promise<void> {
  for (let second = 0; second < 10; second++) {
    process.kill(company.pid(name), 'SIGSTOP');
    await delay(700);
    process.kill(company.pid(name), 'SIGCONT');
    await delay(300);
  }
}

/** Kafka deletes them while nobody reads. */
async function loseRecords(company: Company): Promise<void> {
  await company.kill('ingress');
  await produce(company, Array.from({ length: 10 }, newPerson));
  const admin = company.client.admin();
  await admin.connect();
  const [end] = await admin.fetchTopicOffsets(TOPIC);
  const partitions = [{ partition: 0, offset: end?.offset ?? '-1' }];
  await admin.deleteTopicRecords({ topic: TOPIC, partitions });
  await admin.disconnect();
  await company.start('ingress');
}

/** An hour of the file is a minute here, so these begin with the trouble of accounts. */
export const CHANGES: readonly Cause[] = [
  {
    alert: 'SluiceConfigNeedsRestart',
    labels: { instance: 'ingress', severity: 'warning' },
    cause: 'a person changes a key that a process reads once',
    begin: ({ edit }) => edit((config) => stringify({ ...config, admin: { host: '127.0.0.2' } })),
    end: ({ restore }) => restore(),
  },
  {
    alert: 'SluiceCertificateExpires',
    labels: { connection: 'ingress.kafka.partner', part: 'certificate', severity: 'warning' },
    cause: 'a certificate ends tomorrow',
    begin: ({ renew }) => renew(1),
    end: ({ renew }) => renew(365),
  },
  {
    alert: 'SluiceLedgerNearLimit',
    labels: { job: 'sluice', severity: 'warning' },
    cause: 'a table of the ledger grows',
    begin: (company) =>
      statement(
        company,
        'create table ballast as select repeat(md5(n::text), 30) as filling from generate_series(1, 50000) n',
      ),
    end: (company) => statement(company, 'drop table ballast'),
  },
];

/** A lock under which statements that write events wait, as of an index that is built. */
async function lockEvents(company: Company): Promise<void> {
  const leads: Promise<number>[] = [];
  const client = new pg.Client({ connectionString: company.postgres.url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('lock table events in share mode');
    for (let lead = 0; lead < 3; lead++) leads.push(company.lead('calm', newPerson()));
    await delay(2500);
    await client.query('commit');
  } finally {
    await client.end();
  }
  await Promise.all(leads);
}

export const LOCKS: readonly Cause[] = [
  {
    alert: 'SluiceLedgerSlow',
    labels: { instance: 'ingress', severity: 'warning' },
    cause: 'somebody locks a table again and again',
    begin: async () => undefined,
    again: lockEvents,
  },
];

export const PROCESSES: readonly Cause[] = [
  {
    alert: 'SluiceEventLoopBlocked',
    labels: { instance: 'console', severity: 'warning' },
    cause: 'a process gets no processor time',
    begin: async () => undefined,
    again: (company) => starve(company, 'console'),
  },
  {
    alert: 'SluiceConfigBroken',
    labels: { instance: 'console', severity: 'warning' },
    cause: 'a person saves a broken sluice.yaml',
    begin: ({ edit }) => edit((config) => `${stringify(config)}\nbroken: [`),
    end: ({ restore }) => restore(),
  },
  {
    alert: 'SluiceProcessDown',
    labels: { job: 'sluice', instance: 'worker-2', severity: 'critical' },
    cause: 'a worker dies',
    begin: ({ kill }) => kill('worker-2'),
  },
  {
    alert: 'SluiceWorkersMissing',
    labels: { job: 'sluice', severity: 'critical' },
    cause: 'the other worker dies too',
    begin: ({ kill }) => kill('worker-1'),
  },
  {
    alert: 'SluiceProcessGone',
    labels: { job: 'sluice', process: 'worker', severity: 'critical' },
    cause: 'no worker is left',
    begin: async () => undefined,
    async end({ restore, start }) {
      await restore();
      await start('worker-1');
      await start('worker-2');
    },
  },
];

export const KAFKA: readonly Cause[] = [
  {
    alert: 'SluiceKafkaRecordsLost',
    labels: { cluster: 'bus', topic: TOPIC, severity: 'critical' },
    cause: 'Kafka deletes records while the ingress is stopped',
    begin: loseRecords,
  },
  {
    alert: 'SluiceKafkaLag',
    labels: { cluster: 'bus', topic: TOPIC, severity: 'warning' },
    cause: 'more records come than the token has calls for',
    begin: (company) => produce(company, Array.from({ length: RECORDS }, newPerson)),
  },
];

let startBroker: () => Promise<void>;

export const BROKER: readonly Cause[] = [
  {
    alert: 'SluiceKafkaDisconnected',
    labels: { cluster: 'bus', severity: 'critical' },
    cause: 'the broker dies',
    async begin({ kafka }) {
      startBroker = await kafka.outage();
    },
    end: () => startBroker(),
  },
];

export const SERVERS: readonly Cause[] = [
  {
    alert: 'SluiceLedgerDown',
    labels: { instance: 'worker-1', severity: 'critical' },
    cause: 'PostgreSQL stops',
    begin: ({ postgres }) => postgres.halt(),
  },
  {
    alert: 'SluiceIngressRefuses',
    labels: { route: 'calm', severity: 'critical' },
    cause: 'leads come in while PostgreSQL is stopped',
    begin: async () => undefined,
    again: (company) => company.lead('calm', newPerson()),
    end: ({ postgres }) => postgres.start(),
  },
  {
    alert: 'SluiceTemporalRequestsFail',
    labels: { instance: 'worker-1', severity: 'critical' },
    cause: 'Temporal stops',
    begin: ({ temporal }) => temporal.stop(),
    end: ({ temporal }) => temporal.start(),
  },
];
