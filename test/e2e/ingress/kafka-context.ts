// A context for tests of the Kafka ingress: a real broker, topics of their own for each test, and an acceptance that can be asked to refuse.
import { randomUUID } from 'node:crypto';
import { type Admin, type IHeaders, Kafka, logLevel, type Producer } from 'kafkajs';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { RouteConfig } from '../../../src/jobs/events/config.ts';
import type { EventDraft } from '../../../src/jobs/events/contract/intake.ts';
import { IngressKafka } from '../../../src/jobs/events/ingress/config.ts';
import {
  type Acceptance,
  type Accepted,
  type Delivery,
  RefusedError,
  type Route,
} from '../../../src/jobs/events/ingress/intake.ts';
import { type KafkaIngress, startKafkaIngress } from '../../../src/jobs/events/ingress/kafka/index.ts';
import { openRoute } from '../../../src/jobs/events/ingress/route/index.ts';
import { compileAction } from '../../../src/jobs/events/rules/actions.ts';
import { createKafkaMetrics } from '../../../src/observe/metrics/kafka.ts';
import { startKafka, type TestKafka } from '../../support/kafka/kafka.ts';
import { NO_KAFKA } from '../../support/runner/missing.ts';
import { until } from '../../support/until.ts';
import { type ReadMessage, readTopic } from '../sinks/topic.ts';

/** Quick, as tests are; the session as short as brokers allow. */
const TIMES = { firstRetryMs: 50, mostRetryMs: 200, checkMs: 200, sessionMs: 6000 };

export interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface ScriptedAcceptance extends Acceptance {
  /** Bodies of what was accepted, in order, repetitions too. */
  readonly accepted: string[];
  /** Ids of events that were accepted once or more. */
  readonly known: Set<string>;
  /** Asked before each acceptance; what it throws is thrown, what it waits for is waited for. */
  onAccept: (drafts: readonly EventDraft[]) => void | Promise<void>;
  /** Asked before each chunk. */
  context: () => void;
}

export function scriptedAcceptance(): ScriptedAcceptance {
  const accepted: string[] = [];
  const known = new Set<string>();
  const it: ScriptedAcceptance = {
    accepted,
    known,
    onAccept: () => {},
    context: () => {},
    async accept(_route, drafts): Promise<Accepted[]> {
      await it.onAccept(drafts);
      return drafts.map(({ id, subject }) => {
        accepted.push(subject);
        const duplicate = known.has(id);
        known.add(id);
        return { id, duplicate };
      });
    },
    requireCapacity: async () => it.context(),
    loads: async () => [],
    ready: async () => {},
    close: async () => {},
  };
  return it;
}

/** Takes any text but `refuse`, which it refuses, and `throw`, at which it breaks. */
export function scriptedRoute(topics: readonly string[], cluster = 'bus'): Route {
  const config = RouteConfig.parse({
    account: 'acme',
    kafka: { cluster, topics },
    action: { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['vip'] },
  });
  return {
    name: 'leads',
    config,
    async read(delivery: Delivery) {
      const text = Buffer.from(delivery.body).toString();
      if (text.startsWith('refuse')) throw new RefusedError('SCHEMA', 422, 'field "phone" is missing');
      if (text.startsWith('throw')) throw new TypeError(`cannot read ${text}`);
      const draft = { account: 'acme', route: 'leads', id: delivery.fallbackKey, subject: text, rank: null };
      return { drafts: [draft as unknown as EventDraft] };
    },
  };
}

/** A route as sluice.yaml has it. */
export function realRoute(topic: string, schema: Record<string, unknown> = PHONE_SCHEMA): Route {
  const config = RouteConfig.parse(tagsRoute(topic));
  return openRoute('leads', config, { compile: compileAction(config.action, null), schema: schema as never });
}

export const tagsRoute = (topic: string) => ({
  account: 'acme',
  kafka: { cluster: 'bus', topics: [topic] },
  action: { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['vip'] },
});

export const PHONE_SCHEMA = {
  type: 'object',
  required: ['phone'],
  properties: { phone: { type: 'string' }, fill: { type: 'string' } },
};

export interface Started {
  readonly ingress: KafkaIngress;
  readonly lines: Line[];
  readonly registry: Registry;
}

/** Registers the hooks of a file's tests. */
export function kafkaContext() {
  let broker: TestKafka | null = null;
  let client: Kafka;
  let admin: Admin;
  let producer: Producer;
  const running = new Set<KafkaIngress>();

  beforeAll(async () => {
    broker = await startKafka();
    if (broker === null) return;
    client = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING });
    admin = client.admin();
    producer = client.producer({ allowAutoTopicCreation: false });
    await Promise.all([admin.connect(), producer.connect()]);
    // The first run ever fetches the jars.
  }, 300_000);
  afterAll(async () => {
    await Promise.all([admin?.disconnect(), producer?.disconnect()]);
    await broker?.stop();
  });
  beforeEach(({ skip }) => {
    if (broker === null) skip(NO_KAFKA);
  });
  afterEach(async () => {
    await Promise.all([...running].map((ingress) => ingress.close()));
    running.clear();
  });

  const brokers = () => (broker as TestKafka).brokers;

  return {
    broker: () => broker as TestKafka,
    client: () => client,
    admin: () => admin,
    /** Makes topics, `names` with that many partitions each, and answers unique names for them. */
    async topics<const T extends string>(
      names: Readonly<Record<T, number>>,
      configEntries: { name: string; value: string }[] = [],
    ): Promise<Record<T, string>> {
      const suffix = randomUUID().slice(0, 8);
      const made = Object.fromEntries(
        Object.keys(names).map((name) => [name, `${name}-${suffix}`]),
      ) as Record<T, string>;
      await admin.createTopics({
        // kafkajs waits for leaders, but fails where a busy broker does not know of the topic yet.
        waitForLeaders: false,
        topics: Object.entries<number>(names).map(([name, numPartitions]) => ({
          topic: made[name as T],
          numPartitions,
          configEntries,
        })),
      });
      const topics = Object.values<string>(made);
      await until('the topics have leaders', () =>
        admin.fetchTopicMetadata({ topics }).then(
          () => true,
          () => null,
        ),
      );
      return made;
    },
    async send(
      topic: string,
      values: readonly (string | Buffer | null)[],
      options: { partition?: number; key?: string; headers?: IHeaders } = {},
    ): Promise<void> {
      const { partition = 0, key = null, headers } = options;
      await producer.send({
        topic,
        messages: values.map((value) => ({ key, value, partition, ...(headers && { headers }) })),
      });
    },
    read: (topic: string): Promise<ReadMessage[]> => readTopic(client, topic),
    /** Offset that the group has committed, or -1. */
    async committed(group: string, topic: string, partition = 0): Promise<number> {
      // A broker that has just begun is still loading them.
      const [of] = await admin.fetchOffsets({ groupId: group, topics: [topic] }).catch(() => []);
      return Number(of?.partitions.find((each) => each.partition === partition)?.offset ?? -1);
    },
    /** Closed after the test at the latest. */
    start(
      config: Partial<IngressKafka> & { readonly deadLetters: string },
      options: {
        routes: readonly Route[];
        acceptance: Acceptance;
        maxMessageBytes?: number;
        checkMs?: number;
      },
    ): Started {
      const lines: Line[] = [];
      const write = (level: Line['level']) => (fields: object, message: string) =>
        void lines.push({ level, fields: fields as Line['fields'], message });
      const registry = new Registry();
      const ingress = startKafkaIngress({
        cluster: 'bus',
        config: IngressKafka.parse({ brokers: brokers(), group: `g-${randomUUID().slice(0, 8)}`, ...config }),
        log: { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') },
        metrics: createKafkaMetrics(registry),
        times: { ...TIMES, checkMs: options.checkMs ?? TIMES.checkMs },
        ...options,
      });
      running.add(ingress);
      return { ingress, lines, registry };
    },
    async joined({ ingress }: Started): Promise<void> {
      await until('the consumer has joined its group', () => ingress.status().connected);
    },
  };
}
