// Reads one page of conversations, for a poll or for the history before the first poll. Conversations that differ
// from the ledger must be read, and the cursor moves one page down.

import type { Queryable } from '../../src/core/sql/database.ts';
import type { HistoryResult, PageResult, PollCall } from '../../src/jobs/conversations/contract/poll.ts';
import {
  countTodo,
  findConversations,
  saveListings,
} from '../../src/jobs/conversations/store/conversations.ts';
import {
  beginAt,
  endSweep,
  getProgress,
  type ListCursor,
  noteGap,
  type PollProgress,
  saveHistory,
  saveSweep,
} from '../../src/jobs/conversations/store/poll-progress.ts';
import {
  clearUnlisted,
  endReread,
  LISTING_UNREADABLE,
  unreadFloor,
} from '../../src/jobs/conversations/store/unread.ts';
import { UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import type { Conversation } from '../../src/service/api-client/schemas/conversation.ts';
import type { Page } from '../../src/service/api-client/shapes.ts';
import { callApi } from '../shared/api-call.ts';
import { assumedBy, type Deps } from '../shared/deps.ts';
import { shapeReason, shapeRefusal } from '../shared/failures.ts';
import { isForgotten, withoutPerson } from './erased.ts';
import { beginCursor, type CursorStep, step } from './list-cursor.ts';
import { changeOf, listingOf } from './listing.ts';
import { isSystematic, listFailure, shapeOf } from './poll-failure.ts';

const LIST = '/v1/conversations';

/** Rows may be committed this long after the instant that they carry, so polls overlap by it. */
const OVERLAP_MS = 10_000;

/**
 * Requests the next page of the current sweep, or page 1 (API text, GET /v1/conversations). The very first poll ends
 * with page 1 and leaves older pages to `historyPage`. "Now" is what that page shows, by the service's clock:
 * everything on it already existed.
 * @param failures number of failures in a row if this call fails
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
    // Another attempt was faster, so this page is outdated.
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
    // After an empty list everything is new, whatever the two clocks show.
    const empty = fromNow ? new Date(0) : since;
    const watermark = top === null ? empty : new Date(top);
    const settled = !isFirst && late && news === 0 && gaps === 0;
    if (cursor.rereads !== null) await endReread(tx, call, cursor.rereads);
    const { oldest } = next.cursor;
    const down = page.hasMore ? (oldest === null ? undefined : new Date(oldest)) : null;
    const readDownTo = gaps === 0 ? down : undefined;
    await endSweep(tx, call, { watermark, complete: gaps === 0, news: news > 0, settled, readDownTo });
    return await result(true, changed);
  });
}

/** Requests the next older page (API text, GET /v1/conversations). Polls of page 1 continue meanwhile. */
export async function historyPage(deps: Deps, call: PollCall, failures = 1): Promise<HistoryResult> {
  const { db } = deps;
  const { history: cursor } = await getProgress(db, call);
  if (cursor === null) return { done: true, found: 0 };
  const page = await askPage(deps, call, cursor, failures);
  refuseUnreadable(call, page, cursor, true, isFiltered(deps, call));
  return await db.transaction(async (tx) => {
    const { history, since } = await getProgress(tx, call, 'for update');
    // Another attempt was faster.
    if (history?.calls !== cursor.calls) return { done: history === null, found: 0 };
    const found = await compare(deps, tx, call, page, { since: since?.getTime() ?? null, isOld: true });
    const next = await settle(deps, tx, call, step(cursor, pageOf(page)), page, found);
    await saveHistory(tx, call, next.done ? null : next.cursor);
    return { done: next.done, found };
  });
}

/**
 * Begins a sweep down to the watermark. It goes OVERLAP_MS below it until a poll that began at least that much later
 * finds nothing there. Going below it with every poll would read conversations that were updated in bulk again and
 * again.
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

/** Items of the list that could not be read under other assumptions. */
interface Reread {
  readonly floor: Date | null;
  readonly assumed: string;
}

async function rereadOf(db: Queryable, call: PollCall, assumed: string): Promise<Reread | null> {
  const floor = await unreadFloor(db, call, assumed);
  return floor === undefined ? null : { floor, assumed };
}

/**
 * Refuses a page that shows conversations in another form, so that nothing is concluded from it.
 * @param isProven the list was read successfully before
 * @param isFiltered only conversations of one connection were requested
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
    throw shapeRefusal(account, shapeOf(invalid, LIST), 'listConversations');
  const length = items.length + invalid.length;
  if (window.pageNumber > 1 || length >= count) return;
  // A count that ignores the filter proves nothing, unless there are no items at all.
  if (length > 0 && (hasMore || isFiltered)) return;
  const at = { method: 'GET', path: LIST, at: 'conversations', status: 200, requestId: null };
  const expected =
    length === 0
      ? `expected items, because count is ${count}`
      : `expected ${count} items or hasMore, because count is ${count}; the page has ${length}`;
  throw shapeRefusal(account, new UnexpectedShapeError({ ...at, expected }), 'listConversations');
}

function isFiltered({ poller }: Pick<Deps, 'poller'>, call: PollCall): boolean {
  return poller(call.account, call.poller).connection !== undefined;
}

/** Requests the page that the cursor needs, with one API call. */
async function askPage(
  deps: Deps,
  call: PollCall,
  cursor: ListCursor,
  failures: number,
): Promise<Page<Conversation>> {
  const { connection } = deps.poller(call.account, call.poller);
  const query = { ...cursor.window, whatsappId: connection };
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

/** @returns the number of conversations on the page that must be read */
async function compare(
  deps: Pick<Deps, 'poller'>,
  tx: Queryable,
  call: PollCall,
  page: Page<Conversation>,
  options: { since: number | null; isOld: boolean },
): Promise<number> {
  const items = ofConnection(deps, call, page);
  const showsOwner = items.some(({ userId, owner }) => userId !== undefined || owner !== undefined);
  // If a conversation is on the page twice, the first entry counts, because it is newer.
  const listings = new Map(items.toReversed().map((item) => [item.id, listingOf(item, showsOwner)]));
  await clearUnlisted(tx, call.account, [...listings.keys()]);
  const known = await findConversations(tx, call.account, [...listings.keys()]);
  const changes = [...listings.values()].flatMap((listing) => {
    const row = known.get(listing.state.id);
    const change = changeOf(listing, row, options);
    if (change === null) return [];
    return row !== undefined && isForgotten(row) ? { ...change, listing: withoutPerson(listing) } : change;
  });
  await saveListings(tx, call, changes);
  return changes.filter(({ todo }) => todo).length;
}

/** Filters by connection, because a service that does not know the parameter returns all connections. */
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

/** Records what may be missing, and adds the page's counts to the cursor. */
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
    const reason = `the list shows the conversation in a form that can't be read: ${shapeReason(call.account, shapeOf([item], LIST))}`;
    const unread = { assumed, assumption: item.assumption, personKey: null, floor };
    await noteGap(tx, call, { code: LISTING_UNREADABLE, reason, conversation: item.id, unread });
  }
  if (gap !== null) await noteGap(tx, call, gap);
  const gaps = cursor.gaps + invalid.length + (gap === null ? 0 : 1);
  return { cursor: { ...cursor, changed: cursor.changed + changed, gaps }, done };
}
