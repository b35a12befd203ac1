// What only the process that serves the API knows: Temporal, Kafka, paused syncs and open dead letters.
import { WORK_QUEUE } from '../../../core/ids.ts';
import { createCampaignNow } from '../../../jobs/campaigns/operator/now.ts';
import type { ClusterLetters, DeadLetters, OpenDeadLetters } from '../../../jobs/events/operator/letters.ts';
import type { Health } from '../../contract/health.ts';
import type { WaitingStart } from '../../contract/overview.ts';
import type { RunningRow } from '../../store/overview/work.ts';
import type { OverviewDeps } from '../deps.ts';
import { countBacklog } from '../workflows.ts';
import { type CampaignEstimate, readEstimates } from './campaigns.ts';
import { createFailingWorkReader, type FailingWork } from './failing-work.ts';
import { type PausedSync, readPausedSyncs } from './paused-syncs.ts';
import { readStarts } from './starts.ts';

/** Health is null where this process does not know it. */
export interface OverviewProbes {
  temporal(): Promise<Health['temporal']>;
  kafka(): Promise<Health['kafka']>;
  /** Paused ones of these runs, by run. Empty while no Temporal server answers. */
  pausedSyncs(running: readonly RunningRow[]): Promise<ReadonlyMap<string, PausedSync>>;
  /** Estimates of campaigns among these runs, by run. */
  campaigns(running: readonly RunningRow[]): Promise<ReadonlyMap<string, CampaignEstimate>>;
  /**
   * Batches that fail again and again; at most 15 s old. Where there are many open workflows, later answers know the
   * others too. Empty while no Temporal server answers.
   */
  failingWork(): Promise<readonly FailingWork[]>;
  /** Whether work that was started waits for a worker to begin it. False while no Temporal server answers. */
  hasBacklog(): Promise<boolean>;
  /** Open workflows of syncs and campaigns, whether or not the ledger knows their run. Empty while no Temporal server answers. */
  starts(): Promise<readonly WaitingStart[]>;
  /** Answers at once with the last count. */
  deadLetters(): readonly OpenDeadLetters[];
  /** Reads the topics. */
  listDeadLetters(): Promise<readonly ClusterLetters[]>;
}

/** Detail of Temporal's health while nothing of Sluice runs on this machine. */
export const NO_SERVER = 'no Temporal server is running';

/** Temporal answers within this time, or counts as away. */
const TEMPORAL_MS = 2000;
/** A need may be this old: it is due within a minute. */
const FAILING_MS = 15_000;
/** After its next attempt was due, a need may be this old. */
const AGAIN_MS = 3000;
/** A broker that is away takes seconds to find out. The overview is read more often. */
const KAFKA_MS = 15_000;

export function defaultProbes(deps: OverviewDeps, letters: DeadLetters): OverviewProbes {
  const { runningTemporal } = deps;
  const nowOf = createCampaignNow(deps);
  const failing = createFailingWorkReader();
  return {
    async temporal() {
      const began = performance.now();
      const result = (detail: string | null) => ({
        ok: detail === null,
        detail,
        roundTripMs: Math.round((performance.now() - began) * 10) / 10,
      });
      try {
        const client = await runningTemporal();
        if (client === null) return result(NO_SERVER);
        await client.withDeadline(Date.now() + TEMPORAL_MS, () => client.workflowService.getSystemInfo({}));
        return result(null);
      } catch (error) {
        return result((error as Error).message);
      }
    },
    kafka: remembered(KAFKA_MS, () => kafkaHealth(deps)),
    async pausedSyncs(running) {
      if (running.every(({ kind }) => kind === 'campaign')) return new Map();
      try {
        const client = await runningTemporal();
        if (client === null) return new Map();
        return await client.withDeadline(Date.now() + TEMPORAL_MS, () => readPausedSyncs(client, running));
      } catch (error) {
        // The health of Temporal shows it. The rest of the overview does not need these.
        deps.log.warn({ err: error }, 'paused syncs cannot be read');
        return new Map();
      }
    },
    failingWork: remembered(
      FAILING_MS,
      async () => {
        try {
          const client = await runningTemporal();
          if (client === null) return [];
          return await client.withDeadline(Date.now() + TEMPORAL_MS, () => failing.read(client));
        } catch (error) {
          // The health of Temporal shows it. The rest of the overview does not need these.
          deps.log.warn({ err: error }, 'failing batches cannot be read');
          return [];
        }
      },
      isDue,
    ),
    async hasBacklog() {
      try {
        const client = await runningTemporal();
        if (client === null) return false;
        return await client.withDeadline(
          Date.now() + TEMPORAL_MS,
          async () => (await countBacklog(client, WORK_QUEUE)) > 0,
        );
      } catch (error) {
        // The health of Temporal shows it. The rest of the overview does not need this.
        deps.log.warn({ err: error }, 'the work that waits for a worker cannot be counted');
        return false;
      }
    },
    async starts() {
      try {
        const client = await runningTemporal();
        if (client === null) return [];
        return await client.withDeadline(Date.now() + TEMPORAL_MS, () => readStarts(client));
      } catch (error) {
        // The health of Temporal shows it. The rest of the overview does not need these.
        deps.log.warn({ err: error }, 'the runs that wait for a worker cannot be listed');
        return [];
      }
    },
    async campaigns(running) {
      try {
        return await readEstimates(running, nowOf, await deps.now());
      } catch (error) {
        deps.log.warn({ err: error }, 'campaigns cannot be estimated');
        return new Map();
      }
    },
    deadLetters: () => letters.open(),
    listDeadLetters: () => letters.list(),
  };
}

/** What failed was tried again since, perhaps with success. */
function isDue(work: readonly FailingWork[]): boolean {
  return work.some(({ nextAt }) => nextAt !== null && Date.parse(nextAt) < Date.now());
}

/** One answer serves everybody who asks within this time, or within {@link AGAIN_MS} if it is due to change. */
function remembered<T>(
  ms: number,
  ask: () => Promise<T>,
  isDueNow: (answer: T) => boolean = () => false,
): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | null = null;
  return async () => {
    const before = last;
    const age = before === null ? Infinity : performance.now() - before.at;
    const isOld = age > ms || (before !== null && age > AGAIN_MS && isDueNow(await before.answer));
    // Somebody else may have asked meanwhile.
    if (isOld && last === before) last = { at: performance.now(), answer: ask() };
    return await (last as NonNullable<typeof last>).answer;
  };
}

/** Null: no route reads Kafka. */
async function kafkaHealth(deps: OverviewDeps): Promise<Health['kafka']> {
  const routes = Object.values(deps.config().config.routes);
  if (routes.every(({ kafka }) => kafka === undefined)) return null;
  const { kafkaLag } = await import('../../../jobs/events/operator/lag.ts');
  const clusters = await kafkaLag(deps);
  const problems = clusters.flatMap(({ problem }) => problem?.message ?? []);
  const topics = new Map<string, { route: string; topic: string; lag: number }>();
  for (const { route, topic, lag } of clusters.flatMap(({ partitions }) => partitions)) {
    const before = topics.get(topic)?.lag ?? 0;
    topics.set(topic, { route, topic, lag: before + lag });
  }
  return { ok: problems.length === 0, detail: problems[0] ?? null, topics: [...topics.values()] };
}
