// One partition while this process owns it. Records wait here and are processed in order; their offset is committed
// only afterwards.
import { setTimeout as delay } from 'node:timers/promises';
import type { KafkaMessage } from 'kafkajs';
import type { LimitFunction } from 'p-limit';
import { type ChunkWork, workChunk } from './chunk.ts';
import { createCommitter } from './committer.ts';
import { diagnose, type Log, type Pauses, type Place } from './pauses.ts';
import type { Gaps } from './positions.ts';

/** Maximum number of records accepted together: one ledger statement, and a second or two of starts. */
const CHUNK = 256;
/**
 * Maximum number of waiting records per partition. Fetching stops beyond it and resumes at half of it, before the queue
 * runs empty.
 */
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
  /** A start offset that the group does not know yet. */
  readonly commitStart: boolean;
  /** Of the partitions of one process. */
  readonly limit: LimitFunction;
  readonly pauses: Pauses;
  readonly gaps: Gaps;
  readonly retry: Retry;
  readonly log: Pick<Log, 'debug'>;
  /** Pauses or resumes fetching from the partition in kafkajs. */
  fetch(on: boolean): void;
  commit(next: bigint): Promise<void>;
}

export interface Fetched {
  /** Offset that was requested. */
  readonly at: bigint;
  readonly messages: readonly KafkaMessage[];
  /** Offset after the last record, including records that the broker does not show. */
  readonly next: bigint;
}

export interface PartitionReader extends Place {
  readonly route: string;
  /** Next offset to fetch. */
  position(): bigint;
  /** Offset after the last record that is done. */
  done(): bigint;
  take(fetched: Fetched): void;
  /** There are no records up to this offset: aborted transactions, and records that compaction removed. */
  skip(next: bigint): void;
  /** Reading continues somewhere else than at `position`, because the records there are gone. */
  jump(to: bigint): void;
  /** Completes what is in progress up to its commit, and ends. */
  finish(): Promise<void>;
  /** Ends without another commit: another consumer may have the partition. Resolves when nothing is in progress. */
  drop(): Promise<void>;
}

interface Waiting {
  /** Null: no record, only an offset to commit. */
  readonly message: KafkaMessage | null;
  /** Offset to commit when this record is done. */
  readonly next: bigint;
}

/** Reads from `start`. kafkajs must not be fetching yet. */
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

  /** kafkajs fetches unless the partition is paused or enough records wait here. */
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

  /** Returns the next records, as far as they can be processed together. */
  async function step() {
    const items = queue.slice(0, CHUNK);
    const messages = items.flatMap(({ message }) => (message === null ? [] : [message]));
    const result = messages.length === 0 ? { done: 0, failure: null } : await workChunk(work, messages);
    const { failure } = result;
    const finished = itemsOf(items, result.done);
    // From here to the commit the partition may change hands. The next owner then reads these records again and
    // recognizes them.
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
  // Ending cuts the wait for a retry short.
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

/**
 * Returns the entries that are done when `done` of their messages are. An entry without a message is done with the one
 * before it.
 */
function itemsOf(items: readonly Waiting[], done: number): Waiting[] {
  let left = done;
  const end = items.findIndex(({ message }) => message !== null && left-- === 0);
  return items.slice(0, end === -1 ? items.length : end);
}

function bytesOf({ message }: Waiting): number {
  return OVERHEAD_BYTES + (message?.value?.byteLength ?? 0) + (message?.key?.byteLength ?? 0);
}
