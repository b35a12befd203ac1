// A Temporal client whose calls end when the process shuts down.
import { Client, Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import type { Shutdown } from '../shutdown.ts';

/**
 * Connects to a server; `shutdown` closes the connection. A call that is being retried at that moment must not be tried
 * again: on a closed channel the SDK throws from a timer, where no caller can catch it.
 */
export async function openClient(
  target: { address: string; namespace: string },
  shutdown: Shutdown,
): Promise<Client> {
  const retry = defaultGrpcRetryOptions();
  const connection = await Connection.connect({
    address: target.address,
    interceptors: [
      makeGrpcRetryInterceptor({
        ...retry,
        retryableDecider: (attempt, status) =>
          !shutdown.signal.aborted && retry.retryableDecider(attempt, status),
      }),
    ],
  });
  shutdown.add('client connection', () => connection.close());
  return new Client({ connection, namespace: target.namespace });
}
