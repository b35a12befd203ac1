// One page of conversations, of a poll or of the history before the first one: what differs from the ledger is to be read,
// and the cursor goes one page down.
import { UnexpectedShapeError } from '../../src/api-client/errors.ts';
import type { Conversation } from '../../src/api-client/schemas/conversation.ts';
import type { Page } from '../../src/api-client/shapes.ts';
import type { HistoryResult, PageResult, PollCall } from '../../src/contracts/wire/poll.ts';
import { countTodo, findConversations, saveListings } from '../../src/ledger/conversations/conversations.ts';
import {
  beginAt,
  endSweep,
  getProgress,
  type ListCursor,
  noteGap,
  type PollProgress,
  saveHistory,
  saveSweep,
} from '../../src/ledger/conversations/poll-progress.ts';
import {
  clearUnlisted,
  endReread,
  LISTING_UNREADABLE,
  unreadFloor,
} from '../../src/ledger/conversations/unread.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import { callApi } from '../shared/api-call.ts';
import { assumedBy, type Deps } from '../shared/deps.ts';
import { shapeReason } from '../shared/shape-refusal.ts';
import { beginCursor, type CursorStep, step } from './list-cursor.ts';
import { changeOf, listingOf } from './listing.ts';
import { blocked, isSystematic, listFailure, shapeOf } from './poll-failure.ts';

const LIST = '/v1/conversations';

/** Rows may be committed so many milliseconds after the instant they carry: polls overlap by that. */
const OVERLAP_MS = 10_000;

/**
 * Asks for the next page of the sweep under way, or for page 1 (API text, GET /v1/conversations). The first poll ever ends
 * with page 1, and leaves what is older to `historyPage`. "Now" is what that page shows, by the service's clock: all that is
 * on it was there before.
 * @param failures of calls in a row, should this one fail
 */
export async function pollPage(deps: Deps, call: PollCall, failures = 1): Promise<PageResult> {
  const { db } = deps;
  const progress = await getProgress(db, call);
  const { pageSize, from } = deps.poller(call.account, call.poller);
  const assumed = assumedBy(deps.account(call.account));
  const cursor = progress.sweep ?? begin(progress, pageSize, await rereadOf(db, call, assumed));
  const isFirst = progress.watermark === null;
  const fromNow = isFirst && from === 'now';
  const page = await askPage(deps, call, cursor, failures);
  refuseUnreadable(call, page, cursor, !isFirst, isFiltered(deps, call));
  return await db.transaction(async (tx) => {
    const { sweep, since, polls } = await getProgress(tx, call, 'for update');
    const result = async (done: boolean, changed: number) => {
      return { done, changed, todo: await countTodo(tx, call.account, call.poller) };
    };
    // Another attempt was quicker, and this page is older than what that one has saved.
    if (polls !== progress.polls || (sweep?.calls ?? 0) !== cursor.calls) return await result(false, 0);
    const newSince = fromNow ? Number.POSITIVE_INFINITY : (since?.getTime() ?? null);
    const changed = await compare(deps, tx, call, page, { since: newSince, isOld: false });
    const next = await settle(deps, tx, call, step(cursor, pageOf(page)), page, changed);
    if (!next.done && !isFirst) {
      await saveSweep(tx, call, next.cursor);
      return await result(false, changed);
    }
    const { top, changed: news, gaps, late } = next.cursor;
    if (fromNow) await beginAt(tx, call, top === null ? null : new Date(top + 1));
    else if (!next.done) await saveHistory(tx, call, { ...next.cursor, changed: 0 });
    // Of an empty list all is still to come, whatever the two clocks say.
    const empty = fromNow ? new Date(0) : since;
    const watermark = top === null ? empty : new Date(top);
    const settled = !isFirst && late && news === 0 && gaps === 0;
    if (cursor.rereads !== null) await endReread(tx, call, cursor.rereads);
    await endSweep(tx, call, { watermark, complete: gaps === 0, news: news > 0, settled });
    return await result(true, changed);
  });
}

/** Asks for the next older page (API text, GET /v1/conversations); polls of page 1 go on beside it. */
export async function historyPage(deps: Deps, call: PollCall, failures = 1): Promise<HistoryResult> {
  const { db } = deps;
  const { history: cursor } = await getProgress(db, call);
  if (cursor === null) return { done: true, found: 0 };
  const page = await askPage(deps, call, cursor, failures);
  refuseUnreadable(call, page, cursor, true, isFiltered(deps, call));
  return await db.transaction(async (tx) => {
    const { history, since } = await getProgress(tx, call, 'for update');
    // Another attempt was quicker.
    if (history?.calls !== cursor.calls) return { done: history === null, found: 0 };
    const found = await compare(deps, tx, call, page, { since: since?.getTime() ?? null, isOld: true });
    const next = await settle(deps, tx, call, step(cursor, pageOf(page)), page, found);
    await saveHistory(tx, call, next.done ? null : next.cursor);
    return { done: next.done, found };
  });
}

/**
 * Down to the watermark, and OVERLAP_MS below it until a poll that began so long after has found nothing there: else a bulk of
 * conversations that were updated at once would be read again with every poll.
 */
function begin(
  { watermark, since, settled, still_ms }: PollProgress,
  pageSize: number,
  reread: Reread | null,
): ListCursor {
  const late = still_ms !== null && still_ms > OVERLAP_MS;
  const below = settled ? 1 : -OVERLAP_MS;
  const floor = watermark === null ? (since?.getTime() ?? null) : watermark.getTime() + below;
  if (reread === null || watermark === null) return { ...beginCursor(floor, pageSize), late };
  const down = reread.floor === null || floor === null ? null : Math.min(floor, reread.floor.getTime());
  return { ...beginCursor(down, pageSize), late, rereads: reread.assumed };
}

/** Items of the list that were unread under other assumptions. */
interface Reread {
  readonly floor: Date | null;
  readonly assumed: string;
}

async function rereadOf(db: Queryable, call: PollCall, assumed: string): Promise<Reread | null> {
  const floor = await unreadFloor(db, call, assumed);
  return floor === undefined ? null : { floor, assumed };
}

/**
 * A page of which nothing is concluded, as the service shows conversations in another form.
 * @param isProven the list was read before
 * @param isFiltered only conversations of one connection were asked for
 * @throws ApplicationFailure that blocks the poller
 */
function refuseUnreadable(
  { account }: PollCall,
  { items, invalid, count, hasMore }: Page<Conversation>,
  { window }: ListCursor,
  isProven: boolean,
  isFiltered: boolean,
): void {
  if (isSystematic({ good: items.length, odd: invalid.length }, isProven))
    throw blocked(account, shapeOf(invalid, LIST), 'listConversations');
  const length = items.length + invalid.length;
  if (window.pageNumber > 1 || length >= count) return;
  // A count that ignores the filter proves nothing, unless there is no item at all.
  if (length > 0 && (hasMore || isFiltered)) return;
  const at = { method: 'GET', path: LIST, at: 'conversations', status: 200, requestId: null };
  const expected =
    length === 0
      ? `expected items, as count is ${count}`
      : `expected ${count} items or hasMore, as count is ${count}; the page has ${length}`;
  throw blocked(account, new UnexpectedShapeError({ ...at, expected }), 'listConversations');
}

function isFiltered({ poller }: Pick<Deps, 'poller'>, call: PollCall): boolean {
  return poller(call.account, call.poller).connection !== undefined;
}

/** One call of the API: the page that the cursor wants. */
async function askPage(
  deps: Deps,
  call: PollCall,
  cursor: ListCursor,
  failures: number,
): Promise<Page<Conversation>> {
  const { connection } = deps.poller(call.account, call.poller);
  const query = { ...cursor.window, ...(connection === undefined ? {} : { whatsappId: connection }) };
  try {
    const page = await callApi(
      ...([deps, deps.account(call.account), call.run, 'conversations:read'] as const),
      (client, options) => client.conversations.list(query, options),
    );
    return page as Page<Conversation>;
  } catch (error) {
    throw listFailure(deps, call, error, failures);
  }
}

/** @returns how many conversations of the page are to be read */
async function compare(
  deps: Pick<Deps, 'poller'>,
  tx: Queryable,
  call: PollCall,
  page: Page<Conversation>,
  options: { since: number | null; isOld: boolean },
): Promise<number> {
  const items = ofConnection(deps, call, page);
  const showsOwner = items.some(({ userId, owner }) => userId !== undefined || owner !== undefined);
  // Twice on one page, should that ever be, is what stands first: the newer one.
  const listings = new Map(items.toReversed().map((item) => [item.id, listingOf(item, showsOwner)]));
  await clearUnlisted(tx, call.account, [...listings.keys()]);
  const known = await findConversations(tx, call.account, [...listings.keys()]);
  const changes = [...listings.values()].flatMap(
    (listing) => changeOf(listing, known.get(listing.state.id), options) ?? [],
  );
  await saveListings(tx, call, changes);
  return changes.filter(({ todo }) => todo).length;
}

/** A service that does not know the parameter shows those of all connections. */
function ofConnection(
  { poller }: Pick<Deps, 'poller'>,
  { account, poller: name }: PollCall,
  { items }: Page<Conversation>,
): Conversation[] {
  const { connection } = poller(account, name);
  return items.filter((item) => connection === undefined || item.connection.id === connection);
}

function pageOf({ items, invalid, count, hasMore }: Page<Conversation>) {
  const places = items.map(({ id, updatedAt }) => ({ id, at: Date.parse(updatedAt) }));
  return { items: places, invalid: invalid.length, count, hasMore };
}

/** Writes down what may be missing, and counts it with what the page has brought. */
async function settle(
  deps: Pick<Deps, 'account'>,
  tx: Queryable,
  call: PollCall,
  { cursor, done, gap }: CursorStep,
  { invalid }: Page<Conversation>,
  changed: number,
): Promise<{ cursor: ListCursor; done: boolean }> {
  const assumed = assumedBy(deps.account(call.account));
  const floor = cursor.floor === null ? null : new Date(cursor.floor);
  for (const item of invalid) {
    const reason = `the list shows it in a form that can't be read: ${shapeReason(call.account, shapeOf([item], LIST))}`;
    const unread = { assumed, assumption: item.assumption, personKey: null, floor };
    await noteGap(tx, call, { code: LISTING_UNREADABLE, reason, conversation: item.id, unread });
  }
  if (gap !== null) await noteGap(tx, call, gap);
  const gaps = cursor.gaps + invalid.length + (gap === null ? 0 : 1);
  return { cursor: { ...cursor, changed: cursor.changed + changed, gaps }, done };
}
