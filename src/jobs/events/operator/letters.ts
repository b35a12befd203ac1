// The dead letters of this process: the parts that need Kafka, and how many dead letters are open, which is counted in
// the background because reading a topic takes seconds.
import { once } from 'node:events';
import { deadlineSignal } from '../../../core/deadline.ts';
import type { OverviewDeps } from '../../../operator/service/deps.ts';
import type { DeadLetterSummary } from '../contract/refusals.ts';
import type { kafkaParts } from './kafka.ts';

type KafkaParts = ReturnType<typeof kafkaParts>;

/** Open dead letters of one route. */
export interface OpenDeadLetters {
  readonly cluster: string;
  readonly route: string;
  readonly count: number;
  /** When the oldest one failed. */
  readonly since: string;
  /** Code and reason of the last one in the topic. */
  readonly code: string;
  readonly reason: string;
}

/** All dead letters of a cluster. */
export interface ClusterLetters {
  readonly cluster: string;
  readonly deadLetters: readonly DeadLetterSummary[];
  /** Null: the cluster answered. */
  readonly problem: string | null;
}

export interface DeadLetters {
  /** Kafka's parts. They are imported at use: most commands need none of them. */
  kafka(): Promise<KafkaParts>;
  /**
   * What the last count found; empty before the first one. Begins another count when the last one is old. A process
   * that serves no console counts nothing: it ends before a count does.
   */
  open(): readonly OpenDeadLetters[];
  /** Reads all clusters now. */
  list(): Promise<readonly ClusterLetters[]>;
  /** The next `open` begins a count, however new the last one is. */
  forget(): void;
}

/** A count is this old before the next one begins. A topic without new records is not read again. */
const EVERY_MS = 15_000;
/** A count that reads topics takes seconds; the pause after it is this many times as long, up to a maximum. */
const PAUSE_FACTOR = 20;
const MAX_PAUSE_MS = 300_000;
/** Somebody waits for a list. */
const LIST_MS = 20_000;

/** @param list replaces the reading of a cluster in tests */
export function createDeadLetters(
  deps: OverviewDeps,
  list?: (cluster: string) => Promise<readonly DeadLetterSummary[]>,
): DeadLetters {
  let loaded: Promise<KafkaParts> | null = null;
  const kafka = async () => {
    loaded ??= import('./kafka.ts').then((parts) => parts.kafkaParts(deps.log));
    return await loaded;
  };
  const read =
    list ??
    (async (cluster: string) => {
      const { listing, openBox } = await kafka();
      return (await listing(await openBox(deps, cluster))).deadLetters;
    });
  const counts = new Map<string, readonly OpenDeadLetters[]>();
  let isCounting = false;
  let nextMs = 0;

  async function countCluster(cluster: string): Promise<void> {
    try {
      counts.set(cluster, openByRoute(cluster, await read(cluster)));
    } catch (error) {
      // A cluster that is away shows as its health. What it had before is still there.
      deps.log.warn({ cluster, err: error }, 'the dead letters of a cluster cannot be counted');
    }
  }

  async function listCluster(cluster: string): Promise<ClusterLetters> {
    const late = once(deadlineSignal(LIST_MS), 'abort').then(() => {
      throw new Error(`the brokers did not answer within ${LIST_MS / 1000} s`);
    });
    try {
      return { cluster, deadLetters: await Promise.race([read(cluster), late]), problem: null };
    } catch (error) {
      return { cluster, deadLetters: [], problem: (error as Error).message };
    }
  }

  async function count(clusters: readonly string[]): Promise<void> {
    isCounting = true;
    const beganMs = performance.now();
    nextMs = Number.POSITIVE_INFINITY;
    await Promise.all(clusters.map(countCluster));
    isCounting = false;
    const endedMs = performance.now();
    // Infinite unless something was forgotten meanwhile.
    const pauseMs = Math.max(EVERY_MS, Math.min(MAX_PAUSE_MS, (endedMs - beganMs) * PAUSE_FACTOR));
    if (nextMs !== 0) nextMs = endedMs + pauseMs;
  }

  return {
    kafka,
    open() {
      const clusters = Object.keys(deps.config().config.ingress.kafka);
      const isDue = !isCounting && performance.now() >= nextMs;
      if (isDue && clusters.length > 0 && deps.consoleUrl() !== null) void count(clusters);
      return clusters.flatMap((cluster) => counts.get(cluster) ?? []);
    },
    async list() {
      return await Promise.all(Object.keys(deps.config().config.ingress.kafka).map(listCluster));
    },
    forget() {
      nextMs = 0;
    },
  };
}

function openByRoute(cluster: string, deadLetters: readonly DeadLetterSummary[]): OpenDeadLetters[] {
  const byRoute = new Map<string, OpenDeadLetters>();
  for (const { resolution, route, failedAt, code, reason } of deadLetters) {
    if (resolution !== null) continue;
    const before = byRoute.get(route);
    const count = (before?.count ?? 0) + 1;
    const since = before !== undefined && before.since < failedAt ? before.since : failedAt;
    byRoute.set(route, { cluster, route, count, since, code, reason });
  }
  return [...byRoute.values()];
}
