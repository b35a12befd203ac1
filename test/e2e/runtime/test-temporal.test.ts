import { join } from 'node:path';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectTestTemporal, type TestTemporal } from '../../support/temporal/temporal.ts';

let one: TestTemporal;
let other: TestTemporal;

beforeAll(async () => {
  one = await connectTestTemporal({ searchAttributes: { SluiceRun: 'Keyword' } });
  other = await connectTestTemporal();
});
afterAll(async () => {
  await one.close();
  await other.close();
});

it('a test file runs workflows in its own namespace, unseen by another file', async () => {
  const workflowsPath = join(import.meta.dirname, 'fixtures/workflows.ts');
  const workflowBundle = await bundleWorkflowCode({ workflowsPath });
  for (const temporal of [one, other]) {
    const taskQueue = temporal.taskQueue('greet');
    const { nativeConnection: connection, namespace } = temporal;
    const worker = await Worker.create({ connection, namespace, taskQueue, workflowBundle });
    const greeting = await worker.runUntil(
      temporal.client.workflow.execute('greet', { workflowId: 'same-id', taskQueue, args: ['Bia'] }),
    );
    expect(greeting).toBe('hello Bia');
  }
  expect(one.taskQueue()).not.toBe(one.taskQueue());
});

it('a search attribute that a test asked for can be used at once', async () => {
  await one.client.workflow.start('greet', {
    workflowId: 'attributed',
    taskQueue: one.taskQueue(),
    searchAttributes: { SluiceRun: ['r1'] },
  });
  const { searchAttributes } = await one.client.workflow.getHandle('attributed').describe();
  expect(searchAttributes).toEqual({ SluiceRun: ['r1'] });
});
