// Measures how fast the ingress accepts events over HTTP and Kafka, compared with Temporal's own rate of raw starts in
// the same run; how long a sender waits for its 202; whether the process grows; and whether every accepted event exists
// exactly once. No worker runs, because this bench is about accepting. Temporal slows down as its database grows, so
// its raw rate is measured before and after each part.

import { leadIntakeIdentity, WORK_QUEUE } from '../src/core/ids.ts';
import { openPostgres } from '../src/core/sql/database.ts';
import { shortHash } from '../src/core/sql/short-hash.ts';
import { startBroker } from '../test/support/kafka/kafka-broker.ts';
import type { BenchResult } from './bench.ts';
import { type Environment, openEnvironment } from './support/environment.ts';
import { makeTopics, type Sent, secretTextOf, sendHttp, sendKafka } from './support/events.ts';
import { acceptedOf, balanceOf } from './support/intake-count.ts';
import { quantile, round, sum } from './support/log.ts';
import { residentMb } from './support/memory.ts';
import { account, CONTACT_ONLY } from './support/people.ts';

const ACCOUNT = 'acme';
/** Seconds per measurement. */
const RAW_S = 4;
const HTTP_S = 4;
const WARM_UP_S = 1;
const WARM_UP_EVENTS = 4000;
/** For one event per start. Temporal's rate varies, so one comparison says little. */
const ROUNDS = 7;
/** Raw starts in progress at once, to find the number at which Temporal is busy. */
const RAW_AT_ONCE = [8, 16, 32, 64];
/** Parallel requests, enough to keep the ingress's starts or groups busy. */
const CONNECTIONS = { single: 128, batched: 400 };
const BATCH = { max: 100, wait: '20ms' };
const PARTITIONS = 16;
/** Events on a topic, in seconds of Temporal's raw rate: alone, and batched. */
const KAFKA_S = { single: 4, batched: 150 };
/** Parallel requests without load, to measure how long a sender waits for its 202. */
const CALM = 4;
const MEMORY_EVENTS = 100_000;
const MEMORY_EVERY = 10_000;
const MEMORY_PROBE = 500;
/**
 * By then the ingress uses everything that it needs. Its size varies by a twentieth, so ranges of events are compared.
 */
const MEMORY_FROM = 20_000;
const MEMORY_STRETCH = 30_000;
const MINUTES = 8;

type Figures = Record<string, number | string>;
const ROUTES = ['http-single', 'kafka-single', 'http-batched', 'kafka-batched', 'memory'] as const;
type RouteName = (typeof ROUTES)[number];

const secretNameOf = (name: RouteName) => `BENCH_${name.replace('-', '_').toUpperCase()}`;

function routeOf(name: RouteName): object {
  const batched = name !== 'http-single' && name !== 'kafka-single';
  const auth = { type: 'standard-webhooks', secrets: [`env:${secretNameOf(name)}`] };
  const schema = { type: 'object', required: ['phone'], properties: { phone: { type: 'string' } } };
  return {
    account: ACCOUNT,
    schema,
    action: { type: 'lead', mapping: 'people' },
    ...(batched ? { batch: BATCH } : {}),
    ...(name.startsWith('kafka')
      ? { kafka: { cluster: 'bus', topics: [name] } }
      : // The limit of a route is not what is measured.
        { http: { path: `/${name}`, auth, perMinute: 1_000_000_000 } }),
  };
}

export async function ingress(say: (line: string) => void): Promise<BenchResult> {
  const broker = await startBroker();
  if (broker === null) throw new Error('there is no Kafka broker to be had: this bench needs Java and Maven');
  try {
    await makeTopics(broker.brokers, { 'kafka-single': PARTITIONS, 'kafka-batched': PARTITIONS, dead: 1 });
    const environment = await openEnvironment({
      // No worker processes the events, and the limits must not refuse them.
      accounts: [{ id: ACCOUNT, fixture: account(ACCOUNT), config: { callsPerMinute: 60_000 } }],
      rate: 0,
      config: {
        mappings: { people: CONTACT_ONLY },
        ingress: {
          http: { port: 0 },
          kafka: { bus: { brokers: broker.brokers, deadLetters: 'dead', concurrency: PARTITIONS } },
          maxOpen: 10_000_000,
          maxDelay: '7d',
        },
        routes: Object.fromEntries(ROUTES.map((name) => [name, routeOf(name)])),
      },
      files: {},
      env: Object.fromEntries(ROUTES.map((name) => [secretNameOf(name), secretTextOf(`/${name}`)])),
      minutes: MINUTES,
      say,
    });
    try {
      return await measure(environment, broker.brokers, say);
    } finally {
      await environment.close();
    }
  } finally {
    await broker.stop();
  }
}

async function measure(
  environment: Environment,
  brokers: string[],
  say: (line: string) => void,
): Promise<BenchResult> {
  const figures: Figures = {};
  const { child, url } = await environment.ingress();
  const db = await openPostgres(environment.databaseUrl, (error) => say(String(error)));
  try {
    const raw = await rawStarter(environment, say);
    let before = await raw.measure();
    /** One transport, alternating with Temporal's own rate. The median of the shares counts. */
    const beside = async (name: string, steps: number, rate: (roundNo: number) => Promise<number>) => {
      const shares: number[] = [];
      const [owns, rawRates]: [number[], number[]] = [[], []];
      for (let roundNo = 0; roundNo < steps; roundNo++) {
        const own = await rate(roundNo);
        const after = await raw.measure();
        const rawRate = (before + after) / 2;
        before = after;
        owns.push(own);
        rawRates.push(rawRate);
        shares.push(own / rawRate);
        say(
          `${name}: ${round(own, 1)} events/s, ${round(own / rawRate, 2)} of the raw rate ${round(rawRate, 1)}`,
        );
      }
      figures[`${name}: events/s`] = round(quantile(owns, 0.5), 1);
      figures[`${name}: raw starts/s beside it`] = round(quantile(rawRates, 0.5), 1);
      figures[`${name}: share of the raw rate`] = round(quantile(shares, 0.5), 2);
    };
    const acceptedBy = new Map<RouteName, number>();
    const report = (route: RouteName, events: number) =>
      acceptedBy.set(route, (acceptedBy.get(route) ?? 0) + events);
    const http = async (route: RouteName, roundNo: number, connections: number): Promise<number> => {
      const path = `/${route}`;
      const from = roundNo * 200_000;
      // A repeated event costs Temporal nothing. Both processes reach full speed only after some thousands.
      if (roundNo === 0) await sendHttp(url, path, { connections, events: WARM_UP_EVENTS, from, same: true });
      const sent = await sendHttp(url, path, { connections, seconds: HTTP_S, from: from + 100_000 });
      report(route, (roundNo === 0 ? 1 : 0) + sent.accepted);
      noteWaits(figures, route === 'http-single' ? 'HTTP' : 'HTTP in batches', connections, sent);
      return sent.accepted / sent.seconds;
    };
    const kafka = async (route: RouteName, events: number): Promise<number> => {
      const from = acceptedBy.get(route) ?? 0;
      await sendKafka(brokers, route, { from, events });
      report(route, events);
      const window = await environment.until(async () => {
        const seen = await acceptedOf(db, route, from);
        return seen.events >= events ? seen : null;
      });
      return window.events / window.seconds;
    };
    const connections = Math.max(raw.atOnce, CONNECTIONS.single);
    figures['raw starts under way at once'] = raw.atOnce;
    await beside('HTTP', ROUNDS, (roundNo) => http('http-single', roundNo, connections));
    const calm = await sendHttp(url, '/http-single', {
      connections: CALM,
      seconds: HTTP_S,
      from: 3_000_000,
    });
    report('http-single', calm.accepted);
    noteWaits(figures, `HTTP, ${CALM} at once`, CALM, calm);
    await beside('Kafka', ROUNDS, () => kafka('kafka-single', Math.round(before * KAFKA_S.single)));
    await beside('HTTP in batches', 1, (roundNo) => http('http-batched', roundNo, CONNECTIONS.batched));
    await beside('Kafka in batches', 1, () => kafka('kafka-batched', Math.round(before * KAFKA_S.batched)));
    acceptedBy.set('memory', await memory(url, child.pid, figures, say));

    say('what the ledger and Temporal have of it is counted');
    let lost = 0;
    let duplicates = 0;
    for (const route of ROUTES) {
      const balance = await balanceOf(
        { db, client: environment.client },
        ACCOUNT,
        route,
        acceptedBy.get(route) ?? 0,
      );
      say(`${route}: ${acceptedBy.get(route)} accepted, ${JSON.stringify(balance)}`);
      figures[`${route}: workflows`] = balance.workflows;
      lost += balance.lost;
      duplicates += balance.duplicates;
    }
    figures['events accepted'] = sum([...acceptedBy.values()]);
    Object.assign(figures, { lost, duplicates });
  } finally {
    await db.close();
  }
  return {
    figures,
    goals: {
      'HTTP: share of the raw rate': { min: 0.9 },
      'Kafka: share of the raw rate': { min: 0.9 },
      'HTTP in batches: share of the raw rate': { min: 10 },
      'Kafka in batches: share of the raw rate': { min: 10 },
      [MEMORY_GOAL]: { max: 1.1 },
      lost: { max: 0 },
      duplicates: { max: 0 },
    },
  };
}

function noteWaits(figures: Figures, name: string, connections: number, sent: Sent): void {
  figures[`${name}: 202 p50, ms`] = round(quantile(sent.waits, 0.5), 1);
  figures[`${name}: 202 p99, ms`] = round(quantile(sent.waits, 0.99), 1);
  figures[`${name}: requests at once`] = connections;
  figures[`${name}: other answers`] = sent.refused;
}

/** Temporal's own rate: the same start that the ingress makes, and nothing else. */
async function rawStarter({ client }: Environment, say: (line: string) => void) {
  let n = 0;
  const startFor = async (seconds: number, atOnce: number): Promise<number> => {
    const began = performance.now();
    let started = 0;
    const starter = async () => {
      while (performance.now() - began < seconds * 1000) {
        // Random like event ids, which costs Temporal's tables more than ids that count up.
        const key = shortHash(`raw-${n++}`);
        await client.workflow.start('leadIntake', {
          ...leadIntakeIdentity(ACCOUNT, 'raw', key),
          taskQueue: WORK_QUEUE,
          args: [{ account: ACCOUNT, route: 'raw', events: [key] }],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          priority: { priorityKey: 2 },
        });
        started += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, starter));
    return started / ((performance.now() - began) / 1000);
  };
  await startFor(WARM_UP_S, RAW_AT_ONCE[0] as number);
  let best = { rate: 0, atOnce: 0 };
  for (const atOnce of RAW_AT_ONCE) {
    const rate = await startFor(RAW_S / 2, atOnce);
    say(`raw starts, ${atOnce} at once: ${round(rate, 1)}/s`);
    if (rate > best.rate) best = { rate, atOnce };
  }
  return { atOnce: best.atOnce, measure: () => startFor(RAW_S, best.atOnce) };
}

const MEMORY_GOAL = `memory in the last ${MEMORY_STRETCH} of ${MEMORY_EVENTS} events / in ${MEMORY_STRETCH} from ${MEMORY_FROM} on`;

/**
 * Sends events in batches and checks the size of the process meanwhile. The smallest size of each range counts, because
 * uncollected garbage is not growth. Returns how many events got a 202.
 */
async function memory(
  url: string,
  pid: number,
  figures: Figures,
  say: (line: string) => void,
): Promise<number> {
  const checks: { stretch: number; size: Promise<number> }[] = [];
  const sent = await sendHttp(url, '/memory', {
    connections: CONNECTIONS.batched,
    events: MEMORY_EVENTS,
    from: 0,
    onAccepted(count) {
      if (count % MEMORY_PROBE === 0)
        checks.push({ stretch: Math.ceil(count / MEMORY_EVERY), size: residentMb(pid) });
    },
  });
  const smallest = new Map<number, number>();
  for (const { stretch, size } of checks)
    smallest.set(stretch, Math.min(smallest.get(stretch) ?? Infinity, await size));
  const at = (count: number) => smallest.get(count / MEMORY_EVERY) as number;
  for (let count = MEMORY_EVERY; count <= MEMORY_EVENTS; count += MEMORY_EVERY)
    figures[`memory at ${count} events, MB`] = at(count);
  const during = (until: number) =>
    quantile(
      Array.from({ length: MEMORY_STRETCH / MEMORY_EVERY }, (_, n) => at(until - n * MEMORY_EVERY)),
      0.5,
    );
  figures[MEMORY_GOAL] = round(during(MEMORY_EVENTS) / during(MEMORY_FROM + MEMORY_STRETCH), 3);
  figures['memory: events/s'] = round(sent.accepted / sent.seconds, 1);
  say(`${sent.accepted} events in batches, ${figures['memory: events/s']}/s: ${figures[MEMORY_GOAL]}`);
  return sent.accepted;
}
