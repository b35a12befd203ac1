// The Kafka sink against things that are no broker: each send ends, says why, and leaves nothing open.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } from 'kafkajs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../src/runtime/ports.ts';
import { openSink } from '../../../src/sinks/index.ts';
import { kafkaError } from '../../../src/sinks/kafka-error.ts';
import { runEndedEvent } from '../../../src/sinks/run-event.ts';
import { SinkError } from '../../../src/sinks/sink.ts';

const counts = { read: 0, created: 0, updated: 0, unchanged: 0, rejected: 0, failed: 0, unknown: 0 };
const EVENT = runEndedEvent({
  account: 'acme',
  sync: 'leads',
  status: 'finished',
  endedAt: new Date(0),
  report: {
    run: 'acme/leads/1',
    ...counts,
    cards: 0,
    calls: 0,
    seconds: 0,
    pending: 0,
    warnings: [],
    problems: [],
  },
});

const servers: { server: Server; sockets: Set<Socket> }[] = [];
afterEach(async () => {
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
});

/** Listens on a free port and gives each connection to `onSocket`. */
async function listen(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // Whoever connects may reset the connection at any time: that is what is tested.
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push({ server, sockets });
  return { port: (server.address() as AddressInfo).port, server, sockets };
}

const sinkOn = (port: number) =>
  openSink(
    { type: 'kafka', brokers: [`127.0.0.1:${port}`], topic: 'sluice.runs', tls: false },
    { log: () => undefined },
  );
const never = () => new AbortController().signal;
const failureOf = (sending: Promise<void>) =>
  sending.then(
    () => 'sent',
    (error: unknown) => error,
  );

describe('a send that can not succeed', () => {
  it('where nothing listens, names broker and topic and may be tried again', async () => {
    const printed = (['log', 'error', 'warn', 'info'] as const).map((name) => vi.spyOn(console, name));
    const port = await freePort();
    const error = await failureOf(sinkOn(port).send(EVENT, { signal: never() }));
    expect(error).toBeInstanceOf(SinkError);
    expect(error).toMatchObject({ code: 'ECONNREFUSED', retryable: true });
    expect((error as Error).message).toContain(`topic "sluice.runs" on 127.0.0.1:${port}`);
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('where the connection is cut at once, may be tried again', async () => {
    const { port } = await listen((socket) => socket.destroy());
    expect(await failureOf(sinkOn(port).send(EVENT, { signal: never() }))).toMatchObject({
      name: 'SinkError',
      retryable: true,
    });
  });

  it('where nobody answers, ends with the deadline of the caller and lets go of its connection', async () => {
    const { port, sockets } = await listen((socket) => socket.resume());
    const error = await failureOf(sinkOn(port).send(EVENT, { signal: AbortSignal.timeout(200) }));
    expect(error).toMatchObject({ name: 'SinkError', code: 'TIMEOUT', retryable: true });
    await vi.waitUntil(() => sockets.size === 0);
  });

  it('is given up with the reason of whoever cancels', async () => {
    const cancel = new AbortController();
    const { port, sockets } = await listen((socket) => socket.once('data', () => cancel.abort('cancelled')));
    expect(await failureOf(sinkOn(port).send(EVENT, { signal: cancel.signal }))).toBe('cancelled');
    await vi.waitUntil(() => sockets.size === 0);
  });

  it('ends when the sink is closed, which takes no further event', async () => {
    const { port, server } = await listen((socket) => socket.resume());
    const sink = sinkOn(port);
    const sending = failureOf(sink.send(EVENT, { signal: never() }));
    await once(server, 'connection');
    await sink.close();
    expect(await sending).toMatchObject({ name: 'SinkError', code: 'CLOSED' });
    expect(await failureOf(sink.send(EVENT, { signal: never() }))).toMatchObject({ code: 'CLOSED' });
  });
});

describe('an error of kafkajs', () => {
  const protocol = (type: string, retriable: boolean) =>
    new KafkaJSProtocolError(Object.assign(new Error(`said ${type}`), { type, retriable, code: 1 }));
  const gaveUp = (error: Error) =>
    Object.assign(new KafkaJSNumberOfRetriesExceeded(error, { retryCount: 2, retryTime: 1 }), {
      cause: error,
    });
  const named = (name: string) => Object.assign(new Error(`a ${name}`), { name });
  const cases: [name: string, error: Error, expected: { code: string; retryable: boolean }][] = [
    [
      'missing topic',
      gaveUp(protocol('UNKNOWN_TOPIC_OR_PARTITION', true)),
      { code: 'UNKNOWN_TOPIC_OR_PARTITION', retryable: true },
    ],
    [
      'moving leader',
      gaveUp(protocol('NOT_LEADER_FOR_PARTITION', true)),
      { code: 'NOT_LEADER_FOR_PARTITION', retryable: true },
    ],
    [
      'too few replicas',
      protocol('NOT_ENOUGH_REPLICAS', true),
      { code: 'NOT_ENOUGH_REPLICAS', retryable: true },
    ],
    [
      'forbidden topic',
      protocol('TOPIC_AUTHORIZATION_FAILED', false),
      { code: 'TOPIC_AUTHORIZATION_FAILED', retryable: false },
    ],
    ['large event', protocol('MESSAGE_TOO_LARGE', false), { code: 'MESSAGE_TOO_LARGE', retryable: false }],
    [
      'wrong password',
      named('KafkaJSSASLAuthenticationError'),
      { code: 'SASL_AUTHENTICATION_FAILED', retryable: false },
    ],
    ['no answer', gaveUp(named('KafkaJSRequestTimeoutError')), { code: 'TIMEOUT', retryable: true }],
    ['anything else', new Error('strange'), { code: 'UNREACHABLE', retryable: true }],
  ];
  it.each(cases)('%s: is tried again or not, whatever kafkajs says', (_name, error, expected) => {
    const sinkError = kafkaError(error, { brokers: ['a:1', 'b:2'], topic: 'runs' });
    expect(sinkError).toMatchObject(expected);
    expect(sinkError.message).toContain('topic "runs" on a:1, b:2: ');
  });
});
