// Writing records so that they are there: by all replicas in sync, each resend recognised by the broker.
import { type Message, Partitioners } from 'kafkajs';
import { type ClusterAccess, openClient, REQUEST_MS } from './client.ts';

/** kafkajs makes one record batch a partition of each call, and max.message.bytes (1 MiB by default) holds for that. */
const MOST_BYTES = 524_288;

export type { Message } from 'kafkajs';

export interface ProduceOptions {
  /** One request a message: what the brokers say is then said of that one. @default false */
  readonly alone?: boolean;
  /** Told how many of the messages, from the first on, are acknowledged by now. */
  readonly onWritten?: (messages: number) => void;
}

/**
 * Writes in order and returns when all is acknowledged. Nothing stays connected after it: a restarted broker is met afresh. An
 * idle kafkajs connection wakes the process every millisecond (measured: 2 % of a core each; on Node 24 with a
 * TimeoutNegativeWarning, tulios/kafkajs#1751) and is not always known to be severed (#919, #979); a fresh producer takes
 * 13–20 ms. As each begins to count at zero, the trouble of idempotent producers with sequences after an error (#598)
 * cannot arise.
 * @throws what kafkajs throws, or the signal's reason: some of them may be written
 */
export async function produce(
  access: ClusterAccess,
  topic: string,
  messages: readonly Message[],
  signal?: AbortSignal,
  { alone = false, onWritten }: ProduceOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  const client = openClient(access);
  const over = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      client.end();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', giveUp, { once: true, signal: over.signal });
  });
  // Nobody may be listening any more when it comes.
  aborted.catch(() => undefined);
  const producer = client.kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  const produced = (async () => {
    await producer.connect();
    let written = 0;
    for (const group of alone ? messages.map((message) => [message]) : groupsOf(messages)) {
      await producer.send({ topic, acks: -1, timeout: REQUEST_MS, messages: group });
      written += group.length;
      onWritten?.(written);
    }
  })();
  try {
    await Promise.race([produced, aborted]);
    await producer.disconnect();
  } finally {
    over.abort();
    client.end();
  }
}

/** A record longer than that is a group of its own. */
export function groupsOf(messages: readonly Message[]): Message[][] {
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
