// A scripted server with a client for it, both gone after the test; and the error of a call that must fail.
import { afterEach, expect } from 'vitest';
import { MessagingClient, type MessagingClientOptions } from '../../../../src/service/api-client/index.ts';
import { type RawServer, type Reply, rawServer } from './raw-server.ts';

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

export async function setup(script: Reply[], over: Partial<MessagingClientOptions> = {}) {
  const server: RawServer = await rawServer(...script);
  const client = new MessagingClient({ baseUrl: server.baseUrl, token: 'svc_test_a', ...over });
  open.push(client, server);
  return { client, server };
}

export async function failure(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(Error);
  return outcome;
}
