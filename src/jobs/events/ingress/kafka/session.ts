// One lifetime of a consumer: from joining the group until kafkajs gives up or the owner ends it.
import { setTimeout as delay } from 'node:timers/promises';
import { type AssignmentOptions, createAssignments } from './assignments.ts';
import { openClient } from './client.ts';
import type { PartitionReader } from './partition.ts';
import type { Bounds } from './positions.ts';

/** Session timeout: after it, the group assigns the partitions of a silent member to others. */
const SESSION_MS = 30_000;
/** Number of heartbeats within the session timeout. */
const HEARTBEATS = 10;
/** Maximum wait of a fetch for new records. A resumed partition waits at most this long. */
const FETCH_WAIT_MS = 250;
/** A record batch larger than this is fetched only if no other partition has records. */
const FETCH_BYTES = 1_048_576;
/** How long new partitions of a topic may stay unnoticed. */
const METADATA_MS = 60_000;
const DISCONNECT_MS = 5000;

export interface SessionOptions extends AssignmentOptions {
  readonly topics: readonly string[];
  readonly sessionMs?: number | undefined;
}

export interface Session {
  /** Resolves with the reason when kafkajs has given up. A new session is then needed. */
  readonly crashed: Promise<unknown>;
  /** Time of the last activity of kafkajs, in ms since 1970. */
  lastSign(): number;
  readers(): readonly PartitionReader[];
  /** Checks whether records were deleted before Sluice read them. */
  compare(bounds: ReadonlyMap<string, Bounds>): void;
  /**
   * Completes what is in progress up to its commit, leaves the group and closes the connections, within `graceMs` and 5
   * s.
   */
  close(graceMs: number): Promise<void>;
}

/** @throws what kafkajs throws when the cluster is unavailable or rejects the consumer */
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
    // A restart by kafkajs has no advantage over a new consumer, and fails silently.
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
  // kafkajs does not pass on batches of which nothing is left.
  consumer.on(START_BATCH_PROCESS, ({ payload: { topic, partition, batchSize, lastOffset } }) => {
    if (batchSize === 0) partitions.get({ topic, partition })?.skip(BigInt(lastOffset) + 1n);
  });
  // From here on every kafkajs call throws.
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
    // `assign` decides where a group begins. kafkajs uses this setting for an offset that is out of range: `false`
    // would skip all existing records.
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

/** For races. It does not keep the process running. */
async function sleep(ms: number): Promise<void> {
  await delay(ms, undefined, { ref: false });
}
