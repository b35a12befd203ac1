// A client that waits for the end of a run learns that it has not ended yet.
import { type Client, ServiceError } from '@temporalio/client';
import { expect, it, vi } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { createProgressReader } from '../../../../src/jobs/sync/operator/progress.ts';
import type { Summaries } from '../../../../src/jobs/sync/operator/summary.ts';

const grpcError = (code: number, details: string) =>
  new ServiceError('Failed to get Workflow execution history', {
    cause: Object.assign(new Error(details), { code, details, metadata: {} }),
  });

function clientWhoseWaitEndsWith(error: Error): Client {
  const handle = {
    describe: async () => ({
      status: { name: 'RUNNING' },
      runId: 'run-1',
      startTime: new Date('2026-11-23T10:00:00Z'),
      raw: {},
    }),
    result: vi.fn().mockRejectedValue(error),
    query: vi.fn().mockRejectedValue(new Error('no worker')),
  };
  return {
    workflow: { getHandle: () => handle },
    withDeadline: (_: number, work: () => unknown) => work(),
  } as unknown as Client;
}

/** It knows a worker that is alive. */
const LEDGER = {
  query: async () => [{ alive: 1, lastSeenAt: '2026-11-23T10:00:00Z', versions: [] }],
} as unknown as Database;

const read = (error: Error) =>
  createProgressReader(LEDGER, {} as Summaries).read(
    clientWhoseWaitEndsWith(error),
    { account: 'acme', sync: 'leads' },
    { waitMs: 1000 },
  );

it.each([
  ['by the clock of the client', grpcError(4, 'Deadline exceeded')],
  ['by the clock of the server, which cancels the call', grpcError(1, 'Call cancelled')],
])('a wait that ends %s shows a run that goes on', async (_, error) => {
  expect(await read(error)).toMatchObject({ state: 'running', end: null });
});

it('a wait that ends with another error fails', async () => {
  await expect(read(grpcError(13, 'internal'))).rejects.toThrow('Workflow execution history');
});
