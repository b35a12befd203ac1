// Reads a whole paginated list that changes while it is read, as an iterator over its items (see page-cursor.ts).
import type { ApiResult, CallOptions } from './call.ts';
import { UnexpectedShapeError } from './errors.ts';
import { firstPage, nextPage, type Window } from './page-cursor.ts';
import type { InvalidItem, Page } from './shapes.ts';

export interface IterateOptions extends CallOptions {
  /**
   * Called for each unreadable item. If it is missing, the iterator throws after the last readable item.
   */
  readonly onInvalid?: ((item: InvalidItem & Window) => void) | undefined;
}

/** A paginated list. */
export interface PagedList<T> {
  /** Path template, for errors. */
  readonly endpoint: string;
  /** Largest page to ask for; 20 to `maxPageSize`. */
  readonly pageSize: number;
  readonly maxPageSize: number;
  /** Identity of an item. */
  readonly keyOf: (item: T) => number | string;
  readonly fetchPage: (window: Window) => Promise<ApiResult<Page<T>>>;
  readonly onInvalid: IterateOptions['onInvalid'];
}

/**
 * Yields items in the list's order, each id once. It yields every item that is in the list from the first call to the
 * last, if the list keeps its order. An item added or removed meanwhile may be missing. If the list has more items than
 * were seen at its end (new ones, or old ones that jumped to the front), the front is read again until a page has
 * nothing new. Each step is one call of `fetchPage`; the list's size bounds their number.
 *
 * @throws UnexpectedShapeError if the pages do not end, or, after the last readable item, if an item was unreadable and
 *   `onInvalid` is missing
 */
export async function* iteratePages<T>(list: PagedList<T>): AsyncGenerator<T, void, void> {
  const { endpoint, keyOf, fetchPage, onInvalid } = list;
  const seen = new Set<number | string>();
  let cursor = firstPage(Math.min(list.pageSize, list.maxPageSize));
  let firstInvalid: InvalidItem | undefined;

  while (true) {
    const { pageNumber, pageSize } = cursor;
    const { data, meta } = await fetchPage({ pageNumber, pageSize });
    const fail = (at: string, expected: string, item?: InvalidItem) => {
      const { status, requestId } = meta;
      const { assumption, seen } = item ?? {};
      const where = { method: 'GET', path: endpoint, status, requestId };
      return new UnexpectedShapeError({ ...where, at, expected, assumption, seen });
    };
    const named = data.invalid.flatMap(({ id }) => (id === null ? [] : [id]));
    const ids = [...data.items.map(keyOf), ...named];
    const step = nextPage(cursor, {
      count: data.count,
      hasMore: data.hasMore,
      ids,
      nameless: data.invalid.length - named.length,
      known: new Set(ids.filter((id) => seen.has(id))).size,
    });
    if (step.take) {
      for (const item of data.invalid) {
        if (item.id !== null && seen.has(item.id)) continue;
        if (item.id !== null) seen.add(item.id);
        firstInvalid ??= item;
        onInvalid?.({ ...item, pageNumber, pageSize });
      }
      for (const item of data.items) {
        const key = keyOf(item);
        if (seen.has(key)) continue;
        seen.add(key);
        yield item;
      }
    }
    if (step.end === 'endless')
      throw fail('hasMore', `expected the pages to end; after ${step.cursor.step} calls they do not`);
    if (step.end !== null) {
      if (firstInvalid !== undefined && onInvalid === undefined)
        throw fail(firstInvalid.path, firstInvalid.expected, firstInvalid);
      return;
    }
    cursor = step.cursor;
  }
}
