// A test file's own corner of the run's Temporal server.
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { inject } from 'vitest';
import { closingCalls } from '../../../src/temporal/closing-calls.ts';
import { ensureSearchAttributes, type SearchAttributes } from '../../../src/temporal/temporal-health.ts';
// Brings the type of what the setup provides.
import type {} from '../runner/global-setup.ts';

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
  const connection = await Connection.connect({
    address,
    interceptors: closingCalls(),
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
      await connection.close();
    },
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
