// A Temporal server that answers, and has no such namespace.
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DOCTOR_SENTENCES } from '../../../src/operator/contract/doctor-sentences.ts';
import { startTemporal } from '../../../src/temporal/temporal-server.ts';

const server = new Server();
const bytes = (value: Buffer) => value;
let port = 0;

beforeAll(async () => {
  server.addService(
    {
      list: {
        path: '/temporal.api.workflowservice.v1.WorkflowService/ListWorkflowExecutions',
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes,
      },
    },
    {
      list: (_call: unknown, done: (error: object) => void) =>
        done({ code: status.NOT_FOUND, details: 'Namespace sluice is not found.' }),
    },
  );
  port = await new Promise<number>((bound, failed) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, found) =>
      error === null ? bound(found) : failed(error),
    ),
  );
});
afterAll(() => server.forceShutdown());

it('says to make the namespace, as the doctor does, and not to start the server', async () => {
  const address = `127.0.0.1:${port}`;
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'sluice' };
  await expect(
    startTemporal({ env, stateDir: '/nowhere', cacheDir: '/nowhere', say: () => undefined }),
  ).rejects.toThrow(
    `Temporal at ${address} can't be used: Namespace sluice is not found; ${DOCTOR_SENTENCES.FIX_NAMESPACE}`,
  );
});
