// Commits the offsets of one partition, one at a time and always the newest.
import { setTimeout as delay } from 'node:timers/promises';
import { describeKafkaError } from './errors.ts';
import type { Log, Place } from './pauses.ts';

const AGAIN_MS = 200;

export interface Committer {
  /** All before `next` is done. Never waits: brokers answer a commit only after the fetch before it, 250 ms at most. */
  done(next: bigint): void;
  /** Resolves when the newest is committed, or never will be. */
  settled(): Promise<void>;
  /** Nothing is committed from here on: somebody else may have the partition. */
  stop(): void;
}

export function createCommitter(
  { topic, partition }: Place,
  log: Pick<Log, 'debug'>,
  commit: (next: bigint) => Promise<void>,
): Committer {
  let newest: bigint | null = null;
  let committed: bigint | null = null;
  let stopped = false;
  let busy = false;
  let underWay = Promise.resolve();

  const toCommit = () => (stopped || newest === committed ? null : newest);

  async function run(): Promise<void> {
    for (let next = toCommit(); next !== null; next = toCommit()) {
      try {
        await commit(next);
        committed = next;
      } catch (error) {
        // A connection that broke, or a group that goes on without this consumer: kafkajs notices either by itself, and
        // then this is stopped.
        const { code } = describeKafkaError(error);
        log.debug({ topic, partition, code }, 'an offset could not be committed; tried again');
        await delay(AGAIN_MS);
      }
    }
    // At once, so that nobody finds it busy with nothing.
    busy = false;
  }

  return {
    done(next) {
      newest = next;
      if (busy) return;
      busy = true;
      underWay = run();
    },
    settled: () => underWay,
    stop() {
      stopped = true;
    },
  };
}
