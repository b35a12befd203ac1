// A rolling restart under load, as Kubernetes does it: a new ingress and a new worker start, then an old one of each gets
// SIGTERM, until all are replaced. Everything is a real process or server. SLUICE_UPGRADE_FROM names the build that runs
// at first: then it is an upgrade.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { afterAll, expect, inject, it } from 'vitest';
import { stringify } from 'yaml';
import { openPostgres } from '../../../src/core/sql/database.ts';
import { MAPPING } from '../../support/environment.ts';
import { startKafka } from '../../support/kafka/kafka.ts';
import { NO_KAFKA } from '../../support/runner/missing.ts';
import { startServers } from '../../support/runner/servers.ts';
import { until } from '../../support/until.ts';

const TOPIC = 'rolling.leads';
const GROUP = 'rolling';
/** Events of each way, at least. */
const EVENTS = 80;
/** What takes new work ends first, then what work in progress needs. Other parts may stand between them. */
const OF_INGRESS = [
  'HTTP ingress',
  'Kafka ingress',
  'events under way',
  'client connection',
  'ledger',
  'admin listener',
];
const OF_WORKER = [
  'worker',
  'client connection',
  'worker connection',
  'API clients',
  'ledger',
  'admin listener',
  'folder lock',
];
const lead = (n: number) =>
  JSON.stringify({ id: `e${n}`, phone: `119${80_000_000 + n}`, name: `Lead ${n}`, stage: 'New' });

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Process {
  readonly child: ChildProcess;
  readonly admin: string;
  /** Of an ingress. */
  readonly url: string;
  said(): string;
  /** Sends SIGTERM, and reads /readyz until the end. */
  stop(): Promise<End>;
}

interface End {
  readonly code: number | null;
  readonly ms: number;
  readonly states: readonly string[];
  readonly closed: readonly string[];
}

interface Pair {
  readonly worker: Process;
  readonly ingress: Process;
}

it('loses nothing, does nothing twice, and closes in order', async ({ skip }) => {
  const kafka = await startKafka();
  if (kafka === null) return skip(NO_KAFKA);
  ends.push(() => kafka.stop());
  const { dir, dist, temporal, postgres, sandbox, panel } = await startServers('rolling', ends);
  // Long enough that calls are in progress at any moment.
  await panel.fault({ method: '.*', path: '.*', kind: 'delay', ms: 150 });
  const client = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  ends.push(() => admin.disconnect());
  await admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: 4 }, { topic: 'rolling.dead' }] });
  const producer = client.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  ends.push(() => producer.disconnect());

  const file = join(dir, 'sluice.yaml');
  const sluice = {
    version: 1,
    accounts: { acme: { baseUrl: sandbox.baseUrl, tokens: ['env:TOKEN'], callsPerMinute: 60_000 } },
    mappings: { leads: MAPPING },
    ingress: {
      http: { port: 0 },
      kafka: { bus: { brokers: kafka.brokers, group: GROUP, deadLetters: 'rolling.dead' } },
    },
    routes: {
      leads: {
        account: 'acme',
        http: { path: '/leads', auth: { type: 'none' } },
        kafka: { cluster: 'bus', topics: [TOPIC] },
        action: { type: 'lead', mapping: 'leads' },
      },
    },
  };
  await writeFile(file, stringify(sluice));

  async function start(of: string, command: 'worker' | 'ingress', ready: RegExp): Promise<Process> {
    const state = await mkdtemp(join(dir, `${command}-`));
    const child = spawn(process.execPath, [join(of, 'src/cli/main.js'), command, '--config', file], {
      env: {
        ...process.env,
        TOKEN: 'svc_test_token',
        SLUICE_STATE: state,
        SLUICE_ADMIN_PORT: '0',
        DATABASE_URL: postgres.url,
        TEMPORAL_ADDRESS: inject('temporalAddress'),
        TEMPORAL_NAMESPACE: temporal.namespace,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    ends.push(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    const find = (pattern: RegExp) => pattern.exec(said)?.[1] ?? '';
    await until(`the ${command} is ready`, () => {
      if (child.exitCode !== null) throw new Error(`the ${command} ended\n${said}`);
      return ready.test(said);
    });
    const url = find(/^ingress +(\S+)/m);
    const place = find(/^admin +(\S+)/m);
    return {
      child,
      url,
      admin: place,
      said: () => said,
      async stop() {
        const startedAt = Date.now();
        const ended = once(child, 'exit') as Promise<[number | null]>;
        child.kill('SIGTERM');
        const states: string[] = [];
        for (let isUp = true; isUp; ) {
          const answer = await fetch(`${place}/readyz`).catch(() => null);
          isUp = answer !== null;
          if (answer !== null) states.push(((await answer.json()) as { code?: string }).code ?? 'READY');
          await delay(5);
        }
        const [code] = await ended;
        const closed = /^Closed: (.*)$/m.exec(said)?.[1] ?? '';
        return {
          code,
          ms: Date.now() - startedAt,
          states,
          closed: closed.split(', ').map((part) => part.replace(/ [\d.]+ s$/, '')),
        };
      },
    };
  }

  const startPair = async (of: string): Promise<Pair> => ({
    worker: await start(of, 'worker', /ready for/),
    ingress: await start(of, 'ingress', /^ {2}leads:/m),
  });
  const first = process.env.SLUICE_UPGRADE_FROM ?? dist;
  const pairs = [await startPair(first), await startPair(first)];
  await members(admin, 2);

  // Senders go to any ingress, and to another one if it is gone, as behind a load balancer. They go on until all is replaced.
  let accepted = 0;
  const load = { isNeeded: true, isOver: false };
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  ends.push(async () => agent.destroy());
  const send = async (n: number) => {
    for (let at = n; !load.isOver; at++) {
      const { ingress } = pairs[at % pairs.length] as Pair;
      const status = await post(`${ingress.url}/leads`, lead(2 * n), agent).catch(() => null);
      if (status === 202) break;
      expect([null, 503]).toContain(status);
      await delay(20);
    }
    accepted += 1;
  };
  const sending = (async () => {
    for (let n = 0; load.isNeeded || n < EVENTS; n += 4) {
      await Promise.all([0, 1, 2, 3].map((more) => send(n + more)));
      const value = (more: number) => ({ key: `k${n + more}`, value: lead(2 * (n + more) + 1) });
      await producer.send({ topic: TOPIC, messages: [0, 1, 2, 3].map(value) });
      await delay(60);
    }
  })();
  ends.push(async () => {
    load.isNeeded = false;
    load.isOver = true;
    await Promise.allSettled([sending]);
  });
  if (first !== dist) {
    // As docs/how-to/upgrade.md orders it: under load, before the first process is replaced.
    await until('events are accepted by the version before', () => accepted > EVENTS / 4);
    const env = { ...process.env, DATABASE_URL: postgres.url };
    const migrate = [join(dist, 'src/cli/main.js'), 'ledger', 'migrate'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, migrate, { env });
    console.error(`migrated: ${stdout}${stderr}`);
  }
  const old = [...pairs];
  for (const [n, pair] of old.entries()) {
    const before = accepted;
    await until('events are accepted', () => accepted > before + EVENTS / 4);
    // A new pair is ready before an old one ends.
    pairs.push(await startPair(dist));
    await members(admin, 3);
    // A request whose body is still on its way when the shutdown begins.
    const slow = slowPost(`${pair.ingress.url}/leads`, lead(100_000 + n));
    await slow.begun;
    const stopping = Promise.all([pair.ingress.stop(), pair.worker.stop()]);
    await delay(300);
    expect(await slow.end()).toBe(202);
    const [ingress, worker] = await stopping;
    pairs.splice(pairs.indexOf(pair), 1);
    checkEnd(ingress, OF_INGRESS);
    checkEnd(worker, OF_WORKER);
    console.error(`closed: ingress ${ingress.ms} ms, worker ${worker.ms} ms`);
    // It left its group: the partitions move at once, and not after the time-out of a session.
    const { groups } = await admin.describeGroups([GROUP]);
    expect(groups[0]?.members.length).toBe(2);
  }
  load.isNeeded = false;
  await panel.clearFaults();
  await sending;
  const db = await openPostgres(postgres.url, () => undefined);
  ends.push(() => db.close());
  const all = 2 * accepted + old.length;
  expect(accepted).toBeGreaterThanOrEqual(EVENTS);
  await until('all events have ended', async () => {
    const [row] = await db.query<{ n: number }>(
      "select count(*)::int as n from events where outcome = 'done'",
    );
    return row?.n === all;
  });
  const rest = await Promise.all(pairs.flatMap(({ ingress, worker }) => [ingress.stop(), worker.stop()]));
  expect(rest.map(({ code }) => code)).toEqual([0, 0, 0, 0]);

  const { contacts, cards } = await panel.account();
  expect(contacts.length).toBe(all);
  expect(cards.length).toBe(all);
  expect(new Set(cards.map(({ contactId }) => contactId)).size).toBe(all);
  // The call log was written before the ledger closed: it has every write that the service saw.
  const seen = (await panel.requests()).filter(({ method }) => method === 'POST').length;
  const [logged] = await db.query<{ n: number }>(
    "select count(*)::int as n from calls where method = 'POST'",
  );
  expect(logged?.n).toBe(seen);
  // Everything that was read is committed.
  const [offsets] = await admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] });
  const committed = offsets?.partitions.reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
  expect(committed).toBe(accepted);
  console.error(`${all} events, each once`);
});

function checkEnd({ code, ms, states, closed }: End, order: readonly string[]): void {
  expect(code).toBe(0);
  // Ready turns false first, and the admin listener is there until the end. A busy process reads the signal a moment late.
  const since = states.indexOf('CLOSING');
  expect(since).toBeGreaterThanOrEqual(0);
  expect(new Set(states.slice(since))).toEqual(new Set(['CLOSING']));
  expect(closed.filter((name) => order.includes(name))).toEqual(order);
  // The chart gives a worker 60 s and an ingress 75 s.
  expect(ms).toBeLessThan(40_000);
}

async function members(admin: Admin, count: number): Promise<void> {
  await until(`${count} consumers have joined`, async () => {
    const { groups } = await admin.describeGroups([GROUP]);
    return groups[0]?.state === 'Stable' && groups[0].members.length === count;
  });
}

/** @returns the status */
function post(url: string, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** Sends half of a body; `end` sends the rest and returns the status. */
function slowPost(url: string, body: string) {
  const half = body.length / 2;
  const sent = request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      // The server says that it has the head of the request.
      expect: '100-continue',
    },
  });
  const answered = once(sent, 'response') as Promise<[{ statusCode: number; resume(): void }]>;
  answered.catch(() => undefined);
  const begun = once(sent, 'continue').then(() => sent.write(body.slice(0, half)));
  sent.flushHeaders();
  return {
    begun,
    async end(): Promise<number> {
      sent.end(body.slice(half));
      const [answer] = await answered;
      answer.resume();
      return answer.statusCode;
    },
  };
}
