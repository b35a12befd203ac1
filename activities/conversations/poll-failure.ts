// Converts errors of polling to failures: some are retried, others block the poller. One unreadable item among
// readable ones is a gap. If the service shows most items in another form, the poller is blocked. Nothing is
// concluded from unreadable items.
import { ApplicationFailure } from '@temporalio/activity';
import type { PollCall } from '../../src/jobs/conversations/contract/poll.ts';
import type { PollProgress } from '../../src/jobs/conversations/store/poll-progress.ts';
import { UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import type { InvalidItem } from '../../src/service/api-client/shapes.ts';
import type { Deps } from '../shared/deps.ts';
import { backoffMs, MAX_DOUBLINGS } from '../shared/failures.ts';
import { judge } from '../shared/judge.ts';

/** Up to this many unreadable items are an exception. */
const MOST_ODD = 2;
/** Number of conversations in a row that could not be read. */
const MOST_IN_ROW = 4;
/** Number of unreadable responses in a row that block the poller. */
export const MAX_UNREADABLE = 3;

export interface PageSum {
  readonly good: number;
  readonly odd: number;
}

/**
 * True if the unreadable items of a page show that the service returns items in another form.
 * @param isProven items were read with the same assumptions before, so a single different item is an exception
 */
export function isSystematic({ good, odd }: PageSum, isProven: boolean): boolean {
  if (odd === 0) return false;
  return odd > good && (!isProven || odd > MOST_ODD);
}

/** True if too many conversations in a row could not be read. */
export function isStreak({ unread_row }: Pick<PollProgress, 'unread_row'>): boolean {
  return unread_row >= MOST_IN_ROW;
}

/** Error that names the first unreadable item, and the override for it. */
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

/** Failure for a response that can't be read at all; it is retried. */
export function unreadable(error: UnexpectedShapeError, failures: number): ApplicationFailure {
  const { message } = error;
  return ApplicationFailure.create({
    message,
    type: 'UNEXPECTED_SHAPE',
    nextRetryDelay: Math.ceil(backoffMs(failures)),
  });
}

/** Converts an error of the list. A refusal concerns the whole poller, whatever its code. */
export function listFailure(
  deps: Deps,
  { account, poller }: PollCall,
  error: unknown,
  failures: number,
): Error {
  const step = 'listConversations';
  const judged = judge(account, error, step, Math.min(failures, MAX_DOUBLINGS));
  if (error instanceof UnexpectedShapeError)
    return failures < MAX_UNREADABLE ? unreadable(error, failures) : judged.failure;
  if (judged.kind === 'refused')
    deps.log.warn({ account, poller, step, code: judged.code }, 'the account refuses to list conversations');
  if (judged.kind === 'transient' && judged.isOwn)
    deps.log.error({ account, poller, step, err: error }, 'a poll failed');
  return judged.failure;
}
