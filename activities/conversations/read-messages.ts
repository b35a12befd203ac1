// Reads one page of a conversation's messages, back to what is known. With the last page, one transaction publishes
// all new messages.

import {
  endForgetting,
  getConversation,
  lockReading,
  saveReading,
} from '../../src/jobs/conversations/store/conversations.ts';
import { knownMessages, stageMessages, takeStaged } from '../../src/jobs/conversations/store/messages.ts';
import { noteGap, type PollProgress } from '../../src/jobs/conversations/store/poll-progress.ts';
import { type Reading } from '../../src/jobs/conversations/store/rows.ts';
import {
  clearUnread,
  countUnread,
  isUnreadUnderOthers,
  noteRead,
} from '../../src/jobs/conversations/store/unread.ts';
import { UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import type { HistoryMessage } from '../../src/service/api-client/schemas/message.ts';
import type { Page } from '../../src/service/api-client/shapes.ts';
import { callApi } from '../shared/api-call.ts';
import { withSubject } from '../shared/call-scope.ts';
import { assumedBy, type Deps } from '../shared/deps.ts';
import { shapeReason, shapeRefusal } from '../shared/failures.ts';
import { isForgotten, isSinceErasure, mayImport } from './erased.ts';
import {
  importMessages,
  NOTHING,
  newestOf,
  putStatuses,
  type Read,
  type ReadCall,
  type ReadContext,
  type ReadOptions,
  statusChanges,
} from './import-messages.ts';
import { judge, type PageView, type Verdict, viewPage } from './message-page.ts';
import { noteOptOutReplies } from './opt-out-replies.ts';
import { isStreak, isSystematic, shapeOf } from './poll-failure.ts';
import { settleReadError } from './read-refusal.ts';

const MESSAGES = '/v1/conversations/{ticketId}/messages';

/** Number of restarts if the list shrinks while it is read. */
const MAX_RESTARTS = 3;
/** Number of pages in a row without a new message. */
const MAX_IDLE = 8;
const MAX_PAGES = 10_000;

/**
 * Reads the next page of a conversation (API text, GET /v1/conversations/{ticketId}/messages). New messages are
 * staged while older pages remain. With the last page all of them are published at once, oldest first.
 */
export async function readMessages(
  deps: Deps,
  call: ReadCall,
  options: ReadOptions,
  failures = 1,
): Promise<Read> {
  const { db } = deps;
  const row = await getConversation(db, call.account, call.conversation);
  if (row === null || (!row.todo && row.reading === null)) return NOTHING;
  const window = { page: row.reading?.page ?? 1, size: row.reading?.size ?? options.messagePageSize };
  const assumed = assumedBy(deps.account(call.account));
  let answer: Answer;
  try {
    const about = { person: row.personKey, conversation: call.conversation };
    answer = await withSubject(about, () => ask(deps, call, window));
  } catch (error) {
    return await settleReadError(deps, call, row, error, options, failures);
  }
  const deep = row.reading?.deep ?? (await isUnreadUnderOthers(db, call.account, call.conversation, assumed));
  return await db.transaction(async (tx) => {
    const { progress, now } = await lockReading(tx, call);
    // Another attempt was faster; keep what it has recorded.
    if (now === null || now.reading?.step !== row.reading?.step)
      return { ...NOTHING, done: now?.reading == null };
    return await takePage({ deps, tx, call, options, row, now, progress, assumed, deep }, window, answer);
  });
}

interface Answer {
  readonly page: Page<HistoryMessage>;
  /** Time of the service's clock. */
  readonly date: Date | null;
}

async function ask(
  deps: Deps,
  call: ReadCall,
  { page, size }: { page: number; size: number },
): Promise<Answer> {
  let date: Date | null = null;
  const data = await callApi(
    ...([deps, deps.account(call.account), call.run, 'messages:read'] as const),
    async (client, options) => {
      const query = { pageNumber: page, pageSize: size };
      const result = await client.conversations.messages(call.conversation, query, options);
      date = result.meta.date;
      return result;
    },
  );
  return { page: data as Page<HistoryMessage>, date };
}

async function takePage(
  context: PageContext,
  window: { page: number; size: number },
  { page, date }: Answer,
): Promise<Read> {
  const { tx, call, now, assumed, progress } = context;
  refuseUnreadable(call, page, window, { ...progress, isProven: progress.proven === assumed });
  const sent = page.items.filter(({ createdAt }) => isSinceErasure(now, createdAt));
  if (isForgotten(now)) {
    const written = sent.find(({ fromMe }) => !fromMe);
    if (written?.createdAt != null) {
      await endForgetting(tx, call, new Date(written.createdAt));
      return NOTHING;
    }
  }
  const optOutSinks = isForgotten(now) ? [] : await noteOptOutReplies(context, sent);
  const read = await takeItems(context, window, { page, date });
  return { ...read, sinks: [...read.sinks, ...optOutSinks] };
}

async function takeItems(
  context: PageContext,
  window: { page: number; size: number },
  { page, date }: Answer,
): Promise<Read> {
  const { tx, call, row, now, deep, assumed, progress } = context;
  const { account, conversation } = call;
  const before = row.reading !== null && row.reading.read > 0 ? row.reading : null;
  const view = viewPage(page, window, before);
  const newest = before?.newest ?? newestOf(page.items, date, row.item.lastMessage);
  const reading: Reading = {
    fingerprint: before?.fingerprint ?? row.fingerprint,
    newest,
    step: (row.reading?.step ?? 0) + 1,
    restarts: row.reading?.restarts ?? 0,
    idle: row.reading?.idle ?? 0,
    deep,
    odd: (before?.odd ?? 0) + page.invalid.length,
    ...nextWindow(page, window, view),
  };
  if (!view.joins && reading.restarts < MAX_RESTARTS) {
    await takeStaged(tx, account, conversation);
    const restart = {
      page: 1,
      read: 0,
      lookAlikes: { at: null, counts: {} },
      idle: 0,
      odd: 0,
      restarts: reading.restarts + 1,
    };
    await saveReading(tx, account, conversation, { ...reading, ...restart });
    return { ...NOTHING, done: false };
  }
  const keys = view.items.map(({ message }) => message.key);
  const aliases = view.items.flatMap(({ alias }) => alias ?? []);
  const known = await knownMessages(tx, account, conversation, [...keys, ...aliases]);
  const { since } = progress;
  const pruned = context.now.seen?.pruned ?? null;
  const bounds = { since: since?.getTime() ?? null, pruned: pruned === null ? null : Date.parse(pruned) };
  const verdict = judge(view, known, bounds, deep);
  const found = verdict.fresh.filter(({ message }) => mayImport(now, message.at));
  const statuses = await statusChanges(context, page.items, known.published);
  const idle = keys.every((key) => known.staged.has(key)) ? reading.idle + 1 : 0;
  const endless = page.hasMore && !verdict.reached && isEndless(page, reading, idle);
  await noteOddities(context, page, view, verdict, endless);
  if (page.hasMore && !verdict.reached && !endless) {
    await stageMessages(tx, account, conversation, found);
    await saveReading(tx, account, conversation, { ...reading, idle });
    return { ...NOTHING, done: false, sinks: await putStatuses(context, statuses) };
  }
  const fresh = found.map(({ message }) => message);
  if (reading.odd === 0 && reading.read > 0 && (deep || !page.hasMore))
    await clearUnread(tx, account, conversation);
  if (reading.odd === 0 && page.items.length > 0) await noteRead(tx, call, assumed);
  return await importMessages(context, { fresh, statuses, since: bounds.since, reading });
}

/** Context of a reading. */
interface PageContext extends ReadContext {
  readonly progress: PollProgress;
  /** Fingerprint of the assumptions in effect. */
  readonly assumed: string;
  /** True if part of the conversation could not be read under other assumptions. */
  readonly deep: boolean;
}

/**
 * Refuses a page that shows messages in another form, so that nothing is concluded from it.
 * @throws ApplicationFailure that blocks the poller
 */
function refuseUnreadable(
  { account }: ReadCall,
  { items, invalid, count }: Page<HistoryMessage>,
  window: { readonly page: number },
  { isProven, ...progress }: { readonly isProven: boolean; readonly unread_row: number },
): void {
  const sum = { good: items.length, odd: invalid.length };
  if (isSystematic(sum, isProven) || (sum.odd > 0 && isStreak(progress)))
    throw shapeRefusal(account, shapeOf(invalid, MESSAGES), 'readMessages');
  if (window.page > 1 || count === 0 || sum.good + sum.odd > 0) return;
  const at = { method: 'GET', path: MESSAGES, at: 'messages', status: 200, requestId: null };
  const expected = `expected items, because count is ${count}`;
  throw shapeRefusal(account, new UnexpectedShapeError({ ...at, expected }), 'readMessages');
}

/** The next page: right after what is read, or before that if messages arrive meanwhile. */
function nextWindow(page: Page<HistoryMessage>, window: { page: number; size: number }, view: PageView) {
  const { length, start, read, lookAlikes } = view;
  // A page that is short before the end of the list: the service caps pages below the requested size.
  const isShort = page.hasMore && length > 0 && length < window.size;
  const size = isShort && start === 0 ? length : window.size;
  return { page: Math.floor(read / size) + 1, size, count: page.count, read, lookAlikes };
}

function isEndless(page: Page<HistoryMessage>, { step, size }: Reading, idle: number): boolean {
  const most = Math.min(MAX_PAGES, 20 + 8 * Math.ceil(page.count / size));
  return page.items.length + page.invalid.length === 0 || idle >= MAX_IDLE || step >= most;
}

async function noteOddities(
  { tx, call, now, assumed }: PageContext,
  page: Page<HistoryMessage>,
  view: PageView,
  { isUndated }: Verdict,
  endless: boolean,
): Promise<void> {
  const { conversation, account } = call;
  const note = (code: string, reason: string) => noteGap(tx, call, { code, reason, conversation });
  if (!view.joins)
    await note('MESSAGES_GAP', 'messages were removed repeatedly while the conversation was read');
  if (endless) await note('MESSAGES_ENDLESS', 'the pages of its messages do not end');
  const [first] = page.invalid;
  if (first !== undefined) {
    await countUnread(tx, call, assumed);
    const reason = `a message of the conversation can't be read: ${shapeReason(account, shapeOf([first], MESSAGES))}`;
    const unread = { assumed, assumption: first.assumption, personKey: now.personKey, floor: null };
    await noteGap(tx, call, { code: 'UNREADABLE', reason, conversation, unread });
  }
  if (isUndated)
    await note(
      'UNDATED',
      'its messages show no time, so Sluice published the newest page, whatever the age of its messages',
    );
}
