// Checks sent messages with one API call, and records what the response or the error shows about each of them.
import type { DeliveryBatchInput } from '../../src/jobs/events/contract/delivery.ts';
import { type DueCheck, recordCheck, type Shown } from '../../src/jobs/events/store/delivery-checks.ts';
import { isSegment } from '../../src/service/api-client/arguments.ts';
import { UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import type { HistoryMessage } from '../../src/service/api-client/schemas/message.ts';
import { callApi } from '../shared/api-call.ts';
import { withSubject } from '../shared/call-scope.ts';
import type { Deps } from '../shared/deps.ts';
import { judge } from '../shared/judge.ts';

/** Largest page of a history (API text, Limits). */
const PAGE_SIZE = 200;
/** Number of failures after which a check is given up; the schedule brings the next one. */
const MAX_ATTEMPTS = 5;
/** Same calls as reading a message back, so refusals have the same scope. */
const STEP = 'readBackMessage' as const;

/**
 * Makes one check: GET /v1/messages/{messageId}/status, or GET /v1/conversations/{ticketId}/messages if that shows
 * several.
 * @param attempt 1 for the first
 */
export async function checkDelivery(
  deps: Deps,
  { account: name, run }: DeliveryBatchInput,
  due: DueCheck,
  { attempt, now }: { readonly attempt: number; readonly now: () => Date },
): Promise<void> {
  const { db, log } = deps;
  const account = deps.account(name);
  const check = askable(due);
  let shown: (messageId: string) => Shown;
  try {
    const conversation = 'conversation' in check ? check.conversation : check.shownIn;
    shown = await withSubject({ conversation }, () =>
      'message' in check ? readStatus(check) : readPage(check),
    );
  } catch (error) {
    const all = shownBy(error);
    shown = () => all;
  }
  await db.transaction((tx) => recordCheck(tx, account, check, shown, now()));

  async function readStatus(check: { message: string }) {
    const found = await callApi(deps, account, run, 'messages:read', (client, options) =>
      client.messages.status(check.message, options),
    );
    return (): Shown => found ?? 'nothing';
  }

  async function readPage(check: { conversation: number }) {
    const page = await callApi(deps, account, run, 'messages:read', (client, options) =>
      client.conversations.messages(check.conversation, { pageSize: PAGE_SIZE }, options),
    );
    const items = new Map(page?.items.map((item) => [item.id, item]));
    return (messageId: string): Shown => {
      const item = items.get(messageId);
      // An item that could not be read may be this message.
      if (item === undefined) return page?.invalid.length === 0 ? 'absent' : 'unshown';
      return statusOf(item);
    };
  }

  /**
   * Interprets an error for the messages that were searched for. Rethrows it as a failure if it does not concern them.
   */
  function shownBy(error: unknown): Shown {
    const judged = judge(name, error, STEP, attempt);
    if (judged.kind === 'passed') throw judged.failure;
    const isPage = 'conversation' in check;
    if (error instanceof UnexpectedShapeError) {
      log.warn({ account: name, at: error.path }, 'a check of a sent message shows no status');
      return isPage ? 'unshown' : 'nothing';
    }
    const { code } = judged;
    if (judged.kind === 'refused') {
      if (code === 'ERR_MESSAGE_NOT_FOUND') return 'absent';
      if (judged.reach === 'record') return isPage ? 'unshown' : { end: code };
      log.warn({ account: name, code }, 'the account refuses to show the status of messages');
      throw judged.failure;
    }
    if (judged.isOwn) log.error({ account: name, err: error }, 'a check of a sent message failed');
    else if (attempt >= MAX_ATTEMPTS) {
      log.warn(
        { account: name, attempt },
        'a check of a sent message failed repeatedly; it will be checked again on schedule',
      );
      return 'nothing';
    }
    throw judged.failure;
  }
}

/**
 * Some ids can't be part of a path (base64 with a slash). For such a message only the conversation's page shows the
 * status.
 */
function askable(due: DueCheck): DueCheck {
  if ('conversation' in due || due.shownIn === null || isSegment(due.message)) return due;
  return { conversation: due.shownIn };
}

/** Reads the fields that the assumptions message.statusField and message.ackField name. */
function statusOf(item: HistoryMessage): Shown {
  const { status, ack } = item;
  return status === null ? 'unshown' : { status, ack };
}
