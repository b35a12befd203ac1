// Sends commands to a running poller, and describes its refusals.

import {
  type Client,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowUpdateHandle,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { type OperatorCommand } from '../../../workflows/messages.ts';
import { deadlineSignal } from '../../contracts/deadline.ts';
import { pollingIdentity } from '../../contracts/ids.ts';
import type { PollerName } from '../../contracts/wire/poll.ts';
import { CliError, EXIT, exitCodeOfBlock } from '../lib/exit.ts';
import { ANSWER_MS, isRunning, noWorker } from '../lib/operator-query.ts';

/** An active call ends first; its deadline is 30 s. */
const STOP_MS = 60_000;

/**
 * Sends an update and waits for its end, without a limit once the poller has it.
 * @param send begins the update, until it is accepted
 * @param answerMs how long to wait for a worker
 * @throws CliError when the poller does not run, no worker answers, or it refuses
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
 * @throws CliError when it does not run, or has not ended in time
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
    throw new CliError(
      EXIT.unavailable,
      `${asked}; none did within ${STOP_MS / 1000} s: start one with \`sluice dev\` or \`sluice worker\``,
      { cause: error },
    );
  }
}

function notRunning({ poller }: PollerName, cause?: Error): CliError {
  return new CliError(
    EXIT.notFound,
    `the poller "${poller}" is not running; \`sluice poll start ${poller}\` starts it`,
    { cause },
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
    return new CliError(EXIT.conflict, `"${name}" was stopped before it could answer: ${way}`, {
      cause: error,
    });
  }
  if (!(cause instanceof ApplicationFailure)) return error;
  if (cause.type === 'PAUSED') {
    const way = `\`sluice poll resume ${name}\` lets it go on`;
    return new CliError(EXIT.conflict, `${cause.message}: ${way}`, { cause: error });
  }
  if (cause.type === 'BLOCKED') {
    return new CliError(exitCodeOfBlock(cause.message), `"${name}" could not be polled: ${cause.message}`, {
      cause: error,
    });
  }
  return error;
}

/** Temporal's error for a workflow that ended before it answered. */
const isOver = (cause: unknown) =>
  cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow';
