// Replays dead letters: sends their records to their original topics again, at a limited pace, while the process lives.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../../../config/load.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { OperatorLog } from '../../../operator/service/deps.ts';
import type { Announcer } from '../../outbox/store/announcer.ts';
import type { Replay } from '../contract/refusals.ts';
import {
  type FoundDeadLetter,
  fetchBounds,
  markerMessage,
  produce,
  replayMessage,
} from '../ingress/kafka/index.ts';
import { type Box, kafkaFailure } from './box.ts';
import { resolvedNews } from './resolved-news.ts';

const MINUTE_MS = 60_000;
/** Maximum number of replays whose result is kept, and of those that run at once. */
const KEPT = 20;

interface Job {
  now: Replay;
  readonly stop: AbortController;
  ended: Promise<void>;
}

export interface ReplayInput {
  readonly deadLetters: readonly FoundDeadLetter[];
  /** Dead letters per minute. */
  readonly rate: number;
  readonly by: string;
  readonly announce: Announcer;
}

export interface Replays {
  /** Begins and returns at once. @throws OperatorError */
  begin(box: Box, config: LoadedConfig, input: ReplayInput): Promise<Replay>;
  /** @throws OperatorError (notFound) */
  get(id: string): Replay;
  /** Returns when nothing more is sent. @throws OperatorError (notFound) */
  stop(id: string): Promise<Replay>;
}

export function createReplays(log: Pick<OperatorLog, 'info'>): Replays {
  const jobs = new Map<string, Job>();

  function find(id: string): Job {
    const job = jobs.get(id);
    if (job !== undefined) return job;
    throw new OperatorError(
      'notFound',
      `this process runs no replay ${id}; what was not replayed is still in the list of dead letters`,
      { code: 'NO_SUCH_REPLAY' },
    );
  }

  function keep(id: string, job: Job): void {
    const ended = [...jobs].filter(([, { now }]) => now.state !== 'running');
    for (const [old] of ended.slice(0, Math.max(0, jobs.size + 1 - KEPT))) jobs.delete(old);
    if (jobs.size >= KEPT)
      throw new OperatorError('tooMany', `${KEPT} replays run already; wait until one ends`, {
        code: 'REPLAYS',
      });
    jobs.set(id, job);
  }

  async function run(
    box: Box,
    config: LoadedConfig,
    job: Job,
    { deadLetters, rate, by, announce }: ReplayInput,
  ): Promise<void> {
    const { signal } = job.stop;
    const partitions = await partitionsOf(box, deadLetters);
    for (const deadLetter of deadLetters) {
      if (job.now.done > 0) await delay(MINUTE_MS / rate, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      const { topic, partition } = deadLetter.origin;
      const message = replayMessage(deadLetter);
      // To the same partition, if the topic still has it.
      const place = partitions.has(`${topic}/${partition}`) ? { partition } : {};
      await write(box, topic, { ...message, ...place });
      // If the process is killed here, the dead letter is replayed again: the event keeps its name and takes effect
      // once.
      const mark = {
        deadLetter: deadLetter.id,
        how: 'replayed',
        by,
        at: new Date().toISOString(),
        reason: null,
      } as const;
      await write(box, box.config.deadLetters, markerMessage(mark));
      await announce(async () => ({ result: null, news: resolvedNews(config, [deadLetter], mark) }));
      job.now = { ...job.now, done: job.now.done + 1 };
    }
  }

  return {
    async begin(box, config, input) {
      const { deadLetters, by } = input;
      const whole = deadLetters.filter(({ omitted }) => omitted === null);
      const id = randomUUID();
      const job: Job = {
        now: {
          replay: id,
          state: 'running',
          done: 0,
          total: whole.length,
          omitted: deadLetters.length - whole.length,
          unread: unreadTopics(box, config, whole),
          problem: null,
        },
        stop: new AbortController(),
        ended: Promise.resolve(),
      };
      keep(id, job);
      job.ended = run(box, config, job, { ...input, deadLetters: whole }).then(
        () => {
          const state = job.now.done < job.now.total ? 'stopped' : 'finished';
          job.now = { ...job.now, state };
          log.info({ by, replayed: job.now.done, total: job.now.total }, 'an operator replayed dead letters');
        },
        (error: unknown) => {
          const { message } = kafkaFailure(error, `cluster ${box.cluster}`);
          job.now = { ...job.now, state: 'failed', problem: message };
        },
      );
      return job.now;
    },
    get: (id) => find(id).now,
    async stop(id) {
      const job = find(id);
      job.stop.abort();
      await job.ended;
      return job.now;
    },
  };
}

async function write(box: Box, topic: string, message: Parameters<typeof produce>[2][number]): Promise<void> {
  await produce(box.access, topic, [message]).catch((error: unknown) => {
    throw kafkaFailure(error, `topic "${topic}"`);
  });
}

/** Topics of these dead letters that no route reads any more. */
function unreadTopics(
  { cluster }: Box,
  { config }: LoadedConfig,
  deadLetters: readonly FoundDeadLetter[],
): string[] {
  const read = new Set(
    Object.values(config.routes).flatMap(({ kafka }) => (kafka?.cluster === cluster ? kafka.topics : [])),
  );
  return [...new Set(deadLetters.map(({ origin }) => origin.topic))].filter((topic) => !read.has(topic));
}

/** `topic/partition` of all topics that dead letters came from. @throws OperatorError when one is gone */
async function partitionsOf({ access }: Box, deadLetters: readonly FoundDeadLetter[]): Promise<Set<string>> {
  const topics = [...new Set(deadLetters.map(({ origin }) => origin.topic))];
  try {
    return new Set((await fetchBounds(access, topics)).keys());
  } catch (error) {
    const failure = kafkaFailure(error, `topics ${topics.join(', ')}`);
    if (failure.kind !== 'notFound') throw failure;
    throw new OperatorError(
      'notFound',
      `one of the topics that the dead letters came from is gone: ${topics.join(', ')}`,
      { code: 'TOPIC_GONE', cause: error },
    );
  }
}
