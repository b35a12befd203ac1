// Why a campaign could not be planned, approved, started or steered, as the error that a command ends with.
import { WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { CliError, EXIT, exitCodeOfBlock } from '../lib/exit.ts';

/** By the type of the failure (activities/campaign/refusals.ts, audience/failures.ts, plan.ts). */
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

/** A refusal of the ledger or of the service as a CliError; any other error as it is. */
export function campaignRefusal(error: unknown): unknown {
  if (!(error instanceof WorkflowFailedError || error instanceof WorkflowUpdateFailedError)) return error;
  const root = rootOf(error);
  if (!(root instanceof ApplicationFailure)) return new CliError(EXIT.error, root.message, { cause: error });
  const { type, message } = root;
  const code = CODES[type ?? ''] ?? exitCodeOfBlock(type ?? '');
  // The codes of the service are what its documentation is searched for.
  const named =
    type?.startsWith('ERR_') === true && !message.includes(type) ? `${message} [${type}]` : message;
  return new CliError(code, named, { cause: error });
}

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}
