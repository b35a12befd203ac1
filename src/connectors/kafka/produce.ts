// Writes records durably: all in-sync replicas acknowledge each record, and the broker recognizes each resend.
import { type Message, Partitioners } from 'kafkajs';
import { type ClusterAccess, openClient, REQUEST_MS } from './client.ts';

/**
 * kafkajs sends one record batch per partition and call, and max.message.bytes (1 MiB by default) limits that batch.
 */
const MOST_BYTES = 524_288;

export type { Message } from 'kafkajs';

export interface ProduceOptions {
  /** Sends one request per message, so that an error names the message it is about. @default false */
  readonly alone?: boolean;
  /** Receives the number of messages acknowledged so far, counted from the first. */
  readonly onWritten?: (messages: number) => void;
}

/**
 * Writes the messages in order and returns when the brokers have acknowledged all of them. It opens a new connection
 * for each call and closes it afterwards, so that a restarted broker causes no error. An idle kafkajs connection wakes
 * the process every millisecond (measured: 2 % of a core each; on Node 24 with a TimeoutNegativeWarning,
 * tulios/kafkajs#1751) and does not always notice that it was cut (#919, #979). A new producer takes 13–20 ms. Each
 * producer starts its sequence numbers at zero, so the errors of idempotent producers after a failed sequence (#598)
 * cannot occur.
 * @throws what kafkajs throws, or the signal's reason; some messages may have been written
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
  // Nobody may be listening when the rejection arrives.
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

/** A record longer than the limit forms a group of its own. */
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
