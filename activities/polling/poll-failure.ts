// Errors of polling as failures: what is tried again, what holds the poller, what concerns one conversation alone.
import { ApplicationFailure } from '@temporalio/activity';
import { ApiError, UnexpectedShapeError } from '../../src/api-client/errors.ts';
import type { PollCall } from '../../src/contracts/poll.ts';
import type { RefusalDetails } from '../../src/contracts/run.ts';
import type { Deps } from '../deps.ts';
import {
  backoffMs,
  callReason,
  isRefusal,
  MAX_DOUBLINGS,
  namedFor,
  recordReason,
  refusal,
  refusalCode,
  refusalScope,
  toFailure,
} from '../failures.ts';
import { shapeRefusal } from '../shape-refusal.ts';

/** So often may an answer be in no form that can be read. */
export const MAX_UNREADABLE = 3;

/** Code of a conversation that the service lists no more. */
export const GONE = 'CONVERSATION_GONE';

/** The whole answer is in no form that can be read: once more. */
export function unreadable(error: UnexpectedShapeError, failures: number): ApplicationFailure {
  const { message } = error;
  return ApplicationFailure.create({
    ...{ message, type: 'UNEXPECTED_SHAPE', nextRetryDelay: Math.ceil(backoffMs(failures)) },
  });
}

/** A refusal of the list concerns the whole poller, whatever its code. */
export function listFailure(
  deps: Deps,
  { account, poller }: PollCall,
  error: unknown,
  failures: number,
): Error {
  const step = 'listConversations';
  namedFor(account, error);
  if (error instanceof UnexpectedShapeError) {
    if (failures < MAX_UNREADABLE) return unreadable(error, failures);
    return shapeRefusal(account, error, { scope: 'run', step });
  }
  if (isRefusal(error)) {
    const code = refusalCode(error);
    deps.log.warn({ account, poller, step, code }, 'the account refuses to list conversations');
    return refusal(code, callReason(error), { scope: 'run', step });
  }
  const failure = toFailure(error, step, Math.min(failures, MAX_DOUBLINGS));
  if ((failure as { type?: string }).type === 'INTERNAL')
    deps.log.error({ account, poller, step, err: error }, 'a poll failed');
  return failure;
}

/** Why one conversation can't be read while others can; null: that is not what the error says. */
export function concernsConversation(
  account: string,
  error: unknown,
): { code: string; reason: string } | null {
  if (!isRefusal(error)) return null;
  const code = refusalCode(error);
  if (code === 'ERR_NO_TICKET_FOUND') return { code: GONE, reason: 'the service knows it no more' };
  if (refusalScope(code, 'readMessages') !== 'record') return null;
  return { code, reason: recordReason(account, error) };
}

/** The service itself failed: over and over, it may be this conversation that makes it fail. */
export const isInternalError = (error: unknown) => error instanceof ApiError && error.status === 500;

/** Any other error of reading messages. */
export function readFailure(
  deps: Deps,
  { account, poller, conversation }: PollCall & { conversation: number },
  error: unknown,
  failures: number,
): Error {
  const step: RefusalDetails['step'] = 'readMessages';
  const failure = toFailure(error, step, failures);
  const { type = '' } = failure as { type?: string };
  const where = { account, poller, conversation, step };
  if (type === 'INTERNAL') deps.log.error({ ...where, err: error }, 'reading messages failed');
  else if (isRefusal(error)) deps.log.warn({ ...where, code: type }, 'the account refuses to show messages');
  return failure;
}
