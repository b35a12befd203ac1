// Questions that a worker answers out of the ledger, so that they work beside whatever has the ledger open.
import { randomUUID } from 'node:crypto';
import { type Client, type Workflow, WorkflowFailedError, type WorkflowResultType } from '@temporalio/client';
import { TimeoutFailure } from '@temporalio/common';
import { WORK_QUEUE } from '../../workflows/policies.ts';
import { CliError, EXIT } from './exit.ts';

/** A worker that is there answers at once. */
export const ANSWER_MS = 20_000;

/**
 * Runs a workflow that answers operators.
 * @param desk first part of its id
 * @throws CliError (unavailable) when no worker answers
 */
export async function askDesk<T extends Workflow>(
  client: Client,
  desk: string,
  type: string,
  args: Parameters<T>,
): Promise<WorkflowResultType<T>> {
  try {
    // Of a workflow that is a type parameter TypeScript can't tell whether it has arguments.
    return (await client.workflow.execute<Workflow>(type, {
      workflowId: `${desk}/${randomUUID()}`,
      taskQueue: WORK_QUEUE,
      workflowExecutionTimeout: ANSWER_MS,
      args,
    })) as WorkflowResultType<T>;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof TimeoutFailure)) throw error;
    throw noWorker(error);
  }
}

/** Nobody answered in time. */
export function noWorker(cause: Error, before = ''): CliError {
  return new CliError(
    EXIT.unavailable,
    `${before}no worker answered within ${ANSWER_MS / 1000} s: start one with \`sluice dev\` or \`sluice worker\`, and see its log`,
    { cause },
  );
}
