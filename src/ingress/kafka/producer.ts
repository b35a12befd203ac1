// Writing records so that they are there: by all replicas in sync, each resend recognised by the broker.
import { type Message, Partitioners } from 'kafkajs';
import { type ClusterAccess, openClient, REQUEST_MS } from './client.ts';
import { describeKafkaError } from './errors.ts';
import { withoutValue } from './letter.ts';

/** kafkajs makes one record batch a partition of each call, and max.message.bytes (1 MiB by default) holds for that. */
const MOST_BYTES = 524_288;

/**
 * Writes in order and returns when all is acknowledged. A producer of its own for each call, as for sinks: one begins to
 * count its sequences anew, so that what went wrong before can't hurt (tulios/kafkajs#598).
 * @throws what kafkajs throws: some of them may be written
 */
export async function produce(
  access: ClusterAccess,
  topic: string,
  messages: readonly Message[],
): Promise<void> {
  const client = openClient(access);
  const producer = client.kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  try {
    await producer.connect();
    for (const group of groupsOf(messages))
      await producer.send({ topic, acks: -1, timeout: REQUEST_MS, messages: group });
    await producer.disconnect();
  } finally {
    client.end();
  }
}

/**
 * Writes dead letters. One whose value the topic is too small for is written without it: it still stands in its own
 * topic, at the offset in the letter's headers.
 */
export async function produceLetters(
  access: ClusterAccess,
  topic: string,
  letters: readonly Message[],
): Promise<void> {
  for (const group of groupsOf(letters)) {
    try {
      await produce(access, topic, group);
    } catch (error) {
      const { code } = describeKafkaError(error);
      const tooLarge = code === 'MESSAGE_TOO_LARGE' || code === 'RECORD_LIST_TOO_LARGE';
      const [only] = group;
      if (!tooLarge || only === undefined || only.value === null) throw error;
      if (group.length === 1) await produce(access, topic, [withoutValue(only)]);
      // One of them is, or all of them together are.
      else for (const letter of group) await produceLetters(access, topic, [letter]);
    }
  }
}

/** A record longer than that is a group of its own. */
function groupsOf(messages: readonly Message[]): Message[][] {
  const groups: Message[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = bytesOf(message);
    if (bytes + size > MOST_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(message);
    bytes += size;
  }
  return groups;
}

function bytesOf({ key, value, headers }: Message): number {
  const length = (part: unknown) =>
    typeof part === 'string' || Buffer.isBuffer(part) ? Buffer.byteLength(part) : 0;
  const inHeaders = Object.entries(headers ?? {}).map(
    ([name, part]) => name.length + (Array.isArray(part) ? part : [part]).reduce((n, p) => n + length(p), 0),
  );
  return inHeaders.reduce((sum, n) => sum + n, length(key) + length(value) + 100);
}
