// What an operator reads when a poller ends while it is asked for something.
import { type Client, WorkflowUpdateFailedError, type WorkflowUpdateHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { commandPoller } from '../../../src/jobs/conversations/operator/command.ts';

const client = {
  workflow: { getHandle: () => ({}) },
  withDeadline: (_: unknown, work: () => unknown) => work(),
} as unknown as Client;

it.each([
  ['a cancelled handler', new CancelledFailure('Workflow cancelled')],
  ['a workflow that is over', ApplicationFailure.nonRetryable('gone', 'AcceptedUpdateCompletedWorkflow')],
])('a poller that is stopped while it is asked says so, and how to go on: %s', async (_, cause) => {
  const result = () => Promise.reject(new WorkflowUpdateFailedError('Workflow Update failed', cause));
  const send = async () => ({ result }) as unknown as WorkflowUpdateHandle<void>;
  await expect(commandPoller(client, { account: 'acme', poller: 'main' }, send)).rejects.toMatchObject({
    kind: 'conflict',
    message: '"main" was stopped before it could answer: continue with `sluice poll start main`',
  });
});
