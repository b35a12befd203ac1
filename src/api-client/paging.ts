// Reads a whole paginated list that changes while it is read, without losing an item.
//
// Plain page numbers lose items: when one is removed from a page already read, its successors shift
// up and one slips over the page boundary unread; `count` does not tell when another was inserted.
// So consecutive reads overlap: page number and size are chosen so that each window starts before the
// end of the one before. A window that holds an item already seen has no gap before it, because
// inserts and removals keep the order of the rest. One that holds none steps back until it does.
// Costs 12–16 % more calls than reading without overlap (measured for 1,000 to 100,000 items).
import type { ApiResult, CallOptions } from './call.ts';
import { UnexpectedShapeError } from './errors.ts';
import type { InvalidItem, Page } from './shapes.ts';

/** The service's own caps of pageSize; a larger one is cut down without a word (API text, Limits). */
export const MAX_PAGE_SIZE = { conversations: 100, messages: 200, contacts: 100, cards: 100 } as const;
/** Below this some offsets (multiples of all smaller sizes) leave no overlapping window that gets on. */
const MIN_PAGE_SIZE = 20;

export interface IterateOptions extends CallOptions {
  /**
   * Hears of each item that could not be read. Without it the iterator throws at its end, after all
   * good items, when there was one.
   */
  readonly onInvalid?: ((item: InvalidItem & Window) => void) | undefined;
}

export interface Window {
  readonly pageNumber: number;
  readonly pageSize: number;
}

/** A list that comes in pages. */
export interface PagedList<T> {
  /** Path template, for errors. */
  readonly endpoint: string;
  /** Largest page to ask for; 20 to `maxPageSize`. */
  readonly pageSize: number;
  readonly maxPageSize: number;
  /** What tells items apart. */
  readonly keyOf: (item: T) => number | string;
  readonly fetchPage: (window: Window) => Promise<ApiResult<Page<T>>>;
  readonly onInvalid: IterateOptions['onInvalid'];
}

/** The window that reaches furthest and still starts before `offset`: for interval covers, greedy is best. */
export function windowOverlapping(offset: number, maxSize: number): Window {
  let best: Window = { pageNumber: 1, pageSize: maxSize };
  for (let pageSize = maxSize; pageSize >= 1; pageSize--) {
    const pageNumber = Math.max(1, Math.ceil(offset / pageSize));
    if (pageNumber * pageSize > best.pageNumber * best.pageSize) best = { pageNumber, pageSize };
  }
  return best;
}

/**
 * Items in the list's order, each id once. Every item that is in the list from the first call to the
 * last is yielded, as long as the list keeps its order; one that comes or goes meanwhile may or may
 * not be. When the list holds more than was seen at its end (new items, or old ones that jumped to the
 * front), the front is read again until a page brings nothing new.
 * Each step is one call of `fetchPage`; their number is bounded by the list's size.
 *
 * @throws UnexpectedShapeError when the pages do not come to an end, or, after all good items, when
 *   items could not be read and nobody listened.
 */
export async function* iteratePages<T>(list: PagedList<T>): AsyncGenerator<T, void, void> {
  const { endpoint, keyOf, fetchPage, onInvalid } = list;
  const seen = new Set<number | string>();
  let size = Math.max(MIN_PAGE_SIZE, Math.min(list.pageSize, list.maxPageSize));
  let window: Window = { pageNumber: 1, pageSize: size };
  let backStep = size;
  let calls = 0;
  let maxCalls = 0;
  let previousFirst: number | string | undefined;
  let repeats = 0;
  let invalid = 0;
  let firstInvalid: string | undefined;
  let atFrontAgain = false;

  while (true) {
    const { data, meta } = await fetchPage(window);
    const fail = (at: string, expected: string) => {
      const { status, requestId } = meta;
      return new UnexpectedShapeError({ method: 'GET', path: endpoint, at, expected, status, requestId });
    };
    const ids = [...data.items.map(keyOf), ...data.invalid.flatMap(({ id }) => (id === null ? [] : [id]))];
    const length = data.items.length + data.invalid.length;
    if (calls === 0) {
      // A first page that is short before the end: the service caps pages lower than we ask.
      if (data.hasMore && length > 0) size = Math.min(size, length);
      // Overlap costs a sixth; the rest is room for steps back and for growth. From the first count
      // only: a list that grows as fast as it is read would move any other bound along.
      maxCalls = 20 + 8 * Math.ceil(data.count / size);
    }
    calls += 1;
    if (calls > maxCalls) throw fail('hasMore', `expected the pages to end within ${maxCalls} calls`);

    const start = (window.pageNumber - 1) * window.pageSize;
    // Without a single readable id nothing can be matched; going on beats reading the same page for ever.
    const joined = start === 0 || ids.some((id) => seen.has(id)) || (length > 0 && ids.length === 0);
    if (!joined) {
      window = { pageNumber: Math.floor(Math.max(0, start - backStep) / size) + 1, pageSize: size };
      backStep *= 2;
      continue;
    }
    backStep = size;

    const known = seen.size;
    for (const item of data.invalid) {
      if (item.id !== null && seen.has(item.id)) continue;
      if (item.id !== null) seen.add(item.id);
      else invalid += 1;
      firstInvalid ??= item.path;
      onInvalid?.({ ...item, ...window });
    }
    for (const item of data.items) {
      const key = keyOf(item);
      if (seen.has(key)) continue;
      seen.add(key);
      yield item;
    }
    const news = seen.size > known;

    if (!data.hasMore || (atFrontAgain && !news)) {
      if (!atFrontAgain && data.count > seen.size + invalid) {
        atFrontAgain = true;
        window = { pageNumber: 1, pageSize: size };
        continue;
      }
      if (firstInvalid !== undefined && onInvalid === undefined) {
        throw fail(firstInvalid, 'not in the promised form');
      }
      return;
    }
    // The same page whatever number is asked for: no list shifts by exactly one window again and again.
    repeats = !news && ids[0] === previousFirst ? repeats + 1 : 0;
    previousFirst = ids[0];
    if (repeats >= 3) throw fail('hasMore', 'expected another page for another page number');
    window = windowOverlapping(start + length, size);
  }
}
