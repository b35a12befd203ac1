// Maps topics to routes, and checks which topics exist.
import type { IngressKafka } from '../config.ts';
import type { Route } from '../intake.ts';
import { ask, type ClusterAccess } from './client.ts';
import type { Log } from './pauses.ts';

export interface TopicsOptions {
  readonly cluster: string;
  readonly config: IngressKafka;
  readonly routes: readonly Route[];
  readonly access: ClusterAccess;
  readonly log: Log;
}

export interface Topics {
  routeOf(topic: string): Route;
  /**
   * Returns the existing topics of the routes, freshly queried. Logs each missing topic once. @throws what kafkajs
   * throws
   */
  find(): Promise<string[]>;
  /** Topics of routes that did not exist. */
  missing(): readonly string[];
  /** Whether all of them existed, and the dead-letter topic. */
  complete(): boolean;
}

/** @throws Error when two routes read the same topic, or a route reads the dead-letter topic */
export function createTopics({ cluster, config, routes, access, log }: TopicsOptions): Topics {
  const byTopic = routesByTopic(cluster, config, routes);
  let missing: ReadonlySet<string> = new Set();
  const hints = (topic: string) =>
    topic === config.deadLetters
      ? 'the dead-letter topic does not exist; create it (a partition pauses at the first record that needs it)'
      : 'the topic does not exist, or the user may not DESCRIBE it; create it (Sluice never does), meanwhile the other topics are read';
  return {
    routeOf: (topic) => byTopic.get(topic) as Route,
    async find() {
      // A query by topic name would create the topic if the brokers allow it.
      const there = new Set(await ask(access, (admin) => admin.listTopics()));
      const now = [...byTopic.keys(), config.deadLetters].filter((topic) => !there.has(topic));
      for (const topic of now)
        if (!missing.has(topic)) log.error({ cluster, topic, route: byTopic.get(topic)?.name }, hints(topic));
      missing = new Set(now);
      return [...byTopic.keys()].filter((topic) => there.has(topic));
    },
    missing: () => [...byTopic.keys()].filter((topic) => missing.has(topic)),
    complete: () => missing.size === 0,
  };
}

function routesByTopic(
  cluster: string,
  config: IngressKafka,
  routes: readonly Route[],
): ReadonlyMap<string, Route> {
  const byTopic = new Map<string, Route>();
  for (const route of routes) {
    for (const topic of route.config.kafka?.topics ?? []) {
      const other = byTopic.get(topic);
      if (other !== undefined)
        throw new Error(
          `topic "${topic}" of cluster "${cluster}" is read by "${other.name}" and "${route.name}"`,
        );
      if (topic === config.deadLetters)
        throw new Error(
          `route "${route.name}" reads "${topic}", the dead-letter topic of "${cluster}"; use another topic`,
        );
      byTopic.set(topic, route);
    }
  }
  return byTopic;
}
