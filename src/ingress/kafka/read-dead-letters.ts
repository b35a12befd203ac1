// Reads a topic of dead letters from its beginning to what is its end now, and tells which dead letters are still open.
import { randomUUID } from 'node:crypto';
import type { Consumer, KafkaMessage } from 'kafkajs';
import { ask, type ClusterAccess, openClient } from './client.ts';
import { type DeadLetter, type Resolution, readDeadLetter, readResolution } from './dead-letter.ts';
import { keyOf } from './pauses.ts';
import { type Bounds, fetchBounds } from './positions.ts';
import { nameOf } from './record.ts';

export interface FoundDeadLetter extends DeadLetter {
  /** Null while nobody has dealt with it. */
  readonly resolution: Resolution | null;
}

export interface ReadDeadLettersOptions {
  readonly access: ClusterAccess;
  /** Topic of the dead letters. */
  readonly topic: string;
  /** Names of consumer groups that are made for the reading begin with it, and are gone after it. */
  readonly group: string;
  /** Only dead letters of this partition, from this offset on. @default all of the topic */
  readonly from?: { readonly partition: number; readonly offset: bigint };
  /** Whether the value of this dead letter is kept, as long as it is open or for good. */
  keepValue(deadLetter: DeadLetter): false | 'open' | 'always';
  /** Most bytes of values to keep at once. @default 256 MiB */
  readonly mostBytes?: number;
  progress(done: number, total: number): void;
  readonly signal: AbortSignal;
}

const SILENCE_MS = 30_000;
const MOST_BYTES = 268_435_456;

/** The dead letters that are wanted hold more than fits. */
export class TooMuchError extends Error {
  override readonly name = 'TooMuchError';
  readonly mostBytes: number;
  constructor(mostBytes: number) {
    super(`these dead letters hold more than ${mostBytes} bytes together: choose fewer`);
    this.mostBytes = mostBytes;
  }
}

/**
 * Letters in the order of their partitions. Of a record that was written twice, as a crash brings it about, the first
 * letter stands for both.
 * @throws TooMuchError
 * @throws what kafkajs throws: `UNKNOWN_TOPIC_OR_PARTITION` where the topic does not exist
 */
export async function readDeadLetters(options: ReadDeadLettersOptions): Promise<FoundDeadLetter[]> {
  const deadLetters = new Map<string, FoundDeadLetter>();
  const { mostBytes = MOST_BYTES } = options;
  let bytes = 0;
  await readRecords(options, (partition, message) => {
    const resolution = readResolution(message);
    if (resolution !== null) {
      const deadLetter = deadLetters.get(resolution.deadLetter);
      // The first one counts: a replay and a discard at once are both true.
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

/** A record that is refused again after its letter was dealt with has a new letter. */
export function withoutRepetitions(deadLetters: readonly FoundDeadLetter[]): FoundDeadLetter[] {
  const kept = new Map<string, FoundDeadLetter>();
  /** Id of the newest letter that is kept, by the name of its record. */
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
        () => reject(new Error(`nothing came for ${SILENCE_MS / 1000} s`)),
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
      // A broker that has just started may be "loading": kafkajs then begins anew by itself.
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
            // Thrown on, kafkajs would try it again and again.
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
  // Brokers forget an empty group by and by; a user who may not delete it has done no harm.
  await ask(access, (admin) => admin.deleteGroups([groupId])).catch((error: Error) =>
    access.log.debug({ groupId, error: error.name }, 'the group of this reading could not be deleted'),
  );
}

/** Batches of which compaction or aborted transactions left nothing do not come to `eachBatch`. */
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
