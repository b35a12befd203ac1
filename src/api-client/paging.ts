// Reads a whole paginated list that changes while it is read, as an iterator over its items (see page-cursor.ts).
import type { ApiResult, CallOptions } from './call.ts';
import { UnexpectedShapeError } from './errors.ts';
import { firstPage, nextPage, type Window } from './page-cursor.ts';
import type { InvalidItem, Page } from './shapes.ts';

export interface IterateOptions extends CallOptions {
  /**
   * Hears of each item that could not be read. Without it the iterator throws at its end, after all
   * good items, when there was one.
   */
  readonly onInvalid?: ((item: InvalidItem & Window) => void) | undefined;
}

/** A list that comes in pages. */
export interface PagedList<T> {
  /** Path template, for errors. */
  readonly endpoint: string;
  /** Largest page to ask for; 20 to `maxPageSize`. */
  readonly pageSize: number;
  readonly maxPageSize: number;
  /** What distinguishes items. */
  readonly keyOf: (item: T) => number | string;
  readonly fetchPage: (window: Window) => Promise<ApiResult<Page<T>>>;
  readonly onInvalid: IterateOptions['onInvalid'];
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
