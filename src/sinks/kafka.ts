// The Kafka sink: one producer for one event, gone again after it.
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  type ISocketFactory,
  Kafka,
  type KafkaConfig,
  logLevel,
  Partitioners,
  type SASLOptions,
} from 'kafkajs';
import type { KafkaSink } from '../contracts/config.ts';
import { EVENT_CONTENT_TYPE, type SinkEvent } from '../contracts/events.ts';
import { kafkaError } from './kafka-error.ts';
import { type Sink, SinkError } from './sink.ts';

const CONNECT_MS = 5000;
const REQUEST_MS = 10_000;

/**
 * Resends within one `send`: covers a leader that has just moved. The producer's id lets the broker recognise
 * them, so they write once. Longer outages are for the caller to wait out.
 */
const RESENDS = { retries: 2, initialRetryTime: 200, maxRetryTime: 1000 };

export interface KafkaSinkOptions {
  /** What the reference `sasl.password` stands for. */
  readonly password?: string | undefined;
  /** Hears kafkajs itself, at the level in KAFKAJS_LOG_LEVEL; nothing without that variable. */
  readonly log: (fields: object, message: string) => void;
}

/**
 * Sends each event as a structured-mode CloudEvent with `partitionkey` as the Kafka key, acknowledged by all
 * replicas in sync. Topics are never created, whatever the brokers allow.
 *
 * Nothing connects before the first event, and nothing stays connected after one: a restarted broker is met afresh.
 * An idle kafkajs connection wakes the process every millisecond (measured: 2 % of a core each; on Node 24 with a
 * TimeoutNegativeWarning, tulios/kafkajs#1751) and is not always known to be severed (#919, #979). Ends of runs are rare,
 * and a fresh producer takes 13–20 ms. As each begins to count at zero, the trouble of idempotent producers with
 * sequences after an error (#598) cannot arise.
 */
export function kafkaSink(config: KafkaSink, options: KafkaSinkOptions): Sink {
  const client = clientOptions(config, options);
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  return {
    async send(event, { signal }) {
      const sending = deliver(client, config, event, AbortSignal.any([signal, closing.signal]));
      underWay.add(sending);
      try {
        await sending;
      } finally {
        underWay.delete(sending);
      }
    },
    async close() {
      closing.abort(new SinkError('CLOSED', 'the Kafka sink has been closed', { retryable: true }));
      await Promise.allSettled(underWay);
    },
  };
}

function clientOptions(
  { brokers, tls, sasl }: KafkaSink,
  { password = '', log }: KafkaSinkOptions,
): KafkaConfig {
  return {
    clientId: 'sluice',
    brokers,
    ssl: tls,
    ...(sasl === undefined ? {} : { sasl: { ...sasl, password } as SASLOptions }),
    connectionTimeout: CONNECT_MS,
    authenticationTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    retry: RESENDS,
    // What kafkajs logs before it gives up comes out as one error; its console logger stays out of stderr.
    logLevel: logLevel.NOTHING,
    logCreator:
      () =>
      ({ namespace, log: { message, ...fields } }) =>
        log({ ...fields, kafkajs: namespace }, message),
  };
}

async function deliver(
  client: KafkaConfig,
  config: KafkaSink,
  event: SinkEvent,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const sockets = trackedSockets(signal);
  const kafka = new Kafka({ ...client, socketFactory: sockets.factory });
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  const produced = (async () => {
    await producer.connect();
    await producer.send({
      topic: config.topic,
      acks: -1,
      timeout: REQUEST_MS,
      messages: [
        {
          key: event.partitionkey,
          value: JSON.stringify(event),
          headers: { 'content-type': EVENT_CONTENT_TYPE },
        },
      ],
    });
  })();
  try {
    await Promise.race([produced, sockets.aborted]);
    await producer.disconnect();
  } catch (error) {
    throw isGivingUp(signal) ? signal.reason : kafkaError(signal.aborted ? signal.reason : error, config);
  } finally {
    sockets.end();
  }
}

/** Aborted by whoever called or by `close`, not by a deadline: that one is the brokers' doing. */
function isGivingUp(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as Error)?.name !== 'TimeoutError';
}

/** Sockets that die with the signal: kafkajs has no other way to give up, and would go on resending. */
function trackedSockets(signal: AbortSignal) {
  const open = new Set<Socket>();
  let reject: (reason: unknown) => void;
  const aborted = new Promise<never>((_resolve, no) => {
    reject = no;
  });
  // Nobody may be listening any more when it comes.
  aborted.catch(() => undefined);
  const destroyAll = (why: Error) => {
    for (const socket of open) socket.destroy(why);
  };
  const abort = () => {
    destroyAll(new Error('given up'));
    reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  let ended = false;
  const factory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    // Thrown errors are connection errors to kafkajs: what it still tries after the end fails at once.
    if (ended || signal.aborted) throw new Error('given up');
    const socket = ssl
      ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) }, onConnect)
      : connectTcp({ host, port }, onConnect);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    return socket;
  };
  return {
    factory,
    aborted,
    end() {
      ended = true;
      signal.removeEventListener('abort', abort);
      destroyAll(new Error('the producer has ended'));
    },
  };
}
