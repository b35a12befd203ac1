// One partition while this process has it: records wait here, are taken in order, and only then their offset is committed.
import { setTimeout as delay } from 'node:timers/promises';
import type { KafkaMessage } from 'kafkajs';
import type { LimitFunction } from 'p-limit';
import { type ChunkWork, workChunk } from './chunk.ts';
import { createCommitter } from './committer.ts';
import { diagnose, type Log, type Pauses, type Place } from './pauses.ts';
import type { Gaps } from './positions.ts';

/** Records that are accepted together at most: one statement of the ledger, and a second or two of starts. */
const CHUNK = 256;
/** What waits of one partition; fetching is stopped beyond, and goes on at half of it, before the queue runs dry. */
const MOST_BYTES = 524_288;
const MOST_RECORDS = 2000;
const OVERHEAD_BYTES = 200;
const LEAST_RETRY_MS = 10;

export interface Retry {
  readonly firstMs: number;
  readonly mostMs: number;
}

export interface PartitionOptions extends Omit<ChunkWork, 'buried'>, Place {
  readonly start: bigint;
  /** A start that the group does not know yet. */
  readonly commitStart: boolean;
  /** Of the partitions of one process. */
  readonly limit: LimitFunction;
  readonly pauses: Pauses;
  readonly gaps: Gaps;
  readonly retry: Retry;
  readonly log: Pick<Log, 'debug'>;
  /** Whether kafkajs is to fetch from it. */
  fetch(on: boolean): void;
  commit(next: bigint): Promise<void>;
}

export interface Fetched {
  /** Offset that was asked for. */
  readonly at: bigint;
  readonly messages: readonly KafkaMessage[];
  /** Offset after the last of them, and after what is not shown of the log. */
  readonly next: bigint;
}

export interface PartitionReader extends Place {
  readonly route: string;
  /** Offset that is fetched next. */
  position(): bigint;
  /** Offset after the last record that is done. */
  done(): bigint;
  take(fetched: Fetched): void;
  /** Nothing there up to here: aborted transactions, and records that compaction took. */
  skip(next: bigint): void;
  /** Reading goes on elsewhere than at `position`, because what stood there is gone. */
  jump(to: bigint): void;
  /** Takes what is under way to its commit, and ends. */
  finish(): Promise<void>;
  /** Ends without any further commit: somebody else may have the partition. Resolves when nothing is under way any more. */
  drop(): Promise<void>;
}

interface Waiting {
  /** Null: nothing to take, only an offset to commit. */
  readonly message: KafkaMessage | null;
  /** Offset to commit when this one is done. */
  readonly next: bigint;
}

/** Reads from `start`; kafkajs must not be fetching yet. */
export function readPartition(options: PartitionOptions): PartitionReader {
  const { topic, partition, pauses, limit, retry, log } = options;
  const place: Place = { topic, partition };
  const work: ChunkWork = { ...options, buried: new Set() };
  const queue: Waiting[] = [];
  const over = new AbortController();
  const committer = createCommitter(place, log, options.commit);
  let bytes = 0;
  let position = options.start;
  let done = options.start;
  let fetching = false;
  let isBlocked = false;
  let wake = () => {};

  function push(waiting: Waiting): void {
    queue.push(waiting);
    bytes += bytesOf(waiting);
    wake();
  }

  /** kafkajs fetches unless the partition stands still, or enough of it waits here. */
  function steer(): void {
    if (over.signal.aborted) return;
    const share = fetching ? 1 : 2;
    const capacity = bytes < MOST_BYTES / share && queue.length < MOST_RECORDS / share;
    const wanted = capacity && !isBlocked;
    if (wanted === fetching) return;
    fetching = wanted;
    options.fetch(wanted);
  }

  async function run(): Promise<void> {
    for (let attempt = 0; !over.signal.aborted; ) {
      if (queue.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const { progress, failure } = await withinLimit(limit, over.signal, step).catch((error: unknown) => ({
        progress: false,
        failure: { error },
      }));
      if (over.signal.aborted) return;
      if (failure === null) {
        attempt = 0;
        isBlocked = false;
        pauses.end(place);
        steer();
        continue;
      }
      attempt = progress ? 1 : attempt + 1;
      isBlocked = true;
      steer();
      const diagnosis = diagnose(failure.error);
      pauses.begin(place, queue[0]?.message?.offset ?? String(done), diagnosis);
      const backoffMs = Math.min(retry.mostMs, retry.firstMs * 2 ** (attempt - 1));
      await delay(Math.max(LEAST_RETRY_MS, diagnosis.retryAfterMs ?? backoffMs), undefined, {
        signal: over.signal,
      });
    }
  }

  /** The next records, as far as they can be taken. */
  async function step() {
    const items = queue.slice(0, CHUNK);
    const messages = items.flatMap(({ message }) => (message === null ? [] : [message]));
    const result = messages.length === 0 ? { done: 0, failure: null } : await workChunk(work, messages);
    const { failure } = result;
    const finished = itemsOf(items, result.done);
    // From here to the commit the partition may change hands: then the next one reads these again, and they are known.
    if (finished.length > 0) settle(finished);
    return { progress: finished.length > 0, failure };
  }

  function settle(finished: readonly Waiting[]): void {
    done = finished.at(-1)?.next ?? done;
    committer.done(done);
    queue.splice(0, finished.length);
    for (const waiting of finished) {
      bytes -= bytesOf(waiting);
      if (waiting.message !== null) work.buried.delete(waiting.message.offset);
    }
    steer();
  }

  function jump(to: bigint): void {
    options.gaps.report(place, position, to);
    position = to;
    push({ message: null, next: to });
  }

  if (options.commitStart) push({ message: null, next: position });
  steer();
  // The wait for another try is cut off by the end.
  const running = run().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });

  const stop = () => {
    over.abort();
    wake();
  };
  return {
    ...place,
    route: options.route.name,
    position: () => position,
    done: () => done,
    take({ at, messages, next }) {
      if (at !== position) jump(at);
      messages.forEach((message, n) => {
        const following = messages[n + 1];
        push({ message, next: following === undefined ? next : BigInt(following.offset) });
      });
      position = next;
      steer();
    },
    skip(next) {
      if (next <= position) return;
      position = next;
      push({ message: null, next });
    },
    jump,
    async finish() {
      stop();
      await running;
      await committer.settled();
    },
    async drop() {
      committer.stop();
      stop();
      await running;
    },
  };
}

/**
 * Runs work when the limit lets it.
 * @throws the signal's reason when it aborts before the work begins; work that has begun goes on to its end
 */
export async function withinLimit<T>(
  limit: LimitFunction,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    limit(async () => {
      signal.removeEventListener('abort', giveUp);
      if (!signal.aborted) resolve(await work());
    }).catch(reject);
  });
}

/** Those that are done when `done` of their messages are; what has no message is done with the one before it. */
function itemsOf(items: readonly Waiting[], done: number): Waiting[] {
  let left = done;
  const end = items.findIndex(({ message }) => message !== null && left-- === 0);
  return items.slice(0, end === -1 ? items.length : end);
}

function bytesOf({ message }: Waiting): number {
  return OVERHEAD_BYTES + (message?.value?.byteLength ?? 0) + (message?.key?.byteLength ?? 0);
}
