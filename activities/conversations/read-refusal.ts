// Handles a conversation whose messages can't be read.

import { countTry, lockReading, postponeReading } from '../../src/jobs/conversations/store/conversations.ts';
import {
  type Gap,
  getProgress,
  noteGap,
  type Unread,
} from '../../src/jobs/conversations/store/poll-progress.ts';
import { type ConversationRow } from '../../src/jobs/conversations/store/rows.ts';
import { countUnread } from '../../src/jobs/conversations/store/unread.ts';
import { ApiError, UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import { assumedBy, type Deps } from '../shared/deps.ts';
import {
  callReason,
  isRefusal,
  MAX_DOUBLINGS,
  namedFor,
  recordReason,
  refusal,
  refusalCode,
  refusalScope,
  toFailure,
} from '../shared/failures.ts';
import { shapeReason } from '../shared/shape-refusal.ts';
import { MAX_INTERNAL_ERRORS } from '../sync/record-step.ts';
import { importMessages, NOTHING, type Read, type ReadCall, type ReadOptions } from './import-messages.ts';
import { blocked, isStreak, MAX_UNREADABLE, unreadable } from './poll-failure.ts';

/** Code for a conversation that the service no longer lists. */
const GONE = 'CONVERSATION_GONE';

const BLOCKS = { scope: 'run', step: 'readMessages' } as const;
const IN_ROW = 'the service refuses several conversations in a row that it has just listed';

/** Delay before a conversation is read again that repeatedly makes the service fail. */
const POSTPONE_SECONDS = 900;

/** @throws a failure for which the call is retried, or which blocks the poller */
export async function settleReadError(
  deps: Deps,
  call: ReadCall,
  row: ConversationRow,
  error: unknown,
  options: ReadOptions,
  failures: number,
): Promise<Read> {
  const { account, conversation } = call;
  namedFor(account, error);
  const alone = concernsConversation(account, error);
  const progress =
    alone === null && !(error instanceof UnexpectedShapeError) ? null : await getProgress(deps.db, call);
  if (alone !== null && progress !== null) {
    if (isStreak(progress)) throw refusal(alone.code, `${callReason(error as ApiError)}: ${IN_ROW}`, BLOCKS);
    return await giveUp(deps, call, row, { ...alone, assumption: null }, options);
  }
  if (error instanceof UnexpectedShapeError && progress !== null) {
    const tries = await countTry(deps.db, account, conversation);
    if (tries < MAX_UNREADABLE) throw unreadable(error, tries);
    const isProven = progress.proven === assumedBy(deps.account(account));
    if (!isProven || isStreak(progress)) throw blocked(account, error, 'readMessages');
    const reason = `the response can't be read: ${shapeReason(account, error)}`;
    return await giveUp(
      deps,
      call,
      row,
      { code: 'UNREADABLE', reason, assumption: error.assumption },
      options,
    );
  }
  if (isInternalError(error)) {
    const tries = await countTry(deps.db, account, conversation);
    if (tries < MAX_INTERNAL_ERRORS) throw readFailure(deps, call, error, tries);
    const reason = `the service returned an internal error ${MAX_INTERNAL_ERRORS} times; Sluice retries later`;
    await deps.db.transaction(async (tx) => {
      await lockReading(tx, call);
      await noteGap(tx, call, { code: 'HTTP_500', reason, conversation });
      await postponeReading(tx, account, conversation, POSTPONE_SECONDS);
    });
    return NOTHING;
  }
  throw readFailure(deps, call, error, Math.min(failures, MAX_DOUBLINGS));
}

/**
 * Publishes what was read so far and the conversation's state. The conversation is read again only after it changes.
 */
async function giveUp(
  deps: Deps,
  call: ReadCall,
  row: ConversationRow,
  { assumption, ...gap }: Pick<Gap, 'code' | 'reason'> & Pick<Unread, 'assumption'>,
  options: ReadOptions,
): Promise<Read> {
  const { account, poller, conversation } = call;
  deps.log.warn(
    { account, poller, conversation, code: gap.code },
    'messages of a conversation could not be read',
  );
  return await deps.db.transaction(async (tx) => {
    const { progress, now } = await lockReading(tx, call);
    if (now === null || (!now.todo && now.reading === null)) return NOTHING;
    const since = progress.since?.getTime() ?? null;
    const assumed = assumedBy(deps.account(account));
    await countUnread(tx, call, assumed);
    // A conversation that no longer exists leaves nothing to read.
    const unread = { assumed, assumption, personKey: now.personKey, floor: null };
    await noteGap(tx, call, gap.code === GONE ? { ...gap, conversation } : { ...gap, conversation, unread });
    const context = { deps, tx, call, options, row, now };
    return await importMessages(context, { fresh: [], statuses: [], since, reading: null });
  });
}

/** Explains why one conversation can't be read while others can; null if the error does not concern a single one. */
function concernsConversation(account: string, error: unknown): { code: string; reason: string } | null {
  if (!isRefusal(error)) return null;
  const code = refusalCode(error);
  if (code === 'ERR_NO_TICKET_FOUND')
    return { code: GONE, reason: 'the service no longer has the conversation' };
  if (refusalScope(error, 'readMessages') !== 'record') return null;
  return { code, reason: recordReason(account, error) };
}

/** True for an internal error of the service. If it repeats, this conversation may be its cause. */
const isInternalError = (error: unknown) => error instanceof ApiError && error.status === 500;

/** Converts any other error of reading messages. */
function readFailure(
  deps: Deps,
  { account, poller, conversation }: ReadCall,
  error: unknown,
  failures: number,
): Error {
  const step = 'readMessages';
  const failure = toFailure(error, step, failures);
  const { type = '' } = failure as { type?: string };
  const where = { account, poller, conversation, step };
  if (type === 'INTERNAL') deps.log.error({ ...where, err: error }, 'reading messages failed');
  else if (isRefusal(error)) deps.log.warn({ ...where, code: type }, 'the account refuses to show messages');
  return failure;
}
