// Walks down a list that is ordered by last update and changes meanwhile: which page to ask for next, whether a page
// joins what was read, and when to give up. API text, GET /v1/conversations.
//
// Conversations jump to the front while pages are read: what was unread slips down, and is read twice. Where some
// leave the list, what follows slips up, past the end of what was read. The order tells: a page whose first item is
// newer than the oldest that was read covers all that lies between. So windows overlap by at least one item.
import { windowOverlapping } from '../../src/api-client/page-cursor.ts';
import type { ListCursor } from '../../src/ledger/conversations/poll-progress.ts';

/** Below this some offsets leave no overlapping window that gets on; only a service that caps lower gets less. */
const MIN_SIZE = 20;
/** Steps back before something older is found; each is twice as far, so that 31 pages lie in reach. */
const MAX_BACK = 5;
/** A list with so many gaps is in no order at all. */
const MAX_HOLES = 3;
/** Pages in a row that bring nothing older; each next one is asked for twice as far ahead. */
const MAX_IDLE = 8;
/** Even where a service counts without measure. */
const MAX_CALLS = 20_000;
/** So many ids of one instant are remembered: more than any overlap. */
const MAX_TIES = 300;

/** One page as the cursor sees it, in the order of the list; instants in epoch milliseconds. */
export interface CursorPage {
  readonly items: readonly { readonly id: number; readonly at: number }[];
  /** Items that could not be read. */
  readonly invalid: number;
  readonly count: number;
  readonly hasMore: boolean;
}

export interface CursorGap {
  readonly code: 'LIST_GAP' | 'LIST_ENDLESS';
  readonly reason: string;
  readonly after: Date | null;
  readonly before: Date | null;
}

export interface CursorStep {
  readonly cursor: ListCursor;
  readonly done: boolean;
  readonly gap: CursorGap | null;
}

/** @param floor epoch milliseconds; null: to the end of the list */
export function beginCursor(floor: number | null, pageSize: number): ListCursor {
  return {
    floor,
    top: null,
    window: { pageNumber: 1, pageSize },
    size: Math.max(MIN_SIZE, pageSize),
    oldest: null,
    ties: [],
    read: 0,
    count: 0,
    calls: 0,
    maxCalls: MAX_CALLS,
    back: 0,
    idle: 0,
    holes: 0,
    late: false,
    changed: 0,
    gaps: 0,
    rereads: null,
  };
}

export function step(before: ListCursor, page: CursorPage): CursorStep {
  const { window } = before;
  const length = page.items.length + page.invalid;
  const start = (window.pageNumber - 1) * window.pageSize;
  // A page that is short before the end: the service caps pages lower than was asked.
  const isShort = page.hasMore && length > 0 && length < window.pageSize;
  const isFirst = before.calls === 0;
  const size = isShort ? Math.min(before.size, length) : before.size;
  const cursor: ListCursor = {
    ...before,
    size,
    calls: before.calls + 1,
    ...(isFirst ? firstOf(page, size) : {}),
  };
  const first = page.items[0];
  if (length === 0 && page.hasMore)
    return give(cursor, 'LIST_ENDLESS', 'an empty page says that more follow', first?.at);
  if (cursor.calls >= cursor.maxCalls)
    return give(cursor, 'LIST_ENDLESS', `the list did not end within ${cursor.calls} pages`, first?.at);
  if (!joins(cursor, page, start)) {
    if (cursor.back < MAX_BACK) {
      const at = Math.max(0, start - size * 2 ** cursor.back);
      const again = { pageNumber: Math.floor(at / size) + 1, pageSize: size };
      return { cursor: { ...cursor, window: again, back: cursor.back + 1 }, done: false, gap: null };
    }
    if (cursor.holes >= MAX_HOLES) return give(cursor, 'LIST_ENDLESS', 'the list is in no order', first?.at);
    const reason = 'the pages of the list do not join: conversations between them may have been passed over';
    const next = advance({ ...cursor, holes: cursor.holes + 1 }, page, { start, length, isShort });
    return { ...next, gap: gapOf(cursor, 'LIST_GAP', reason, first?.at) };
  }
  return advance(cursor, page, { start, length, isShort });
}

function firstOf({ items, count }: CursorPage, size: number): Partial<ListCursor> {
  const top = items.reduce<number | null>((max, { at }) => (max === null || at > max ? at : max), null);
  // Overlap costs a sixth; the rest is room for steps back and for growth. From the first count only: a list that
  // grows as fast as it is read would move any other bound along.
  return { top, count, maxCalls: Math.min(MAX_CALLS, 20 + 8 * Math.ceil(count / size)) };
}

/** Does the page cover all that lies between its last item and what was read? */
function joins(cursor: ListCursor, { items, invalid, count }: CursorPage, start: number): boolean {
  const { oldest, ties } = cursor;
  if (start === 0 || oldest === null) return true;
  const first = items[0];
  // Without a single readable item nothing can be compared; an empty page lies behind the end of a list that has shrunk.
  if (first === undefined) return invalid > 0;
  if (first.at > oldest) return true;
  if (first.at === oldest && items.some(({ id, at }) => at === oldest && ties.includes(id))) return true;
  // No window overlaps: what would slip up is what has left the list.
  return start === cursor.read && count >= cursor.count;
}

function advance(
  cursor: ListCursor,
  { items, count, hasMore }: CursorPage,
  { start, length, isShort }: { start: number; length: number; isShort: boolean },
): CursorStep {
  const last = items.at(-1);
  const oldest = last === undefined ? cursor.oldest : Math.min(last.at, cursor.oldest ?? last.at);
  const atEdge = items.filter(({ at }) => at === oldest).map(({ id }) => id);
  const older = oldest !== cursor.oldest;
  const ties = older ? atEdge : [...new Set([...cursor.ties, ...atEdge])];
  const isIdle = !older && ties.length === cursor.ties.length && last !== undefined;
  // On the way forward again after a step back nothing older is to be expected.
  const idle = isIdle ? cursor.idle + (cursor.back === 0 ? 1 : 0) : 0;
  const stride = cursor.back === 0 ? 2 ** idle - 1 : 0;
  // Of a page cut short behind the first one, nobody knows where it began.
  const fresh = items.filter(
    ({ id, at }) =>
      cursor.oldest === null || at < cursor.oldest || (at === cursor.oldest && !cursor.ties.includes(id)),
  );
  const read = isShort && start > 0 ? cursor.read + fresh.length : start + length;
  const next: ListCursor = {
    ...cursor,
    oldest,
    ties: ties.slice(-MAX_TIES),
    read,
    count,
    idle,
    back: isIdle ? cursor.back : 0,
    window: windowAt(read + cursor.size * stride, cursor.size),
  };
  const reached = cursor.floor !== null && last !== undefined && last.at < cursor.floor;
  if (reached || !hasMore) return { cursor: next, done: true, gap: null };
  if (idle >= MAX_IDLE)
    return give(next, 'LIST_ENDLESS', 'one page after the other brings nothing new', last?.at);
  return { cursor: next, done: false, gap: null };
}

/** The window that overlaps what was read and gets furthest; where none gets on, the one that begins behind it. */
function windowAt(offset: number, size: number): ListCursor['window'] {
  const window = windowOverlapping(offset, size);
  if (window.pageNumber * window.pageSize > offset) return window;
  return { pageNumber: Math.floor(offset / size) + 1, pageSize: size };
}

function gapOf(
  cursor: ListCursor,
  code: CursorGap['code'],
  reason: string,
  at: number | undefined,
): CursorGap {
  const before = cursor.oldest === null ? null : new Date(cursor.oldest);
  const until = code === 'LIST_GAP' ? (at ?? null) : cursor.floor;
  return { code, reason, after: until === null ? null : new Date(until), before };
}

function give(
  cursor: ListCursor,
  code: CursorGap['code'],
  reason: string,
  at: number | undefined,
): CursorStep {
  return { cursor, done: true, gap: gapOf(cursor, code, reason, at) };
}
