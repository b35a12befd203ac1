// The Kafka brokers of a test run: they live in its main process, begin when a test first asks for one, and end with the run.
// Test files run in processes of their own and ask over HTTP on the loopback address.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { request } from 'undici';
import { startBroker, type TestKafka } from './kafka-broker.ts';

/** Where the pool of this run answers; forks inherit it. */
export const POOL_VARIABLE = 'SLUICE_TEST_KAFKA_POOL';

export interface StartKafkaOptions {
  /**
   * A broker that other test files use at the same time, for those that never take it away. Their topics and groups
   * need names of their own.
   * @default false: nobody else has it until `stop`; the topics of whoever had it before may be there
   */
  readonly shared?: boolean;
}

/** What a test file knows of its broker. */
interface Lease {
  readonly id: number;
  readonly brokers: string[];
}

interface Entry {
  readonly kafka: TestKafka;
  /** Files that have it now. */
  users: number;
  readonly shared: boolean;
  back: (() => Promise<void>) | null;
}

/** Opens the pool; `close` ends all brokers. */
export async function openKafkaPool(): Promise<{ url: string; close(): Promise<void> }> {
  const entries: Entry[] = [];
  let shared: Promise<Entry | null> | undefined;
  const start = async (isShared: boolean): Promise<Entry | null> => {
    const kafka = await startBroker();
    if (kafka === null) return null;
    const entry: Entry = { kafka, users: 0, shared: isShared, back: null };
    entries.push(entry);
    return entry;
  };
  const lease = async (wantsShared: boolean): Promise<Lease | null> => {
    let entry: Entry | null | undefined;
    if (wantsShared) entry = await (shared ??= start(true));
    else {
      entry = entries.find((each) => !each.shared && each.users === 0);
      // Taken before anything is waited for: two files that ask at once must not get the same one.
      if (entry !== undefined) entry.users = 1;
      else entry = await start(false);
    }
    if (entry === null) return null;
    entry.users = wantsShared ? entry.users + 1 : 1;
    return { id: entries.indexOf(entry), brokers: entry.kafka.brokers };
  };
  const bringBack = async (entry: Entry): Promise<void> => {
    await entry.back?.();
    entry.back = null;
  };
  const answer = async (asked: IncomingMessage): Promise<unknown> => {
    const { url = '' } = asked;
    const [, what = '', id = ''] = url.split('/');
    if (what === 'lease') return await lease(id === 'shared');
    const entry = entries[Number(id)];
    if (entry === undefined) throw new Error(`there is no broker ${id}`);
    if (what === 'kill') entry.back = await entry.kafka.outage();
    else if (what === 'start') await bringBack(entry);
    else if (what === 'console')
      await entry.kafka.produceByConsole(
        ...((await json(asked)) as Parameters<TestKafka['produceByConsole']>),
      );
    else if (what === 'release') {
      // Whoever killed it and failed leaves it to the next one as it was.
      await bringBack(entry);
      entry.users -= 1;
    } else throw new Error(`unknown: ${url}`);
    return null;
  };
  const server = createServer((asked, response) => {
    answer(asked).then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The run ends when its tests have, whoever forgot to close.
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.all(entries.map(({ kafka }) => kafka.stop()));
    },
  };
}

/** A broker of the pool at `url`; null when there is none to be had. */
export async function leaseKafka(
  url: string,
  { shared = false }: StartKafkaOptions,
): Promise<TestKafka | null> {
  const ask = async (path: string, body: unknown = null): Promise<unknown> => {
    // The first broker of a machine is downloaded before it starts.
    const options = { method: 'POST', headersTimeout: 300_000, body: JSON.stringify(body) } as const;
    const answer = await request(url + path, options);
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the pool of Kafka brokers: ${text}`);
    return JSON.parse(text);
  };
  const lease = (await ask(`/lease/${shared ? 'shared' : 'alone'}`)) as Lease | null;
  if (lease === null) return null;
  const { id, brokers } = lease;
  return {
    brokers,
    async produceByConsole(...what) {
      await ask(`/console/${id}`, what);
    },
    async outage() {
      if (shared) throw new Error('others use this broker: ask for one without `shared`');
      await ask(`/kill/${id}`);
      return async () => {
        await ask(`/start/${id}`);
      };
    },
    stop: async () => {
      await ask(`/release/${id}`);
    },
  };
}
