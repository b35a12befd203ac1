// Commits the offsets of one partition, one at a time and always the newest.
import { setTimeout as delay } from 'node:timers/promises';
import { describeKafkaError } from './errors.ts';
import type { Log, Place } from './pauses.ts';

const AGAIN_MS = 200;

export interface Committer {
  /**
   * Records before `next` are done. Never waits: brokers answer a commit only after the fetch before it, at most 250 ms
   * later.
   */
  done(next: bigint): void;
  /** Resolves when the newest offset is committed, or never will be. */
  settled(): Promise<void>;
  /** Stops committing: another consumer may have the partition. */
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
        // The connection broke, or the group continues without this consumer. kafkajs notices either on its own and
        // then stops this committer.
        const { code } = describeKafkaError(error);
        log.debug({ topic, partition, code }, 'cannot commit an offset; retrying');
        await delay(AGAIN_MS);
      }
    }
    // At once, so that nobody sees it as busy without reason.
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
