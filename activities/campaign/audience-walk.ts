// A walk over a paginated list that changes while it is read, one call of an activity a page, so that nothing is missed and
// it comes to an end. Page numbers alone lose items: what leaves a page that was read pulls another one over its edge, unread.
// So each page begins before the end of the last one (see windowOverlapping), and one that shares nothing with what was read
// is asked for again from further back.
import { MAX_PAGE_SIZE, windowOverlapping } from '../../src/api-client/paging.ts';

/** Where the walk is: kept in the ledger from page to page. */
export interface Walk {
  /** Pages read. */
  readonly step: number;
  readonly pageNumber: number;
  readonly pageSize: number;
  /** Largest page that the service gives. */
  readonly size: number;
  /** By how many items a page begins before the end of the last one: more, once one shared nothing with it. */
  readonly overlap: number;
  /** How far to go back, should the next page share nothing with what was read. */
  readonly back: number;
  /** No more pages than these. */
  readonly most: number;
  /** Different items so far, and those whose id could not even be read. */
  readonly seen: number;
  readonly nameless: number;
  /** First item of the last page, and how often in a row it brought nothing. */
  readonly first: number | null;
  readonly repeats: number;
  /** How often the list held more than was seen at its end: then its front is read again. */
  readonly rounds: number;
}

const SIZE = Math.min(MAX_PAGE_SIZE.cards, MAX_PAGE_SIZE.contacts);
/** A list at rest loses an eighth of its calls to an overlap of one. */
const OVERLAPS = { first: 1, next: 10 } as const;
const ROUNDS = 3;

export const FIRST_PAGE: Walk = {
  ...{ step: 0, pageNumber: 1, pageSize: SIZE, size: SIZE, overlap: OVERLAPS.first, back: OVERLAPS.next },
  ...{ most: 0, seen: 0, nameless: 0, first: null, repeats: 0, rounds: 0 },
};

/** What a page held. */
export interface WalkedPage {
  /** Items that match, on all pages. */
  readonly count: number;
  readonly hasMore: boolean;
  /** Ids of its items, those that could not be read besides. */
  readonly ids: readonly number[];
  readonly nameless: number;
  /** How many different ones of them were read before. */
  readonly known: number;
}

export interface WalkStep {
  /** Whether the page counts: else there is a gap before it. */
  readonly take: boolean;
  readonly walk: Walk;
  readonly done: boolean;
  /** The list did not hold still, or its pages do not end: something may be missing. */
  readonly unsteady: boolean;
}

/** What comes behind a page. */
export function walkOn(walk: Walk, page: WalkedPage): WalkStep {
  const length = page.ids.length + page.nameless;
  const isFirst = walk.step === 0;
  // A first page that is short before the end: the service caps pages lower than we ask.
  const size = isFirst && page.hasMore && length > 0 ? Math.min(walk.size, length) : walk.size;
  // Twice what a list in motion needs, and room for steps back; a list that grows as fast as it is read moves no bound.
  const most = isFirst ? 20 + 4 * Math.ceil(page.count / size) : walk.most;
  const onward = { ...walk, step: walk.step + 1, size, most };

  const start = (walk.pageNumber - 1) * walk.pageSize;
  // Without a single readable id nothing can be matched; going on beats reading the same page for ever.
  const take = start === 0 || page.known > 0 || (length > 0 && page.ids.length === 0);
  const isLast = onward.step >= most;
  if (!take) {
    const overlap =
      walk.overlap === OVERLAPS.first ? OVERLAPS.next : Math.min(Math.floor(size / 2), walk.overlap * 2);
    const earlier = { ...windowOverlapping(Math.max(1, start - walk.back), size), back: walk.back * 2 };
    return { take, walk: { ...onward, overlap, ...earlier }, done: isLast, unsteady: isLast };
  }

  const fresh = new Set(page.ids).size - page.known;
  const seen = walk.seen + fresh;
  const nameless = walk.nameless + (walk.rounds > 0 ? 0 : page.nameless);
  const taken = { ...onward, back: OVERLAPS.next, seen, nameless };
  const end = (unsteady: boolean): WalkStep => ({ take, walk: taken, done: true, unsteady });
  if (isLast) return end(true);
  if (!page.hasMore || (walk.rounds > 0 && fresh === 0)) {
    const missing = page.count > seen + nameless;
    if (!missing || walk.rounds === ROUNDS) return end(missing);
    const front = { ...taken, pageNumber: 1, pageSize: size, rounds: walk.rounds + 1 };
    return { take, walk: front, done: false, unsteady: false };
  }
  const first = page.ids[0] ?? null;
  const repeats = fresh === 0 && first === walk.first ? walk.repeats + 1 : 0;
  // The same page whatever number is asked for: no list shifts by exactly one page again and again.
  if (repeats >= 3) return end(true);
  const window = windowOverlapping(Math.max(1, start + length - walk.overlap + 1), size);
  return { take, walk: { ...taken, ...window, first, repeats }, done: false, unsteady: false };
}
