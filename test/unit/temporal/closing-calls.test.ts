// Calls that Temporal refuses for now, while their connection closes.
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closingCalls } from '../../../src/temporal/closing-calls.ts';

const CANCELLED = 1;
const UNAVAILABLE = 14;

/** Asks its handler how to answer each call. */
let server: ReturnType<typeof createServer>;
let calls: number;
let onCall: (stream: ServerHttp2Stream) => void;

beforeEach(async () => {
  calls = 0;
  server = createServer();
  server.on('stream', (stream) => {
    calls++;
    onCall(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
});

const connect = (closing?: AbortSignal) =>
  Connection.lazy({
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    interceptors: closingCalls(closing),
  });
const unavailable = (stream: ServerHttp2Stream) =>
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': UNAVAILABLE },
    { endStream: true },
  );
const ask = (connection: Connection) =>
  connection.workflowService.getSystemInfo({}).then(
    () => 'answered',
    (error: { code?: number }) => error.code,
  );

describe('a call that Temporal refuses for now', () => {
  it('is tried again until an attempt succeeds', async () => {
    onCall = (stream) => {
      if (calls < 3) return unavailable(stream);
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': 0 }));
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.end(Buffer.alloc(5));
    };
    const connection = connect();
    expect(await ask(connection)).toBe('answered');
    expect(calls).toBe(3);
    await connection.close();
  });

  it('ends when its connection closes before the next attempt', async () => {
    const connection = connect();
    const closed = new Promise<void>((resolve) => {
      onCall = (stream) => {
        unavailable(stream);
        resolve(connection.close());
      };
    });
    expect(await ask(connection)).toBe(CANCELLED);
    await closed;
    expect(calls).toBe(1);
  });

  it('is not tried again after the shutdown began', async () => {
    const shutdown = new AbortController();
    onCall = (stream) => {
      shutdown.abort();
      unavailable(stream);
    };
    const connection = connect(shutdown.signal);
    expect(await ask(connection)).toBe(UNAVAILABLE);
    expect(calls).toBe(1);
    await connection.close();
  });
});

it('a call that begins after its connection closed fails', async () => {
  onCall = unavailable;
  const connection = connect();
  await connection.close();
  expect(await ask(connection)).toBe(CANCELLED);
  expect(calls).toBe(0);
});
