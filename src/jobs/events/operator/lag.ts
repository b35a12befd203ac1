// How many records the routes have yet to read: an admin client compares committed offsets with the ends of partitions.

import { OperatorError } from '../../../operator/error.ts';
import type { OverviewDeps } from '../../../operator/service/deps.ts';
import type { KafkaCluster, KafkaPartition } from '../contract/refusals.ts';
import { fetchBounds, fetchCommitted } from '../ingress/kafka/index.ts';
import { type Box, kafkaFailure, openBox } from './box.ts';

/** A cluster that does not answer in this time counts as away. An answer takes about 40 ms. */
const ANSWER_MS = 4000;

/** Each cluster that a route reads. One that is away has a problem instead of partitions. */
export async function kafkaLag(deps: OverviewDeps): Promise<KafkaCluster[]> {
  const { routes } = deps.config().config;
  const clusters = [...new Set(Object.values(routes).flatMap(({ kafka }) => kafka?.cluster ?? []))].sort();
  return await Promise.all(clusters.map((cluster) => lagOf(deps, cluster)));
}

async function lagOf(deps: OverviewDeps, cluster: string): Promise<KafkaCluster> {
  const { routes } = deps.config().config;
  const routeOf = new Map(
    Object.entries(routes).flatMap(([route, { kafka }]) =>
      kafka?.cluster === cluster ? kafka.topics.map((topic) => [topic, route] as const) : [],
    ),
  );
  try {
    const box = await openBox(deps, cluster);
    return { cluster, problem: null, partitions: await within(ANSWER_MS, partitionsOf(box, routeOf)) };
  } catch (error) {
    const { code = 'UNREACHABLE', message } = kafkaFailure(error, `cluster ${cluster}`);
    return { cluster, problem: { code, message }, partitions: [] };
  }
}

async function partitionsOf(
  { access, config }: Box,
  routeOf: ReadonlyMap<string, string>,
): Promise<KafkaPartition[]> {
  const topics = [...routeOf.keys()];
  const bounds = await fetchBounds(access, topics);
  const committed = await fetchCommitted(access, config.group, topics);
  return [...bounds].map(([key, { low, high }]) => {
    const at = key.lastIndexOf('/');
    const topic = key.slice(0, at);
    const known = committed.get(key) ?? -1n;
    // Nothing is committed yet: the ingress begins at the configured place.
    const begin = config.from === 'earliest' ? low : high;
    const next = known < 0n ? begin : known > low ? known : low;
    return {
      route: routeOf.get(topic) ?? '',
      topic,
      partition: Number(key.slice(at + 1)),
      lag: Math.max(0, Number(high - next)),
      next: known < 0n ? null : String(known),
      end: String(high),
    };
  });
}

async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new OperatorError('unavailable', `the brokers did not answer within ${ms / 1000} s`, {
            code: 'TIMEOUT',
          }),
        ),
      ms,
    );
  });
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
