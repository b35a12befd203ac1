// Tracks the partitions that the group assigned to a consumer: their start offsets, their readers, and what becomes
// invalid when they change hands.
import { setTimeout as delay } from 'node:timers/promises';
import type { Batch, Consumer, EachBatchPayload } from 'kafkajs';
import type { IngressKafka } from '../config.ts';
import type { ClusterAccess } from './client.ts';
import { describeKafkaError } from './errors.ts';
import { type Fetched, type PartitionOptions, type PartitionReader, readPartition } from './partition.ts';
import { keyOf, type Log, type Pauses, type Place } from './pauses.ts';
import { type Bounds, fetchBounds, fetchCommitted, type Gaps, startOf } from './positions.ts';

const RECHECK_MS = 1000;

export interface AssignmentOptions {
  readonly cluster: string;
  readonly config: IngressKafka;
  readonly access: ClusterAccess;
  readonly log: Log;
  readonly pauses: Pauses;
  readonly gaps: Gaps;
  /** What a partition needs besides the data of this module. */
  reader(
    place: Place,
  ): Omit<PartitionOptions, keyof Place | 'start' | 'commitStart' | 'fetch' | 'commit' | 'pauses' | 'gaps'>;
  /** Called after the group has assigned partitions and their offsets are known. */
  joined(): void;
  sawEnd(place: Place, bounds: Pick<Bounds, 'high'>): void;
}

/** kafkajs has this method, but its types do not. */
type FetchedBatch = Batch & { readonly fetchedOffset: string };

/** @param consumer throws at every call before it runs, and after `end` */
export function createAssignments(options: AssignmentOptions, consumer: Consumer) {
  const { config, access, log, pauses, gaps } = options;
  let readers = new Map<string, PartitionReader>();
  /** Work of earlier assignments that is still in progress, by partition. */
  const leaving = new Map<string, Promise<void>>();
  let generation = 0;
  let over = false;
  let commit: EachBatchPayload['commitOffsetsIfNecessary'] | null = null;

  function dropAll(): Promise<unknown> {
    const old = readers;
    readers = new Map();
    return Promise.all(
      [...old].map(async ([key, reader]) => {
        const before = leaving.get(key);
        const left = Promise.all([before, reader.drop()]).then(() => undefined);
        leaving.set(key, left);
        await left;
        if (leaving.get(key) === left) leaving.delete(key);
      }),
    );
  }

  /**
   * kafkajs calls this before its first fetch. Earlier offsets are invalid: records fetched or accepted but not
   * committed are read again. Nothing is fetched until the start offsets are known.
   */
  function assign(assignment: Readonly<Record<string, number[]>>): void {
    generation += 1;
    void dropAll();
    const places = Object.entries(assignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    for (const { topic, partition } of places) consumer.pause([{ topic, partitions: [partition] }]);
    const given = new Set(places.map(keyOf));
    for (const pause of pauses.all()) if (!given.has(keyOf(pause))) pauses.forget(pause);
    void begin(places, generation);
  }

  async function begin(places: readonly Place[], mine: number): Promise<void> {
    const isCurrent = () => !over && mine === generation;
    if (places.length === 0) options.joined();
    else await learn(places, isCurrent);
  }

  async function learn(places: readonly Place[], isCurrent: () => boolean): Promise<void> {
    for (let reported = false; isCurrent(); ) {
      try {
        const topics = [...new Set(places.map(({ topic }) => topic))];
        const committed = await fetchCommitted(access, config.group, topics);
        const bounds = await fetchBounds(access, topics);
        if (!isCurrent()) return;
        for (const place of places) void read(place, committed, bounds, isCurrent);
        options.joined();
        return;
      } catch (error) {
        const { code, message } = describeKafkaError(error);
        if (!reported)
          log.warn(
            { cluster: options.cluster, code },
            `cannot read the offsets of the group: ${message}; retrying`,
          );
        reported = true;
        await delay(RECHECK_MS);
      }
    }
  }

  async function read(
    place: Place,
    committed: ReadonlyMap<string, bigint>,
    bounds: ReadonlyMap<string, Bounds>,
    isCurrent: () => boolean,
  ): Promise<void> {
    const key = keyOf(place);
    // Otherwise events of one person would overtake each other.
    await leaving.get(key);
    const known = bounds.get(key);
    if (!isCurrent() || known === undefined) return;
    const {
      position,
      commit: commitStart,
      missedFrom,
    } = startOf(committed.get(key) ?? -1n, known, config.from);
    if (missedFrom !== null) gaps.report(place, missedFrom, position);
    options.sawEnd(place, known);
    const { topic, partition } = place;
    consumer.seek({ topic, partition, offset: String(position) });
    const reader = readPartition({
      ...options.reader(place),
      ...place,
      pauses,
      gaps,
      start: position,
      commitStart,
      fetch(on) {
        if (!isCurrent()) return;
        if (on) consumer.resume([{ topic, partitions: [partition] }]);
        else consumer.pause([{ topic, partitions: [partition] }]);
      },
      async commit(next) {
        const offset = String(next);
        // The batch's own function fails at once when the group has moved on. Before the first batch only the
        // consumer's exists.
        if (commit === null) await consumer.commitOffsets([{ topic, partition, offset }]);
        else await commit({ topics: [{ topic, partitions: [{ partition, offset }] }] });
      },
    });
    readers.set(key, reader);
  }

  /**
   * This only puts the partition aside. kafkajs fetches nothing more of any partition until all batches of a fetch are
   * done.
   */
  function take({ batch, resolveOffset, isStale, commitOffsetsIfNecessary }: EachBatchPayload): void {
    commit = commitOffsetsIfNecessary;
    const { topic, partition } = batch;
    const reader = readers.get(keyOf({ topic, partition }));
    if (reader === undefined || isStale()) return;
    options.sawEnd({ topic, partition }, { high: BigInt(batch.highWatermark) });
    reader.take(fetchedOf(batch as FetchedBatch));
    resolveOffset(batch.lastOffset());
  }

  function compare(bounds: ReadonlyMap<string, Bounds>): void {
    for (const [key, reader] of readers) {
      const known = bounds.get(key);
      if (known === undefined) continue;
      options.sawEnd(reader, known);
      if (known.low <= reader.position()) continue;
      const { topic, partition } = reader;
      reader.jump(known.low);
      consumer.seek({ topic, partition, offset: String(known.low) });
    }
  }

  return {
    assign,
    take,
    compare,
    get: (place: Place) => readers.get(keyOf(place)),
    all: () => [...readers.values()],
    async end() {
      over = true;
      await dropAll();
      await Promise.all(leaving.values());
    },
  };
}

function fetchedOf(batch: FetchedBatch): Fetched {
  return {
    at: BigInt(batch.fetchedOffset),
    messages: batch.messages,
    next: BigInt(batch.lastOffset()) + 1n,
  };
}
