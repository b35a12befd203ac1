// Turns a refused plan, approval, start or command of a campaign into the error that ends a command.
import { WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { CliError, EXIT, exitCodeOfBlock } from '../lib/exit.ts';

/** By failure type (activities/campaign/refusals.ts, audience/failures.ts, plan.ts). */
const CODES: Readonly<Record<string, number>> = {
  NO_SUCH_RUN: EXIT.notFound,
  SOURCE_NOT_FOUND: EXIT.notFound,
  SOURCE_DENIED: EXIT.auth,
  NOT_PLANNED: EXIT.conflict,
  PLAN_VOID: EXIT.conflict,
  PLAN_OVER: EXIT.conflict,
  NOT_APPROVED: EXIT.conflict,
  SAME_PERSON: EXIT.conflict,
  RUN_OPEN: EXIT.conflict,
  ANOTHER_RUN: EXIT.conflict,
  CAMPAIGN_CANCELLED: EXIT.conflict,
  CAMPAIGN_OVER: EXIT.conflict,
  NOT_RUNNING: EXIT.conflict,
  NOT_UNKNOWN: EXIT.conflict,
  NOTHING_TO_DO: EXIT.conflict,
  CONFIG: EXIT.usage,
  INVALID_COMMAND: EXIT.usage,
};

/** Turns a refusal of the ledger or of the service into a CliError; returns any other error unchanged. */
export function campaignRefusal(error: unknown): unknown {
  if (!(error instanceof WorkflowFailedError || error instanceof WorkflowUpdateFailedError)) return error;
  const root = rootOf(error);
  if (!(root instanceof ApplicationFailure)) return new CliError(EXIT.error, root.message, { cause: error });
  const { type, message } = root;
  const code = CODES[type ?? ''] ?? exitCodeOfBlock(type ?? '');
  // Users search the service's documentation for its codes.
  const named =
    type?.startsWith('ERR_') === true && !message.includes(type) ? `${message} [${type}]` : message;
  return new CliError(code, named, { cause: error });
}

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}
