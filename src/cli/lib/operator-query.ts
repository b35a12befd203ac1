// Runs operator queries: a worker answers from the ledger, so that they work while another process has the ledger open.

import { randomUUID } from 'node:crypto';
import {
  type Client,
  type Workflow,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  type WorkflowResultType,
} from '@temporalio/client';
import { TimeoutFailure } from '@temporalio/common';
import { type OperatorQueryKind, operatorQueryId, WORK_QUEUE } from '../../contracts/ids.ts';
import { CliError, EXIT } from './exit.ts';

/** An available worker answers at once. */
export const ANSWER_MS = 20_000;

/**
 * Runs a workflow that answers operators.
 * @param kind what the query is about
 * @param answerMs how long to wait for a worker
 * @throws CliError (unavailable) when no worker answers
 */
export async function queryOperator<T extends Workflow>(
  client: Client,
  kind: OperatorQueryKind,
  type: string,
  args: Parameters<T>,
  answerMs = ANSWER_MS,
): Promise<WorkflowResultType<T>> {
  try {
    // TypeScript does not know whether a generic workflow has arguments.
    return (await client.workflow.execute<Workflow>(type, {
      workflowId: operatorQueryId(kind, randomUUID()),
      taskQueue: WORK_QUEUE,
      workflowExecutionTimeout: answerMs,
      args,
    })) as WorkflowResultType<T>;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof TimeoutFailure)) throw error;
    throw noWorker(error, answerMs);
  }
}

/** Nobody answered in time. */
export function noWorker(cause: Error, answerMs = ANSWER_MS): CliError {
  return new CliError(
    EXIT.unavailable,
    `no worker answered within ${answerMs / 1000} s: start one with \`sluice dev\` or \`sluice worker\`, and see its log`,
    { cause },
  );
}

/** Whether the server says that a workflow runs now. */
export async function isRunning(handle: Pick<WorkflowHandle, 'describe'>): Promise<boolean> {
  try {
    return (await handle.describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
