// What tests of the HTTP sink share: sinks and receivers that end with their test.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { HttpSink } from '../../../../src/connectors/sinks/config.ts';
import { openSink } from '../../../../src/connectors/sinks/index.ts';
import type { Sent, Sink, SinkError } from '../../../../src/connectors/sinks/sink.ts';
import { NO_TRACING, type Tracing } from '../../../../src/core/tracing.ts';
import type { SinkEvent } from '../../../../src/jobs/events/contract/envelope.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';

export const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
export const NEW = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
export const FOREIGN = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

/** Call it once in a file. */
export function httpContext() {
  const toEnd: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of toEnd.splice(0).toReversed()) await end();
  });

  async function receiver(
    answer?: (response: ServerResponse, received: Received) => unknown,
  ): Promise<Receiver> {
    const started = await startReceiver(answer);
    toEnd.push(() => started.stop());
    return started;
  }

  /** A socket server that speaks no HTTP by itself. */
  async function rawReceiver(onData: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => onData(socket));
      toEnd.push(async () => socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    toEnd.unshift(async () => {
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/sluice`;
  }

  async function sinkOn(
    url: string,
    options: Partial<HttpSink> = {},
    secrets = [OLD],
    tracing: Tracing = NO_TRACING,
  ): Promise<Sink> {
    const sink = await openSink(
      {
        type: 'http',
        url,
        secrets: secrets.map((_, n) => `env:KEY_${n}`),
        timeout: '5s',
        concurrency: 4,
        retry: ['1s'],
        ...options,
      },
      {
        name: 'crm',
        secret: async (ref) => secrets[Number(ref.slice('env:KEY_'.length))] as string,
        baseDir: '/nowhere',
        log: () => undefined,
        tracing,
      },
    );
    toEnd.push(() => sink.close());
    return sink;
  }

  return { receiver, rawReceiver, sinkOn };
}

const never = () => new AbortController().signal;
export const send = async (sink: Sink, ...events: SinkEvent[]) =>
  await sink.send(events, { signal: never() });
export const errorOf = (sent: Sent | undefined) => (sent as { error: SinkError }).error;
