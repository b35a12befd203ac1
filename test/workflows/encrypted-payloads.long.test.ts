// What Temporal stores with a key in the configuration, and what happens to workflows while keys come and go.
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Client, type DataConverter, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, rootCause } from '@temporalio/common';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type EncryptionKey, readEncryptionKey } from '../../src/core/encryption/payload-keys.ts';
import { apiQueue } from '../../src/core/ids.ts';
import { FAILURE_CONVERTER_PATH } from '../../src/protect/codec/converter-path.ts';
import { createEncryptionCodec } from '../../src/protect/codec/encryption-codec.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes.ts';
import type { deliveryWatch } from '../../workflows/delivery-watch.ts';
import { connectTestTemporal, type TestTemporal } from '../support/temporal/temporal.ts';
import { until } from '../support/until.ts';

const CANARY = '5511987654321';
const DIST = dirname(inject('workflowBundlePath'));
const PLAIN = { codePath: join(DIST, 'workflow-bundle.js') };
const ENCRYPTED = { codePath: join(DIST, 'workflow-bundle-encrypted.js') };

const keyOf = (id: string) => readEncryptionKey(id, randomBytes(32).toString('base64'));
const OLD = keyOf('old');
const NEW = keyOf('new');
const converterOf = (...keys: [EncryptionKey, ...EncryptionKey[]]): DataConverter => ({
  payloadCodecs: [createEncryptionCodec(keys)],
  failureConverterPath: FAILURE_CONVERTER_PATH,
});

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
});
afterAll(() => temporal?.close());

interface Setting {
  readonly dataConverter: DataConverter;
  readonly workflowBundle: { codePath: string };
}

/** Workers whose activities receive and return the canary, and then do what `batch` does. */
async function startWorkers(
  taskQueue: string,
  { dataConverter, workflowBundle }: Setting,
  batch: () => object,
) {
  const common = { connection: temporal.nativeConnection, namespace: temporal.namespace, dataConverter };
  const begun = { run: CANARY, tokenKey: 'key', callsPerMinute: 120 };
  const workers = [
    await Worker.create({
      ...common,
      taskQueue,
      workflowBundle,
      activities: { beginDelivery: async () => begun },
    }),
    await Worker.create({
      ...common,
      taskQueue: apiQueue(taskQueue),
      activities: { deliveryBatch: async () => batch() },
    }),
  ];
  const running = workers.map((worker) => worker.run());
  return async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
  };
}

const clientOf = (dataConverter: DataConverter) =>
  new Client({ connection: temporal.connection, namespace: temporal.namespace, dataConverter });
const start = async (dataConverter: DataConverter, taskQueue: string) =>
  await clientOf(dataConverter).workflow.start<typeof deliveryWatch>('deliveryWatch', {
    taskQueue,
    workflowId: taskQueue,
    args: [{ account: 'acme' }],
    memo: { canary: CANARY },
  });
const refuse = (): never => {
  throw ApplicationFailure.nonRetryable(`${CANARY} is refused`, 'Refused', CANARY);
};
const finish = () => ({ nextMs: null, refused: null });

/** A run that ends with an error which contains the canary. */
async function failedRun(setting: Setting) {
  const taskQueue = temporal.taskQueue();
  const stop = await startWorkers(taskQueue, setting, refuse);
  const handle = await start(setting.dataConverter, taskQueue);
  const error = await handle.result().catch((thrown: unknown) => thrown);
  await stop();
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect(rootCause((error as WorkflowFailedError).cause)).toBe(`${CANARY} is refused`);
  const history = await handle.fetchHistory();
  const stored = Buffer.from(proto.temporal.api.history.v1.History.encode(history).finish());
  return { handle, history, stored };
}

describe('a history', () => {
  it('has inputs, results, memos and failures in clear without a key', async () => {
    const { stored } = await failedRun({ dataConverter: {}, workflowBundle: PLAIN });
    expect(stored.includes(CANARY)).toBe(true);
    expect(stored.includes(`${CANARY} is refused`)).toBe(true);
  });

  it('has none of them with a key; who has the key reads them all', async () => {
    const dataConverter = converterOf(NEW);
    const { handle, stored } = await failedRun({ dataConverter, workflowBundle: ENCRYPTED });
    expect(stored.includes(CANARY)).toBe(false);
    expect(stored.includes('is refused')).toBe(false);
    expect(stored.includes('binary/encrypted')).toBe(true);
    expect((await handle.describe()).memo).toEqual({ canary: CANARY });
  });

  it('replays with the next key first, and with the bundle for unencrypted histories', async () => {
    const { history, handle } = await failedRun({
      dataConverter: converterOf(OLD),
      workflowBundle: ENCRYPTED,
    });
    for (const workflowBundle of [ENCRYPTED, PLAIN])
      await Worker.runReplayHistory(
        { workflowBundle, dataConverter: converterOf(NEW, OLD) },
        history,
        handle.workflowId,
      );
  });
});

describe('an open workflow', () => {
  it('from before the encryption continues with a key', async () => {
    const taskQueue = temporal.taskQueue();
    const handle = await start({}, taskQueue);
    const setting = { dataConverter: converterOf(NEW), workflowBundle: ENCRYPTED };
    const stop = await startWorkers(taskQueue, setting, finish);
    await clientOf(converterOf(NEW)).workflow.getHandle(handle.workflowId).result();
    await stop();
  });

  it('waits for a worker that has its key, instead of failing', async () => {
    const taskQueue = temporal.taskQueue();
    const handle = await start(converterOf(OLD), taskQueue);
    const without = { dataConverter: converterOf(NEW), workflowBundle: ENCRYPTED };
    const stopFirst = await startWorkers(taskQueue, without, finish);
    const failed = await until('a task of the workflow has failed', async () =>
      (await handle.fetchHistory()).events?.find((event) => event.workflowTaskFailedEventAttributes),
    );
    expect(JSON.stringify(failed)).not.toContain(CANARY);
    await stopFirst();
    const both = { dataConverter: converterOf(NEW, OLD), workflowBundle: ENCRYPTED };
    const stop = await startWorkers(taskQueue, both, finish);
    await clientOf(converterOf(NEW, OLD)).workflow.getHandle(handle.workflowId).result();
    await stop();
  });
});
