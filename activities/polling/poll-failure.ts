// Errors of polling as failures: what is tried again, and what blocks the poller. One odd item among others is a gap, and the
// way in which the service shows all of them blocks. Nothing is concluded from what could not be read.
import { ApplicationFailure } from '@temporalio/activity';
import { UnexpectedShapeError } from '../../src/api-client/errors.ts';
import type { InvalidItem } from '../../src/api-client/shapes.ts';
import type { PollCall } from '../../src/contracts/wire/poll.ts';
import type { RefusalDetails } from '../../src/contracts/wire/run.ts';
import type { PollProgress } from '../../src/ledger/conversations/poll-progress.ts';
import type { Deps } from '../shared/deps.ts';
import {
  backoffMs,
  callReason,
  isRefusal,
  MAX_DOUBLINGS,
  namedFor,
  refusal,
  refusalCode,
  toFailure,
} from '../shared/failures.ts';
import { shapeRefusal } from '../shared/shape-refusal.ts';

/** More unreadable items than this are no exception. */
const MOST_ODD = 2;
/** Conversations in a row that could not be read. */
const MOST_IN_ROW = 4;
/** An answer that can't be read this many times in a row blocks. */
export const MAX_UNREADABLE = 3;

export interface PageSum {
  readonly good: number;
  readonly odd: number;
}

/**
 * Whether the unreadable items of a page show the form in which the service shows all items.
 * @param isProven others were read by the same assumptions before: then one that differs is odd
 */
export function isSystematic({ good, odd }: PageSum, isProven: boolean): boolean {
  if (odd === 0) return false;
  return odd > good && (!isProven || odd > MOST_ODD);
}

/** One more conversation that can't be read: do they follow one another by now? */
export function isStreak({ unread_row }: Pick<PollProgress, 'unread_row'>): boolean {
  return unread_row >= MOST_IN_ROW;
}

/** Names the first item that could not be read, and the override for it. */
export function shapeOf(
  invalid: readonly InvalidItem[],
  path: '/v1/conversations' | '/v1/conversations/{ticketId}/messages',
): UnexpectedShapeError {
  const [first] = invalid as readonly [InvalidItem, ...InvalidItem[]];
  const { expected, assumption, seen } = first;
  const at = first.path.replaceAll(/\[\d+\]/g, '[]');
  return new UnexpectedShapeError({
    method: 'GET',
    path,
    at,
    expected,
    status: 200,
    requestId: null,
    assumption,
    seen,
  });
}

/** The poller waits for an operator; it keeps its place. */
export function blocked(
  account: string,
  error: UnexpectedShapeError,
  step: RefusalDetails['step'],
): ApplicationFailure {
  return shapeRefusal(account, error, { scope: 'run', step });
}

/** The whole answer is in no form that can be read: once more. */
export function unreadable(error: UnexpectedShapeError, failures: number): ApplicationFailure {
  const { message } = error;
  return ApplicationFailure.create({
    message,
    type: 'UNEXPECTED_SHAPE',
    nextRetryDelay: Math.ceil(backoffMs(failures)),
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
