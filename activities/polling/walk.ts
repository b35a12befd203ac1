// Walks down a list that is ordered by last update and changes meanwhile: which page to ask for next, whether a page
// joins what was read, and when to give up. API text, GET /v1/conversations.
//
// Conversations jump to the front while pages are read: what was unread slips down, and is read twice. Where some
// leave the list, what follows slips up, past the end of what was read. The order tells: a page whose first item is
// newer than the oldest that was read covers all that lies between. So windows overlap by at least one item.
import { windowOverlapping } from '../../src/api-client/page-cursor.ts';
import type { Walk } from '../../src/ledger/conversations/poll-progress.ts';

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

/** One page as the walk sees it, in the order of the list; instants in epoch milliseconds. */
export interface WalkPage {
  readonly items: readonly { readonly id: number; readonly at: number }[];
  /** Items that could not be read. */
  readonly invalid: number;
  readonly count: number;
  readonly hasMore: boolean;
}

export interface WalkGap {
  readonly code: 'LIST_GAP' | 'LIST_ENDLESS';
  readonly reason: string;
  readonly after: Date | null;
  readonly before: Date | null;
}

export interface WalkStep {
  readonly walk: Walk;
  readonly done: boolean;
  readonly gap: WalkGap | null;
}

/** @param floor epoch milliseconds; null: to the end of the list */
export function beginWalk(floor: number | null, pageSize: number): Walk {
  return {
    ...{ floor, top: null, window: { pageNumber: 1, pageSize }, size: Math.max(MIN_SIZE, pageSize) },
    ...{ oldest: null, ties: [], read: 0, count: 0, calls: 0, maxCalls: MAX_CALLS },
    ...{ back: 0, idle: 0, holes: 0, late: false, changed: 0, gaps: 0, rereads: null },
  };
}

export function step(before: Walk, page: WalkPage): WalkStep {
  const { window } = before;
  const length = page.items.length + page.invalid;
  const start = (window.pageNumber - 1) * window.pageSize;
  // A page that is short before the end: the service caps pages lower than was asked.
  const isShort = page.hasMore && length > 0 && length < window.pageSize;
  const isFirst = before.calls === 0;
  const size = isShort ? Math.min(before.size, length) : before.size;
  const walk: Walk = {
    ...before,
    size,
    calls: before.calls + 1,
    ...(isFirst ? firstOf(page, size) : {}),
  };
  const first = page.items[0];
  if (length === 0 && page.hasMore)
    return give(walk, 'LIST_ENDLESS', 'an empty page says that more follow', first?.at);
  if (walk.calls >= walk.maxCalls)
    return give(walk, 'LIST_ENDLESS', `the list did not end within ${walk.calls} pages`, first?.at);
  if (!joins(walk, page, start)) {
    if (walk.back < MAX_BACK) {
      const at = Math.max(0, start - size * 2 ** walk.back);
      const again = { pageNumber: Math.floor(at / size) + 1, pageSize: size };
      return { walk: { ...walk, window: again, back: walk.back + 1 }, done: false, gap: null };
    }
    if (walk.holes >= MAX_HOLES) return give(walk, 'LIST_ENDLESS', 'the list is in no order', first?.at);
    const reason = 'the pages of the list do not join: conversations between them may have been passed over';
    const next = advance({ ...walk, holes: walk.holes + 1 }, page, { start, length, isShort });
    return { ...next, gap: gapOf(walk, 'LIST_GAP', reason, first?.at) };
  }
  return advance(walk, page, { start, length, isShort });
}

function firstOf({ items, count }: WalkPage, size: number): Partial<Walk> {
  const top = items.reduce<number | null>((max, { at }) => (max === null || at > max ? at : max), null);
  // Overlap costs a sixth; the rest is room for steps back and for growth. From the first count only: a list that
  // grows as fast as it is read would move any other bound along.
  return { top, count, maxCalls: Math.min(MAX_CALLS, 20 + 8 * Math.ceil(count / size)) };
}

/** Does the page cover all that lies between its last item and what was read? */
function joins(walk: Walk, { items, invalid, count }: WalkPage, start: number): boolean {
  const { oldest, ties } = walk;
  if (start === 0 || oldest === null) return true;
  const first = items[0];
  // Without a single readable item nothing can be compared; an empty page lies behind the end of a list that has shrunk.
  if (first === undefined) return invalid > 0;
  if (first.at > oldest) return true;
  if (first.at === oldest && items.some(({ id, at }) => at === oldest && ties.includes(id))) return true;
  // No window overlaps: what would slip up is what has left the list.
  return start === walk.read && count >= walk.count;
}

function advance(
  walk: Walk,
  { items, count, hasMore }: WalkPage,
  { start, length, isShort }: { start: number; length: number; isShort: boolean },
): WalkStep {
  const last = items.at(-1);
  const oldest = last === undefined ? walk.oldest : Math.min(last.at, walk.oldest ?? last.at);
  const atEdge = items.filter(({ at }) => at === oldest).map(({ id }) => id);
  const older = oldest !== walk.oldest;
  const ties = older ? atEdge : [...new Set([...walk.ties, ...atEdge])];
  const isIdle = !older && ties.length === walk.ties.length && last !== undefined;
  // On the way forward again after a step back nothing older is to be expected.
  const idle = isIdle ? walk.idle + (walk.back === 0 ? 1 : 0) : 0;
  const stride = walk.back === 0 ? 2 ** idle - 1 : 0;
  // Of a page cut short behind the first one, nobody knows where it began.
  const fresh = items.filter(
    ({ id, at }) =>
      walk.oldest === null || at < walk.oldest || (at === walk.oldest && !walk.ties.includes(id)),
  );
  const read = isShort && start > 0 ? walk.read + fresh.length : start + length;
  const next: Walk = {
    ...walk,
    ...{ oldest, ties: ties.slice(-MAX_TIES), read, count, idle, back: isIdle ? walk.back : 0 },
    window: windowAt(read + walk.size * stride, walk.size),
  };
  const reached = walk.floor !== null && last !== undefined && last.at < walk.floor;
  if (reached || !hasMore) return { walk: next, done: true, gap: null };
  if (idle >= MAX_IDLE)
    return give(next, 'LIST_ENDLESS', 'one page after the other brings nothing new', last?.at);
  return { walk: next, done: false, gap: null };
}

/** The window that overlaps what was read and gets furthest; where none gets on, the one that begins behind it. */
function windowAt(offset: number, size: number): Walk['window'] {
  const window = windowOverlapping(offset, size);
  if (window.pageNumber * window.pageSize > offset) return window;
  return { pageNumber: Math.floor(offset / size) + 1, pageSize: size };
}

function gapOf(walk: Walk, code: WalkGap['code'], reason: string, at: number | undefined): WalkGap {
  const before = walk.oldest === null ? null : new Date(walk.oldest);
  const until = code === 'LIST_GAP' ? (at ?? null) : walk.floor;
  return { code, reason, after: until === null ? null : new Date(until), before };
}

function give(walk: Walk, code: WalkGap['code'], reason: string, at: number | undefined): WalkStep {
  return { walk, done: true, gap: gapOf(walk, code, reason, at) };
}
