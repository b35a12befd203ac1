// Starts, steers and stops the workflows of pollers, and explains their refusals.
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowUpdateHandle,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { type OperatorCommand, wakeSignal } from '../../../../workflows/messages.ts';
import { deadlineSignal } from '../../../core/deadline.ts';
import { pollingIdentity } from '../../../core/ids.ts';
import { OperatorError } from '../../../operator/error.ts';
import { ANSWER_MS, isRunning, noWorker } from '../../../operator/service/workflows.ts';
import type { PollerName } from '../contract/poll.ts';

/** An active call ends first; its deadline is 30 s. */
const STOP_MS = 60_000;

/** Starts a poller. One that runs continues, with the current configuration of the workers. @returns whether it is new */
export async function startPoller(client: Client, poller: PollerName, taskQueue: string): Promise<boolean> {
  try {
    await client.workflow.start('conversationPolling', {
      ...pollingIdentity(poller),
      taskQueue,
      args: [poller],
    });
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await wakePoller(client, poller);
    return false;
  }
}

/** Wakes a blocked poller: the worker that has just started may have another configuration. */
export async function wakePoller(client: Client, poller: PollerName): Promise<void> {
  const handle = client.workflow.getHandle(pollingIdentity(poller).workflowId);
  await handle.signal(wakeSignal).catch((error: unknown) => {
    // It has ended meanwhile.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
}

/**
 * Sends an update and waits for its end, without a limit once the poller has it.
 * @param send begins the update, until it is accepted
 * @param answerMs how long to wait for a worker
 * @throws OperatorError when the poller does not run, no worker answers, or it refuses
 */
export async function commandPoller(
  client: Client,
  poller: PollerName,
  send: (handle: WorkflowHandle) => Promise<WorkflowUpdateHandle<void>>,
  answerMs = ANSWER_MS,
): Promise<void> {
  const handle = client.workflow.getHandle(pollingIdentity(poller).workflowId);
  try {
    const accepted = await client.withDeadline(Date.now() + answerMs, () => send(handle));
    await accepted.result();
  } catch (error) {
    throw explained(error, poller, answerMs);
  }
}

/**
 * Cancels the workflow and waits until it has ended. The ledger keeps its position, so that a later start continues
 * there.
 * @throws OperatorError when it does not run, or has not ended in time
 */
export async function stopPoller(
  client: Client,
  poller: PollerName,
  { by, reason }: OperatorCommand,
): Promise<void> {
  const { workflowId } = pollingIdentity(poller);
  // The server silently accepts a second cancel request for a workflow that has ended.
  const handle = client.workflow.getHandle(workflowId);
  if (!(await isRunning(handle))) throw notRunning(poller);
  await client.workflowService.requestCancelWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    identity: by,
    reason: `stopped by ${by}${reason === '' ? '' : `: ${reason}`}`,
  });
  const given = deadlineSignal(STOP_MS);
  try {
    await client.withAbortSignal(given, () => handle.result());
  } catch (error) {
    if (error instanceof WorkflowFailedError) return;
    if (!given.aborted) throw error;
    const asked = `"${poller.poller}" was asked to stop, and ends as soon as a worker has it`;
    throw new OperatorError(
      'unavailable',
      `${asked}; none did within ${STOP_MS / 1000} s: start one with \`sluice dev\` or \`sluice worker\``,
      { code: 'NO_WORKER', cause: error },
    );
  }
}

function notRunning({ poller }: PollerName, cause?: Error): OperatorError {
  return new OperatorError(
    'notFound',
    `the poller "${poller}" is not running; \`sluice poll start ${poller}\` starts it`,
    { code: 'NOT_RUNNING', cause },
  );
}

function explained(error: unknown, poller: PollerName, answerMs: number): unknown {
  if (error instanceof WorkflowNotFoundError) return notRunning(poller, error);
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return noWorker(error, answerMs);
  if (!(error instanceof WorkflowUpdateFailedError)) return error;
  const { cause } = error;
  const name = poller.poller;
  if (cause instanceof CancelledFailure || isOver(cause)) {
    const way = `continue with \`sluice poll start ${name}\``;
    return new OperatorError('conflict', `"${name}" was stopped before it could answer: ${way}`, {
      code: 'STOPPED',
      cause: error,
    });
  }
  if (!(cause instanceof ApplicationFailure)) return error;
  if (cause.type === 'PAUSED') {
    const way = `\`sluice poll resume ${name}\` lets it go on`;
    return new OperatorError('conflict', `${cause.message}: ${way}`, { code: 'PAUSED', cause: error });
  }
  if (cause.type === 'BLOCKED') {
    // The message begins with the code of the refusal.
    const [code = 'BLOCKED'] = /^[A-Z][A-Z0-9_]+/.exec(cause.message) ?? [];
    return new OperatorError('conflict', `"${name}" could not be polled: ${cause.message}`, {
      code,
      cause: error,
    });
  }
  return error;
}

/** Temporal's error for a workflow that ended before it answered. */
const isOver = (cause: unknown) =>
  cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow';
