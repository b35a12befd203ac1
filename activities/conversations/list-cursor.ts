// Cursor through a list that is ordered by last update and changes while it is read: which page to request next,
// whether a page joins what was read, and when to give up. API text, GET /v1/conversations.
//
// Conversations move to the front while pages are read, so unread ones move down and are read twice. If some leave
// the list, the ones after them move up into the part that was already read. The order shows this: a page whose first
// item is newer than the oldest one read covers everything between them. Therefore windows overlap by at least one
// item.

import type { ListCursor } from '../../src/jobs/conversations/store/poll-progress.ts';
import { windowOverlapping } from '../../src/service/api-client/page-cursor.ts';

/**
 * Smallest page size. Below it, some offsets have no overlapping window that advances. Only a service with a lower
 * cap uses less.
 */
const MIN_SIZE = 20;
/** Number of steps back to find where a page joins. Each is twice as far, so 31 pages are in reach. */
const MAX_BACK = 5;
/** A list with more gaps than this is not ordered at all. */
const MAX_HOLES = 3;
/** Number of pages in a row without an older item. After each, the next page is twice as far ahead. */
const MAX_IDLE = 8;
/** Upper limit of calls, also if the service reports a huge count. */
const MAX_CALLS = 20_000;
/** Number of remembered ids with the same instant; more than any overlap. */
const MAX_TIES = 300;

/** One page as the cursor sees it, in the order of the list. Instants are epoch milliseconds. */
export interface CursorPage {
  readonly items: readonly { readonly id: number; readonly at: number }[];
  /** Number of items that could not be read. */
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

/** @param floor epoch milliseconds; null reads to the end of the list */
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
  // A page that is short before the end of the list: the service caps pages below the requested size.
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
    return give(cursor, 'LIST_ENDLESS', 'the service returned an empty page with hasMore', first?.at);
  if (cursor.calls >= cursor.maxCalls)
    return give(cursor, 'LIST_ENDLESS', `the list did not end within ${cursor.calls} pages`, first?.at);
  if (!joins(cursor, page, start)) {
    if (cursor.back < MAX_BACK) {
      const at = Math.max(0, start - size * 2 ** cursor.back);
      const again = { pageNumber: Math.floor(at / size) + 1, pageSize: size };
      return { cursor: { ...cursor, window: again, back: cursor.back + 1 }, done: false, gap: null };
    }
    if (cursor.holes >= MAX_HOLES)
      return give(cursor, 'LIST_ENDLESS', 'the list is not ordered by last update', first?.at);
    const reason = 'the pages of the list do not join, so conversations between them may be missing';
    const next = advance({ ...cursor, holes: cursor.holes + 1 }, page, { start, length, isShort });
    return { ...next, gap: gapOf(cursor, 'LIST_GAP', reason, first?.at) };
  }
  return advance(cursor, page, { start, length, isShort });
}

function firstOf({ items, count }: CursorPage, size: number): Partial<ListCursor> {
  const top = items.reduce<number | null>((max, { at }) => (max === null || at > max ? at : max), null);
  // Overlap costs a sixth; the rest allows for steps back and growth. The limit uses the first count only: in a list
  // that grows as fast as it is read, any other limit would grow with it.
  return { top, count, maxCalls: Math.min(MAX_CALLS, 20 + 8 * Math.ceil(count / size)) };
}

/** True if the page covers everything between its last item and what was read. */
function joins(cursor: ListCursor, { items, invalid, count }: CursorPage, start: number): boolean {
  const { oldest, ties } = cursor;
  if (start === 0 || oldest === null) return true;
  const first = items[0];
  // Without a readable item nothing can be compared. An empty page is behind the end of a list that has shrunk.
  if (first === undefined) return invalid > 0;
  if (first.at > oldest) return true;
  if (first.at === oldest && items.some(({ id, at }) => at === oldest && ties.includes(id))) return true;
  // The windows do not overlap. Only items that left the list could have moved others up.
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
  // After a step back, no older item is expected on the way forward.
  const idle = isIdle ? cursor.idle + (cursor.back === 0 ? 1 : 0) : 0;
  const stride = cursor.back === 0 ? 2 ** idle - 1 : 0;
  // If a page after the first one is cut short, its start is unknown.
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
    return give(next, 'LIST_ENDLESS', `${MAX_IDLE} pages in a row show no new conversation`, last?.at);
  return { cursor: next, done: false, gap: null };
}

/**
 * The window that overlaps what was read and reaches furthest; if none advances, the one that begins right after it.
 */
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
