// Reads a dead-letter topic from its beginning to its current end, and returns the dead letters that are still open.
import { randomUUID } from 'node:crypto';
import type { Consumer, KafkaMessage } from 'kafkajs';
import { ask, type ClusterAccess, openClient } from './client.ts';
import { type DeadLetter, type Resolution, readDeadLetter, readResolution } from './dead-letter.ts';
import { keyOf } from './pauses.ts';
import { type Bounds, fetchBounds } from './positions.ts';
import { nameOf } from './record.ts';

export interface FoundDeadLetter extends DeadLetter {
  /** Null while it is unresolved. */
  readonly resolution: Resolution | null;
}

export interface ReadDeadLettersOptions {
  readonly access: ClusterAccess;
  /** The dead-letter topic. */
  readonly topic: string;
  /** Prefix of the temporary consumer groups that the reading creates and deletes. */
  readonly group: string;
  /** Only dead letters of this partition, from this offset on. @default the whole topic */
  readonly from?: { readonly partition: number; readonly offset: bigint };
  /** Whether to keep the value of this dead letter, while it is open or in any case. */
  keepValue(deadLetter: DeadLetter): false | 'open' | 'always';
  /** Maximum bytes of values kept at once. @default 256 MiB */
  readonly mostBytes?: number;
  progress(done: number, total: number): void;
  readonly signal: AbortSignal;
}

const SILENCE_MS = 30_000;
const MOST_BYTES = 268_435_456;

/** The selected dead letters contain more than fits in memory. */
export class TooMuchError extends Error {
  override readonly name = 'TooMuchError';
  readonly mostBytes: number;
  constructor(mostBytes: number) {
    super(`these dead letters have more than ${mostBytes} bytes together; select fewer`);
    this.mostBytes = mostBytes;
  }
}

/**
 * Returns dead letters in the order of their partitions. If a crash caused a record to be written twice, the first dead
 * letter stands for both.
 * @throws TooMuchError
 * @throws what kafkajs throws: `UNKNOWN_TOPIC_OR_PARTITION` if the topic does not exist
 */
export async function readDeadLetters(options: ReadDeadLettersOptions): Promise<FoundDeadLetter[]> {
  const deadLetters = new Map<string, FoundDeadLetter>();
  const { mostBytes = MOST_BYTES } = options;
  let bytes = 0;
  await readRecords(options, (partition, message) => {
    const resolution = readResolution(message);
    if (resolution !== null) {
      const deadLetter = deadLetters.get(resolution.deadLetter);
      // The first resolution counts. If a replay and a discard happen at once, both are true.
      if (deadLetter?.resolution !== null) return;
      if (options.keepValue(deadLetter) === 'always') {
        deadLetters.set(deadLetter.id, { ...deadLetter, resolution });
        return;
      }
      bytes -= deadLetter.value?.byteLength ?? 0;
      deadLetters.set(deadLetter.id, { ...deadLetter, value: null, resolution });
      return;
    }
    const deadLetter = readDeadLetter(partition, message);
    if (deadLetter === null) return;
    const value = options.keepValue(deadLetter) ? deadLetter.value : null;
    bytes += value?.byteLength ?? 0;
    if (bytes > mostBytes) throw new TooMuchError(mostBytes);
    deadLetters.set(deadLetter.id, { ...deadLetter, value, resolution: null });
  });
  return withoutRepetitions([...deadLetters.values()]);
}

/** A record that is refused again after its dead letter was resolved has a new dead letter. */
export function withoutRepetitions(deadLetters: readonly FoundDeadLetter[]): FoundDeadLetter[] {
  const kept = new Map<string, FoundDeadLetter>();
  /** Id of the newest dead letter that is kept, by the name of its record. */
  const newest = new Map<string, string>();
  for (const deadLetter of deadLetters.toSorted((a, b) => (a.failedAt < b.failedAt ? -1 : 1))) {
    const name = nameOf(deadLetter.origin);
    const before = kept.get(newest.get(name) ?? '');
    const isNew =
      before === undefined || (before.resolution !== null && before.resolution.at < deadLetter.failedAt);
    if (isNew) {
      kept.set(deadLetter.id, deadLetter);
      newest.set(name, deadLetter.id);
    } else if (before.resolution === null && deadLetter.resolution !== null)
      kept.set(before.id, { ...before, resolution: deadLetter.resolution });
  }
  return deadLetters.flatMap(({ id }) => kept.get(id) ?? []);
}

async function readRecords(
  { access, topic, group, from, progress, signal }: ReadDeadLettersOptions,
  visit: (partition: number, message: KafkaMessage) => void,
): Promise<void> {
  const left = rangesOf(topic, await fetchBounds(access, [topic]), from);
  const total = [...left.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
  progress(0, total);
  if (total === 0) return;
  const groupId = `${group}-dlq-${randomUUID()}`;
  const client = openClient(access);
  const consumer = client.kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 200 });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const silence = setTimeout(
        () => reject(new Error(`nothing arrived for ${SILENCE_MS / 1000} s`)),
        SILENCE_MS,
      );
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      const reached = (partition: number, next: bigint) => {
        silence.refresh();
        const range = left.get(partition);
        if (range === undefined) return;
        if (next >= range.high) left.delete(partition);
        else range.low = next;
        const open = [...left.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
        progress(total - open, total);
        if (left.size > 0) return;
        clearTimeout(silence);
        resolve();
      };
      onSkipped(consumer, reached);
      // A broker that has just started may be "loading". kafkajs then starts again on its own.
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        if (!payload.restart) reject(payload.error);
      });
      const read = consumer.run({
        autoCommit: false,
        eachBatch: async ({ batch }) => {
          const range = left.get(batch.partition);
          const wanted = batch.messages.filter(({ offset }) => {
            return range !== undefined && BigInt(offset) >= range.low && BigInt(offset) < range.high;
          });
          try {
            for (const message of wanted) visit(batch.partition, message);
          } catch (error) {
            // If this threw, kafkajs would retry it endlessly.
            reject(error as Error);
            return;
          }
          reached(batch.partition, BigInt(batch.lastOffset()) + 1n);
        },
      });
      read.catch(reject);
      for (const [partition, { low }] of left) consumer.seek({ topic, partition, offset: String(low) });
    });
    await consumer.disconnect();
  } finally {
    client.end();
  }
  // Brokers delete an empty group after a while, so a user without the right to delete it does no harm.
  await ask(access, (admin) => admin.deleteGroups([groupId])).catch((error: Error) =>
    access.log.debug({ groupId, code: error.name }, 'cannot delete the consumer group of this reading'),
  );
}

/** kafkajs does not pass on batches of which compaction or aborted transactions left nothing. */
function onSkipped(consumer: Consumer, reached: (partition: number, next: bigint) => void): void {
  consumer.on(consumer.events.START_BATCH_PROCESS, ({ payload: { partition, batchSize, lastOffset } }) => {
    if (batchSize === 0) reached(partition, BigInt(lastOffset) + 1n);
  });
}

function rangesOf(
  topic: string,
  bounds: ReadonlyMap<string, Bounds>,
  from: ReadDeadLettersOptions['from'],
): Map<number, { low: bigint; readonly high: bigint }> {
  const ranges = new Map<number, { low: bigint; readonly high: bigint }>();
  const prefix = keyOf({ topic, partition: 0 }).slice(0, -1);
  for (const [key, { low, high }] of bounds) {
    const partition = Number(key.slice(prefix.length));
    if (from !== undefined && from.partition !== partition) continue;
    const start = from !== undefined && from.offset > low ? from.offset : low;
    if (start < high) ranges.set(partition, { low: start, high });
  }
  return ranges;
}
