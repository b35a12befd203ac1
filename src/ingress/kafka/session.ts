// One life of a consumer: from joining the group to the moment when kafkajs gives up, or when it is asked to end.
import { setTimeout as delay } from 'node:timers/promises';
import { type AssignmentOptions, createAssignments } from './assignments.ts';
import { openClient } from './client.ts';
import type { PartitionReader } from './partition.ts';
import type { Bounds } from './positions.ts';

/** A member that is gone is missed after so long, and its partitions go to others. */
const SESSION_MS = 30_000;
/** Of these, so many fit in the time after which it is missed. */
const HEARTBEATS = 10;
/** Longest wait of a fetch for something to come. A partition that is taken up again waits for it at most. */
const FETCH_WAIT_MS = 250;
/** A record batch that is larger is fetched only when no other partition has anything. */
const FETCH_BYTES = 1_048_576;
/** How long new partitions of a topic may stay unseen. */
const METADATA_MS = 60_000;
const DISCONNECT_MS = 5000;

export interface SessionOptions extends AssignmentOptions {
  readonly topics: readonly string[];
  readonly sessionMs?: number | undefined;
}

export interface Session {
  /** Resolves with the reason when kafkajs has given up: a new session is needed. */
  readonly crashed: Promise<unknown>;
  /** When kafkajs was last seen doing something, in ms since 1970. */
  lastSign(): number;
  readers(): readonly PartitionReader[];
  /** Looks whether records are gone that nobody has read yet. */
  compare(bounds: ReadonlyMap<string, Bounds>): void;
  /** Takes what is under way to its commit, leaves the group and closes the connections, within `graceMs` and 5 s. */
  close(graceMs: number): Promise<void>;
}

/** @throws what kafkajs throws when the cluster is away or refuses */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { config, topics } = options;
  const client = openClient(options.access);
  const { sessionMs = SESSION_MS } = options;
  const consumer = client.kafka.consumer({
    groupId: config.group,
    allowAutoTopicCreation: false,
    sessionTimeout: sessionMs,
    heartbeatInterval: sessionMs / HEARTBEATS,
    maxWaitTimeInMs: FETCH_WAIT_MS,
    maxBytesPerPartition: FETCH_BYTES,
    metadataMaxAge: METADATA_MS,
    // A restart by kafkajs is no better than a new consumer, and silent when it fails.
    retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1000, restartOnFailure: async () => false },
  });
  const partitions = createAssignments(options, consumer);
  let sign = Date.now();
  const { FETCH_START, HEARTBEAT, GROUP_JOIN, CRASH, STOP, START_BATCH_PROCESS } = consumer.events;
  for (const event of [FETCH_START, HEARTBEAT] as const)
    consumer.on(event, () => {
      sign = Date.now();
    });
  consumer.on(GROUP_JOIN, ({ payload }) => partitions.assign(payload.memberAssignment));
  // Batches of which nothing is left to show do not come to `eachBatch`.
  consumer.on(START_BATCH_PROCESS, ({ payload: { topic, partition, batchSize, lastOffset } }) => {
    if (batchSize === 0) partitions.get({ topic, partition })?.skip(BigInt(lastOffset) + 1n);
  });
  // From here on kafkajs throws at whatever it is told.
  consumer.on(STOP, () => void partitions.end());
  const crashed = new Promise<unknown>((resolve) => {
    consumer.on(CRASH, ({ payload }) => resolve(payload.error));
  });
  const end = async () => {
    await Promise.race([consumer.disconnect().catch(() => undefined), sleep(DISCONNECT_MS)]);
    client.end();
  };
  try {
    await consumer.connect();
    // Where a group begins is settled in `assign`. kafkajs uses this for an offset that is out of range: `false` would skip
    // everything there is.
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: config.concurrency,
      eachBatch: async (payload) => partitions.take(payload),
    });
  } catch (error) {
    await end();
    throw error;
  }
  return {
    crashed,
    lastSign: () => sign,
    readers: () => partitions.all(),
    compare: partitions.compare,
    async close(graceMs) {
      const finished = Promise.all(partitions.all().map((reader) => reader.finish()));
      await Promise.race([finished, sleep(graceMs)]);
      const dropped = partitions.end();
      await end();
      await Promise.race([dropped, sleep(DISCONNECT_MS)]);
    },
  };
}

/** For races: keeps no process up. */
async function sleep(ms: number): Promise<void> {
  await delay(ms, undefined, { ref: false });
}
