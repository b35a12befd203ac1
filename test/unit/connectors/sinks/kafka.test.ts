// The Kafka sink against things that are no broker: each send ends, says why, and leaves nothing open.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import kafkajs from 'kafkajs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { kafkaError, kafkaSink } from '../../../../src/connectors/sinks/kafka.ts';
import { type Sent, SinkError } from '../../../../src/connectors/sinks/sink.ts';
import { freePort } from '../../../../src/core/net/ports.ts';
import { runEndedEvent } from '../../../../src/jobs/events/contract/envelope.ts';

// A module of CommonJS, whose errors have no names that Node can import.
const { KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } = kafkajs;

const counts = {
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  merged: 0,
  rejected: 0,
  failed: 0,
  unknown: 0,
};
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
    stoppedSteps: [],
    warnings: [],
    problems: [],
    totals: [],
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

const sinkOn = (port: number, deadlineMs?: number) =>
  kafkaSink(
    { type: 'kafka', brokers: [`127.0.0.1:${port}`], topic: 'sluice.runs', tls: false },
    { log: () => undefined, ...(deadlineMs !== undefined && { deadlineMs }) },
  );
const never = () => new AbortController().signal;
const OTHER = { ...EVENT, id: 'acme/leads/2/finished' };

/** What two events of one key fail with, which is the same. */
async function failureOf(sending: Promise<readonly Sent[]>): Promise<SinkError> {
  const sent = await sending;
  expect(sent.map(({ state }) => state)).toEqual(['failed', 'failed']);
  const [first, second] = sent as readonly { error: SinkError }[];
  expect(second?.error).toBe(first?.error);
  return first?.error as SinkError;
}

describe('a batch that can not be sent', () => {
  it('where nothing listens, names broker and topic and may be tried again, all of it', async () => {
    const printed = (['log', 'error', 'warn', 'info'] as const).map((name) => vi.spyOn(console, name));
    const port = await freePort();
    const error = await failureOf(sinkOn(port).send([EVENT, OTHER], { signal: never() }));
    expect(error).toBeInstanceOf(SinkError);
    expect(error).toMatchObject({ code: 'ECONNREFUSED', retryable: true, sinkWide: true });
    expect(error.message).toContain(`topic "sluice.runs" on 127.0.0.1:${port}`);
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('where the connection is cut at once, may be tried again', async () => {
    const { port } = await listen((socket) => socket.destroy());
    expect(await failureOf(sinkOn(port).send([EVENT, OTHER], { signal: never() }))).toMatchObject({
      retryable: true,
      sinkWide: true,
    });
  });

  it('where nobody answers, ends with the deadline and lets go of its connection', async () => {
    const { port, sockets } = await listen((socket) => socket.resume());
    const error = await failureOf(sinkOn(port, 200).send([EVENT, OTHER], { signal: never() }));
    expect(error).toMatchObject({ code: 'TIMEOUT', retryable: true, sinkWide: true });
    await vi.waitUntil(() => sockets.size === 0);
  });

  it('is given up with whoever cancels, which says nothing about the sink', async () => {
    const cancel = new AbortController();
    const { port, sockets } = await listen((socket) => socket.once('data', () => cancel.abort('cancelled')));
    const error = await failureOf(sinkOn(port).send([EVENT, OTHER], { signal: cancel.signal }));
    expect(error).toMatchObject({ code: 'GIVEN_UP', retryable: true, sinkWide: false, cause: 'cancelled' });
    await vi.waitUntil(() => sockets.size === 0);
  });

  it('after the end of whoever asks, is not begun', async () => {
    const sent = await sinkOn(await freePort()).send([EVENT, OTHER], { signal: AbortSignal.abort() });
    expect(sent).toEqual([{ state: 'skipped' }, { state: 'skipped' }]);
  });

  it('ends when the sink is closed, which takes no further event', async () => {
    const { port, server } = await listen((socket) => socket.resume());
    const sink = sinkOn(port);
    const sending = failureOf(sink.send([EVENT, OTHER], { signal: never() }));
    await once(server, 'connection');
    await sink.close();
    expect(await sending).toMatchObject({ code: 'CLOSED', retryable: true });
    expect(await failureOf(sink.send([EVENT, OTHER], { signal: never() }))).toMatchObject({ code: 'CLOSED' });
    await sink.close();
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
  const cases: [name: string, error: Error, expected: Partial<SinkError>][] = [
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
      { code: 'TOPIC_AUTHORIZATION_FAILED', retryable: false, sinkWide: true },
    ],
    [
      'large event',
      protocol('MESSAGE_TOO_LARGE', false),
      { code: 'MESSAGE_TOO_LARGE', retryable: false, sinkWide: false },
    ],
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
    expect(sinkError.message).toContain('topic "runs" on a:1, b:2 did not acknowledge the event: ');
  });
});
