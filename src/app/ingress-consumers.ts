// The Kafka consumers of the ingress: one per cluster. A reload replaces those whose connection or routes changed.
import { isDeepStrictEqual } from 'node:util';
import type { Tracing } from '../core/tracing.ts';
import type { IngressKafka } from '../jobs/events/ingress/config.ts';
import type { Acceptance, Route } from '../jobs/events/ingress/intake.ts';
import { type KafkaIngress, startKafkaIngress } from '../jobs/events/ingress/kafka/index.ts';
import type { Refusals } from '../jobs/events/ingress/refusals.ts';
import type { Announcer } from '../jobs/outbox/store/announcer.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics/index.ts';

export interface Cluster {
  readonly config: IngressKafka;
  readonly password: string | undefined;
  /** Routes that read from the cluster. */
  readonly routes: readonly Route[];
}

export interface Consumers {
  all(): readonly KafkaIngress[];
  /**
   * Closes consumers of clusters that changed or are gone, then opens the others. An event whose offset was not
   * committed is read again and recognized.
   */
  take(clusters: ReadonlyMap<string, Cluster>): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  readonly acceptance: Acceptance;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'kafka'>;
  readonly refused: Refusals['add'];
  readonly announce: Announcer;
  readonly tracing: Tracing;
}

export function createConsumers({
  acceptance,
  log,
  metrics,
  refused,
  announce,
  tracing,
}: Options): Consumers {
  const open = new Map<string, { readonly cluster: Cluster; readonly ingress: KafkaIngress }>();
  let last: Promise<void> = Promise.resolve();
  let isClosed = false;

  async function replace(clusters: ReadonlyMap<string, Cluster>): Promise<void> {
    const stale = [...open].filter(([name, { cluster }]) => !isSame(cluster, clusters.get(name)));
    await Promise.all(
      stale.map(async ([name, { ingress }]) => {
        await ingress.close();
        open.delete(name);
      }),
    );
    for (const [name, cluster] of clusters) {
      if (open.has(name) || isClosed) continue;
      const ingress = startKafkaIngress({
        cluster: name,
        config: cluster.config,
        password: cluster.password,
        routes: cluster.routes,
        acceptance,
        log,
        metrics: metrics.kafka,
        refused,
        announce,
        tracing,
      });
      open.set(name, { cluster, ingress });
    }
  }

  return {
    all: () => [...open.values()].map(({ ingress }) => ingress),
    async take(clusters) {
      const own = last.then(() => replace(clusters));
      // The caller hears of an error; the next change is taken in any case.
      last = own.then(
        () => undefined,
        () => undefined,
      );
      await own;
    },
    async close() {
      isClosed = true;
      await last;
      await Promise.all([...open.values()].map(({ ingress }) => ingress.close()));
    },
  };
}

function isSame(before: Cluster, after: Cluster | undefined): boolean {
  return (
    after !== undefined &&
    before.password === after.password &&
    isDeepStrictEqual(before.config, after.config) &&
    before.routes.length === after.routes.length &&
    before.routes.every((route, index) => route === after.routes[index])
  );
}
