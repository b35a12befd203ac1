// What becomes of a conversation whose messages can't be read.
import { Context } from '@temporalio/activity';
import { UnexpectedShapeError } from '../../src/api-client/errors.ts';
import {
  type ConversationRow,
  countTry,
  getConversation,
  postponeReading,
} from '../../src/ledger/conversations.ts';
import { type Gap, getProgress, noteGap } from '../../src/ledger/poll-progress.ts';
import type { Deps } from '../deps.ts';
import { MAX_DOUBLINGS } from '../failures.ts';
import { MAX_INTERNAL_ERRORS } from '../record-step.ts';
import { importMessages } from './import-messages.ts';
import {
  concernsConversation,
  isInternalError,
  MAX_UNREADABLE,
  readFailure,
  unreadable,
} from './poll-failure.ts';
import { NOTHING, type Read, type ReadCall, type ReadOptions } from './sitting.ts';

/** A conversation that makes the service fail over and over is left alone for so long. */
const POSTPONE_SECONDS = 900;

/** @throws what the call is to be tried again for, or what holds the poller */
export async function settleReadError(
  deps: Deps,
  call: ReadCall,
  row: ConversationRow,
  error: unknown,
  options: ReadOptions,
): Promise<Read> {
  const { account, conversation } = call;
  const alone = concernsConversation(error);
  if (alone !== null) return await giveUp(deps, call, row, alone, options);
  if (error instanceof UnexpectedShapeError) {
    const tries = await countTry(deps.db, account, conversation);
    if (tries < MAX_UNREADABLE) throw unreadable(error, tries);
    const reason = `the answer is in no form that can be read: ${error.path}`;
    return await giveUp(deps, call, row, { code: 'UNREADABLE', reason }, options);
  }
  if (isInternalError(error)) {
    const tries = await countTry(deps.db, account, conversation);
    if (tries < MAX_INTERNAL_ERRORS) throw readFailure(deps, call, error, tries);
    const reason = `the service answered with an internal error ${MAX_INTERNAL_ERRORS} times; it is tried again later`;
    await deps.db.transaction(async (tx) => {
      await noteGap(tx, call, { code: 'HTTP_500', reason, conversation });
      await postponeReading(tx, account, conversation, POSTPONE_SECONDS);
    });
    return NOTHING;
  }
  throw readFailure(deps, call, error, Math.min(Context.current().info.attempt, MAX_DOUBLINGS));
}

/** What was read and not told yet is told, with the state of the conversation; then it is left alone until it changes. */
async function giveUp(
  deps: Deps,
  call: ReadCall,
  row: ConversationRow,
  gap: Pick<Gap, 'code' | 'reason'>,
  options: ReadOptions,
): Promise<Read> {
  const { account, poller, conversation } = call;
  deps.log.warn(
    { account, poller, conversation, code: gap.code },
    'messages of a conversation were not read',
  );
  return await deps.db.transaction(async (tx) => {
    const now = await getConversation(tx, account, conversation, 'for update');
    if (now === null || (!now.todo && now.reading === null)) return NOTHING;
    const since = (await getProgress(tx, call)).since?.getTime() ?? null;
    await noteGap(tx, call, { ...gap, conversation });
    const sitting = { deps, tx, call, options, row, now };
    return await importMessages(sitting, { fresh: [], statuses: [], since, reading: null });
  });
}
