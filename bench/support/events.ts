// Events for the ingress bench: what senders send over HTTP and Kafka, and how fast they get their 202.
import { createHash, createHmac } from 'node:crypto';
import { CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { Pool } from 'undici';

/** Each route has a key of its own. */
const keyOf = (path: string) => createHash('sha256').update(path).digest();
/** The form of Standard Webhooks. */
export const secretTextOf = (path: string) => `whsec_${keyOf(path).toString('base64')}`;
/** A refused sender retries. */
const AGAIN_MS = 200;

/** A lead about a new person. No two events of a bench are about the same one. */
function eventBody(key: string, n: number): string {
  return JSON.stringify({ event_id: key, phone: `+1415${2_000_000 + n}`, name: `Person ${n}` });
}

export interface Sent {
  /** Answers 202. */
  readonly accepted: number;
  /** Other answers. */
  readonly refused: number;
  readonly seconds: number;
  /** Milliseconds from sending to each 202. */
  readonly waits: readonly number[];
}

export interface SendOptions {
  /** Parallel requests, each on a connection of its own. */
  readonly connections: number;
  /** Begins to send until this many seconds have passed, or */
  readonly seconds?: number;
  /** Stops after this many events. */
  readonly events?: number;
  /** Number of the first event. The next ones count up. */
  readonly from: number;
  /** Repeats one event. */
  readonly same?: boolean;
  /** Called for each 202. */
  onAccepted?(count: number): void;
}

/** Sends signed events to one route, each until it is accepted. @throws Error for an unexpected answer */
export async function sendHttp(url: string, path: string, options: SendOptions): Promise<Sent> {
  const { connections, seconds = Infinity, events = Infinity, from } = options;
  const pool = new Pool(url, { connections });
  const waits: number[] = [];
  let refused = 0;
  let next = from;
  const began = performance.now();
  let ended = began;
  const post = async (n: number): Promise<void> => {
    const key = `${path}-${n}`;
    const body = eventBody(key, n);
    for (;;) {
      const at = performance.now();
      const answer = await pool.request({ path, method: 'POST', headers: signed(path, key, body), body });
      await answer.body.dump();
      if (answer.statusCode === 202) {
        ended = performance.now();
        waits.push(ended - at);
        options.onAccepted?.(waits.length);
        return;
      }
      if (![429, 503].includes(answer.statusCode)) throw new Error(`${path} answered ${answer.statusCode}`);
      refused += 1;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  };
  const sender = async () => {
    while (performance.now() - began < seconds * 1000 && next - from < events) {
      const n = next++;
      await post(options.same === true ? from : n);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, sender));
  } finally {
    await pool.close();
  }
  return { accepted: waits.length, refused, seconds: (ended - began) / 1000, waits };
}

function signed(path: string, id: string, body: string): Record<string, string> {
  const at = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', keyOf(path)).update(`${id}.${at}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': at,
    'webhook-signature': `v1,${signature}`,
  };
}

/** Puts events on a topic, spread over its partitions. */
export async function sendKafka(
  brokers: string[],
  topic: string,
  { from, events }: { from: number; events: number },
): Promise<void> {
  const producer = new Kafka({ brokers, logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  try {
    for (let n = from; n < from + events; n += 1000) {
      const messages = Array.from({ length: Math.min(1000, from + events - n) }, (_, i) => ({
        key: `${n + i}`,
        value: eventBody(`${topic}-${n + i}`, n + i),
      }));
      await producer.send({ topic, compression: CompressionTypes.None, messages });
    }
  } finally {
    await producer.disconnect();
  }
}

export async function makeTopics(brokers: string[], topics: Readonly<Record<string, number>>): Promise<void> {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    await admin.createTopics({
      waitForLeaders: true,
      topics: Object.entries(topics).map(([topic, numPartitions]) => ({ topic, numPartitions })),
    });
  } finally {
    await admin.disconnect();
  }
}
