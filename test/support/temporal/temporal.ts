// A test file's own corner of the run's Temporal server.
import { randomUUID } from 'node:crypto';
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { inject } from 'vitest';
import { closingCalls } from '../../../src/runtime/temporal/closing-calls.ts';
import {
  ensureSearchAttributes,
  type SearchAttributes,
} from '../../../src/runtime/temporal/temporal-health.ts';
// Brings the type of what the setup provides.
import type {} from '../runner/global-setup.ts';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

export interface TestTemporal {
  readonly connection: Connection;
  readonly client: Client;
  readonly nativeConnection: NativeConnection;
  /** Made for this caller: lists and counts see only its own workflows. */
  readonly namespace: string;
  /** A task queue name that nobody else has; `label` shows in logs. */
  taskQueue(label?: string): string;
  /** @throws Error when a call has not ended: nobody awaited it */
  close(): Promise<void>;
}

/** Connects to the run's server (projects `workflows` and `e2e`) with a new namespace; call it once a test file. */
export async function connectTestTemporal(
  options: { searchAttributes?: SearchAttributes } = {},
): Promise<TestTemporal> {
  const address = inject('temporalAddress');
  const namespace = `test-${randomUUID()}`;
  const calls = recordCalls();
  const connection = await Connection.connect({
    address,
    interceptors: [calls.interceptor, ...closingCalls()],
  });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await untilKnown(connection, namespace);
  await ensureSearchAttributes(address, namespace, options.searchAttributes ?? {}, { timeoutMs: 10_000 });
  const nativeConnection = await NativeConnection.connect({ address });
  return {
    connection,
    client: new Client({ connection, namespace }),
    nativeConnection,
    namespace,
    taskQueue: (label = 'queue') => `${label}-${randomUUID()}`,
    close: async () => {
      await nativeConnection.close();
      const open = calls.open();
      await connection.close();
      if (open.length > 0) throw new Error(`nobody awaited these calls: ${open.join(', ')}`);
    },
  };
}

/** Knows which calls have begun and not ended: their promises were dropped. */
function recordCalls(): { readonly interceptor: Interceptor; open(): string[] } {
  const open = new Map<object, string>();
  return {
    interceptor: (options, nextCall) => {
      const call = nextCall(options) as ReturnType<Interceptor>;
      const start = call.start.bind(call);
      call.start = (metadata, listener) => {
        open.set(call, options.method_definition.path);
        start(metadata, {
          ...listener,
          onReceiveStatus(status) {
            open.delete(call);
            listener?.onReceiveStatus?.(status);
          },
        });
      };
      return call;
    },
    open: () => [...open.values()],
  };
}

/** The frontend learns of a new namespace a moment after it was made. */
async function untilKnown(connection: Connection, namespace: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
