// The Kafka ingress of one cluster. It keeps a consumer in its group through any outage of the brokers.

import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { NO_TRACING, type Tracing } from '../../../../core/tracing.ts';
import type { KafkaMetrics } from '../../../../observe/metrics/kafka.ts';
import type { Announcer } from '../../../outbox/store/announcer.ts';
import type { IngressKafka } from '../config.ts';
import type { Acceptance, Route } from '../intake.ts';
import type { Refusals } from '../refusals.ts';
import type { ClusterAccess } from './client.ts';
import { createDeadLetters } from './dead-letters.ts';
import { describeKafkaError } from './errors.ts';
import { createPauses, keyOf, type Log } from './pauses.ts';
import { createGaps, fetchBounds } from './positions.ts';
import { openSession, type Session } from './session.ts';
import type { KafkaStatus, PartitionStatus } from './status.ts';
import { createTopics } from './topics.ts';

/** Maximum length of a value in bytes, equal to the default of Kafka and of the HTTP ingress. */
export const MAX_MESSAGE_BYTES = 1_048_576;
const CLOSE_MS = 20_000;
const MARGIN_MS = 10_000;
const TIMES = { firstRetryMs: 1000, mostRetryMs: 30_000, checkMs: 10_000, silentMs: 120_000 };

export interface KafkaIngressOptions {
  /** Name of the cluster in `ingress.kafka`. */
  readonly cluster: string;
  readonly config: IngressKafka;
  /** Password that the reference `sasl.password` resolves to. */
  readonly password?: string | undefined;
  /** Routes whose `kafka.cluster` has this name. No two of them share a topic. */
  readonly routes: readonly Route[];
  readonly acceptance: Acceptance;
  readonly log: Log;
  readonly metrics: KafkaMetrics;
  /** @default nothing is traced */
  readonly tracing?: Tracing | undefined;
  /** Hears of each record that becomes a dead letter. */
  readonly refused?: Refusals['add'];
  /** Publishes that records became dead letters. */
  readonly announce?: Announcer | undefined;
  /** @default MAX_MESSAGE_BYTES */
  readonly maxMessageBytes?: number;
  /** Milliseconds. `checkMs`: time between two checks of lag, gaps and missing topics. */
  readonly times?: Partial<typeof TIMES> & { readonly sessionMs?: number };
}

export interface KafkaIngress {
  status(): KafkaStatus;
  /** Stops fetching, completes what is in progress up to its commit, and leaves the group, within 30 s. */
  close(): Promise<void>;
}

/**
 * Begins to read and returns at once. It waits for unavailable brokers and for missing topics.
 * @throws Error when two routes read the same topic, or a route reads the dead-letter topic
 */
export function startKafkaIngress(options: KafkaIngressOptions): KafkaIngress {
  const { cluster, config, acceptance, log, metrics } = options;
  const times = { ...TIMES, ...options.times };
  const access: ClusterAccess = { connection: config, password: options.password, log };
  const writeDeadLetters = createDeadLetters({ ...options, topic: config.deadLetters, access });
  const topics = createTopics({ ...options, access });
  const pauses = createPauses(cluster, log, ({ topic, partition }, { why }, is) => {
    if (is) metrics.paused.set({ cluster, topic, partition, why }, 1);
    else metrics.paused.remove({ cluster, topic, partition, why });
  });
  const gaps = createGaps(cluster, log, ({ topic, partition, count }) => {
    metrics.gaps.inc({ cluster, topic, partition });
    metrics.missed.inc({ cluster, topic, partition }, count ?? 0);
  });
  const limit = pLimit(config.concurrency);
  const closing = new AbortController();
  const ends = new Map<string, bigint>();
  let published: ReadonlyMap<string, PartitionStatus> = new Map();
  let session: Session | null = null;
  let away: string | null = 'not connected yet';
  let saidAway = false;

  /** Logged once until the cluster is back. */
  function isAway(error: unknown): void {
    const { code, message } = describeKafkaError(error);
    away = `${code}: ${message}`;
    metrics.connected.set({ cluster }, 0);
    if (saidAway) return;
    saidAway = true;
    log.error(
      { cluster, brokers: config.brokers, code },
      `cannot read from Kafka: ${message}; retrying until it works`,
    );
  }

  function joined(): void {
    away = null;
    metrics.connected.set({ cluster }, 1);
    if (saidAway) log.info({ cluster }, 'reading from Kafka again');
    saidAway = false;
  }

  const open = (found: readonly string[]) =>
    openSession({
      cluster,
      config,
      access,
      topics: found,
      sessionMs: times.sessionMs,
      log,
      pauses,
      gaps,
      joined,
      sawEnd: (place, { high }) => ends.set(keyOf(place), high),
      reader: ({ topic }) => {
        const route = topics.routeOf(topic);
        return {
          route,
          acceptance,
          maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
          tracing: options.tracing ?? NO_TRACING,
          writeDeadLetters,
          count: (outcome) => metrics.records.inc({ cluster, topic, route: route.name, outcome }),
          limit,
          log,
          retry: { firstMs: times.firstRetryMs, mostMs: times.mostRetryMs },
        };
      },
    });

  /** Watches a session until it must be replaced. @returns why */
  async function watch(current: Session): Promise<unknown> {
    const crashed = current.crashed.then((error) => ({ error }));
    for (;;) {
      const crash = await Promise.race([crashed, waitMs(times.checkMs)]);
      if (closing.signal.aborted) return null;
      if (crash !== undefined) return crash.error;
      if (Date.now() - current.lastSign() > times.silentMs)
        return new Error(`the consumer has done nothing for ${times.silentMs / 1000} s`);
      if (await check(current)) return null;
    }
  }

  /** @returns whether a missing topic exists now */
  async function check(current: Session): Promise<boolean> {
    try {
      const read = [...new Set(current.readers().map(({ topic }) => topic))];
      if (read.length > 0) current.compare(await fetchBounds(access, read));
      publish();
      if (topics.complete()) return false;
      const before = topics.missing().length;
      await topics.find();
      return topics.missing().length < before;
    } catch (error) {
      // The consumer notices on its own whether the cluster is away.
      log.debug({ cluster, ...describeKafkaError(error) }, 'cannot check offsets');
      return false;
    }
  }

  async function waitMs(ms: number): Promise<undefined> {
    await delay(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  /** @returns why to retry after a pause; null: retry at once */
  async function live(): Promise<unknown> {
    const found = await topics.find();
    if (found.length === 0) {
      away = 'none of the topics exists';
      await waitMs(times.checkMs);
      return null;
    }
    const current = await open(found);
    session = current;
    try {
      return await watch(current);
    } finally {
      await current.close(closing.signal.aborted ? CLOSE_MS : 0);
      session = null;
    }
  }

  async function run(): Promise<void> {
    for (let waits = 0; !closing.signal.aborted; ) {
      const startedAt = Date.now();
      const error = await live().catch((failed: unknown) => failed);
      if (error === null || closing.signal.aborted) continue;
      isAway(error);
      // A session that lasted was healthy, so its end counts as a new failure.
      waits = Date.now() - startedAt > times.mostRetryMs ? 0 : waits;
      await waitMs(Math.min(times.mostRetryMs, times.firstRetryMs * 2 ** waits));
      waits += 1;
    }
  }

  function partitions(): PartitionStatus[] {
    return (session?.readers() ?? []).map((reader) => {
      const { topic, partition, route } = reader;
      const end = ends.get(keyOf(reader));
      const lag = end === undefined ? null : Math.max(0, Number(end - reader.done()));
      return {
        topic,
        partition,
        route,
        next: String(reader.done()),
        lag,
        paused: pauses.of({ topic, partition }),
      };
    });
  }

  /** Partitions that moved to other consumers take their lag with them. */
  function publish(): void {
    const now = new Map(partitions().map((status) => [keyOf(status), status]));
    for (const [key, { topic, partition }] of published)
      if (!now.has(key)) metrics.lag.remove({ cluster, topic, partition });
    published = now;
    for (const { topic, partition, lag } of now.values())
      if (lag !== null) metrics.lag.set({ cluster, topic, partition }, lag);
  }

  metrics.connected.set({ cluster }, 0);
  const running = run();
  return {
    status: () => ({
      cluster,
      connected: away === null,
      away,
      missingTopics: topics.missing(),
      partitions: partitions(),
      gaps: gaps.all(),
    }),
    async close() {
      closing.abort();
      // What hangs in kafkajs ends by its own timeouts.
      await Promise.race([running, delay(CLOSE_MS + MARGIN_MS, undefined, { ref: false })]);
      away = 'closed';
      metrics.connected.set({ cluster }, 0);
    },
  };
}
