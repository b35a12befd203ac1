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
import { type ApiError, UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import { assumedBy, type Deps } from '../shared/deps.ts';
import {
  callReason,
  MAX_DOUBLINGS,
  refusal,
  shapeReason,
  shapeRefusal,
  toFailure,
} from '../shared/failures.ts';
import { type Judgment, judge, MAX_INTERNAL_ERRORS } from '../shared/judge.ts';
import { importMessages, NOTHING, type Read, type ReadCall, type ReadOptions } from './import-messages.ts';
import { isStreak, MAX_UNREADABLE, unreadable } from './poll-failure.ts';

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
  const judged = judge(account, error, 'readMessages', Math.min(failures, MAX_DOUBLINGS));
  const alone = concernsConversation(judged);
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
    if (!isProven || isStreak(progress)) throw shapeRefusal(account, error, 'readMessages');
    const reason = `the response can't be read: ${shapeReason(account, error)}`;
    return await giveUp(
      deps,
      call,
      row,
      { code: 'UNREADABLE', reason, assumption: error.assumption },
      options,
    );
  }
  if (judged.kind === 'transient' && judged.isInternal) {
    const tries = await countTry(deps.db, account, conversation);
    if (tries < MAX_INTERNAL_ERRORS) throw toFailure(error, 'readMessages', tries);
    const reason = `the service returned an internal error ${MAX_INTERNAL_ERRORS} times; Sluice retries later`;
    await deps.db.transaction(async (tx) => {
      await lockReading(tx, call);
      await noteGap(tx, call, { code: 'HTTP_500', reason, conversation });
      await postponeReading(tx, account, conversation, POSTPONE_SECONDS);
    });
    return NOTHING;
  }
  const where = { account, poller: call.poller, conversation, step: 'readMessages' };
  if (judged.kind === 'transient' && judged.isOwn)
    deps.log.error({ ...where, err: error }, 'reading messages failed');
  if (judged.kind === 'refused')
    deps.log.warn({ ...where, code: judged.code }, 'the account refuses to show messages');
  throw judged.failure;
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
function concernsConversation(judged: Judgment): { code: string; reason: string } | null {
  if (judged.kind !== 'refused' || judged.code === 'UNEXPECTED_SHAPE') return null;
  const { code, reason, reach } = judged;
  if (code === 'ERR_NO_TICKET_FOUND')
    return { code: GONE, reason: 'the service no longer has the conversation' };
  return reach === 'record' ? { code, reason } : null;
}
