// Turns a refused plan, approval, start or command of a campaign into the error of the operator API.
import {
  WorkflowFailedError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ErrorKind } from '../../../core/endpoint.ts';
import { OperatorError } from '../../../operator/error.ts';
import { noWorker } from '../../../operator/service/workflows.ts';

/** By failure type (activities/campaigns/refusals.ts, audience/failures.ts, plan.ts). */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  NO_SUCH_RUN: 'notFound',
  SOURCE_NOT_FOUND: 'notFound',
  SOURCE_DENIED: 'forbidden',
  NOT_PLANNED: 'conflict',
  PLAN_VOID: 'conflict',
  PLAN_OVER: 'conflict',
  PLAN_HAS_PROBLEMS: 'conflict',
  REPLIES_UNREAD: 'conflict',
  NOT_APPROVED: 'conflict',
  SAME_PERSON: 'conflict',
  UNIX_USER_UNLINKED: 'conflict',
  NOT_INDEPENDENT: 'conflict',
  RUN_OPEN: 'conflict',
  ANOTHER_RUN: 'conflict',
  CAMPAIGN_CANCELLED: 'conflict',
  CAMPAIGN_OVER: 'conflict',
  NOT_RUNNING: 'conflict',
  NOT_UNKNOWN: 'conflict',
  NOTHING_TO_DO: 'conflict',
  RESTORED: 'conflict',
  CONFIG: 'invalid',
  INVALID_COMMAND: 'invalid',
};

/** Turns a refusal of the ledger or of the service into an OperatorError; returns any other error unchanged. */
export function campaignRefusal(error: unknown, campaign = ''): unknown {
  if (error instanceof ApplicationFailure) return refusal(error, error);
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return noWorker(error);
  if (error instanceof WorkflowUpdateFailedError && isOver(error.cause))
    return new OperatorError(
      'conflict',
      `"${campaign}" ended before it could answer; see \`sluice campaign status ${campaign}\``,
      { code: 'CAMPAIGN_OVER', cause: error },
    );
  if (!(error instanceof WorkflowFailedError || error instanceof WorkflowUpdateFailedError)) return error;
  return refusal(rootOf(error), error);
}

function refusal(root: Error, cause: unknown): OperatorError {
  if (!(root instanceof ApplicationFailure)) return new OperatorError('failed', root.message, { cause });
  const { type, message } = root;
  const code = type ?? 'FAILED';
  // Users search the service's documentation for its codes.
  const text = code.startsWith('ERR_') && !message.includes(code) ? `${message} [${code}]` : message;
  const kind = KINDS[code] ?? (/^ERR_(?:TOKEN|SCOPE)_/.test(code) ? 'forbidden' : 'failed');
  return new OperatorError(kind, text, { code, cause });
}

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** Temporal's error for a workflow that ended or was canceled before it answered. */
const isOver = (cause: unknown) =>
  cause instanceof CancelledFailure ||
  (cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow');
