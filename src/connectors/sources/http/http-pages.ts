// Decides how to page through a list: what to request next, which entries are new, and where the list ends. It is pure,
// and its state goes into the cursor.
//
// Pages and offsets count from the top of the list. If rows above leave the list while it is read (a filter that they
// no longer match, an order by time of change), the rest moves up and some rows pass unread. So part of the list is
// read twice: whole pages for page numbers, because their edges are fixed, or the last rows before an offset. Entries
// are identified by a hash and returned once. Offsets guarantee that no row is missed, because each answer contains a
// row of the previous one. Page numbers guarantee it as long as the list moves in one direction at a time.
import { createHash } from 'node:crypto';
import { SourceError } from '../../../core/source.ts';
import type { HttpPagination, HttpSource } from './config.ts';
import { reportsMore } from './http-answers.ts';
import { tokenPager } from './http-tokens.ts';
import { at } from './json-path.ts';
import type { Listing, Pager, PageState, Taken } from './pager.ts';

/** Maximum number of times that a list may move by more than a page between two requests before the run fails. */
const MAX_BACK = 10;

const MAX_REPEATS = 3;

type Kind<T extends HttpPagination['type']> = Extract<HttpPagination, { type: T }>;

export function pagerOf(config: HttpSource): Pager {
  const { pagination } = config;
  switch (pagination.type) {
    case 'none':
      return {
        first: {},
        ask: () => ({ params: {} }),
        take: (_state, { items }) => ({ fresh: items, next: null }),
      };
    case 'page':
      return pagePager(pagination, config);
    case 'offset':
      return offsetPager(pagination, config);
    case 'cursor':
    case 'link':
      return tokenPager(pagination, config.url);
  }
}

interface PageAt {
  /** The page to read next, if `back` is null. */
  readonly page: number;
  /** The page to read again before it. */
  readonly back: number | null;
  readonly backs: number;
  /** The list ended with the page before `page`. */
  readonly ended: boolean;
  /** Number of rows in pages read forward. */
  readonly read: number;
  /** Number of consecutive identical pages. */
  readonly repeats: number;
  /** Hashes of the last page and of the one before. */
  readonly seen: readonly string[];
  readonly before: readonly string[];
}

function pagePager(pagination: Kind<'page'>, { url, id }: HttpSource): Pager {
  const { pageParam, start, sizeParam, size, recheck } = pagination;
  const first: PageAt = {
    page: start,
    back: null,
    backs: 0,
    ended: false,
    read: 0,
    repeats: 0,
    seen: [],
    before: [],
  };
  const onward = (place: PageAt): PageState | null =>
    place.ended ? null : { ...place, back: null, backs: 0 };

  const forward = (place: PageAt, listing: Listing): Taken => {
    const { items } = listing;
    const hashes = items.map((item) => identity(item, id));
    const repeats = countRepeats(hashes, place, url, pageParam);
    const reported = reportsMore(pagination, listing.body, place.read + items.length);
    const next: PageAt = {
      page: place.page + 1,
      back: recheck && place.page > start ? place.page - 1 : null,
      backs: 0,
      ended: reported === false || (reported === null && items.length === 0),
      read: place.read + items.length,
      repeats,
      seen: hashes,
      before: place.seen,
    };
    return { fresh: repeats > 0 ? [] : items, next: next.back === null ? onward(next) : { ...next } };
  };

  const again = (place: PageAt, back: number, { items }: Listing): Taken => {
    const known = new Set([...place.seen, ...place.before]);
    const fresh = items.filter((item) => !known.has(identity(item, id)));
    // No known row is left on it: the list moved by more than a page, so the missed rows are further up.
    if (fresh.length < items.length || back === start) return { fresh, next: onward(place) };
    if (place.backs >= MAX_BACK) throw moving(url);
    return { fresh, next: { ...place, back: back - 1, backs: place.backs + 1 } };
  };

  return {
    first: { ...first },
    ask(state) {
      const place = state as unknown as PageAt;
      return { params: { [pageParam]: place.back ?? place.page, ...sizeOf(sizeParam, size) } };
    },
    take(state, listing) {
      const place = state as unknown as PageAt;
      return place.back === null ? forward(place, listing) : again(place, place.back, listing);
    },
  };
}

interface OffsetAt {
  readonly offset: number;
  readonly backs: number;
  /** Number of rows of the previous page to read again. */
  readonly overlap: number;
  readonly repeats: number;
  /** Hashes of the last page. */
  readonly seen: readonly string[];
}

function offsetPager(pagination: Kind<'offset'>, { url, id }: HttpSource): Pager {
  const { offsetParam, sizeParam, size } = pagination;
  const first: OffsetAt = { offset: 0, backs: 0, overlap: 0, repeats: 0, seen: [] };
  return {
    first: { ...first },
    ask(state) {
      const { offset } = state as unknown as OffsetAt;
      return { params: { [offsetParam]: offset, ...sizeOf(sizeParam, size) } };
    },
    take(state, { items, body }) {
      const place = state as unknown as OffsetAt;
      const hashes = items.map((item) => identity(item, id));
      const repeats = countRepeats(hashes, place, url, offsetParam);
      const known = new Set(place.seen);
      const fresh = items.filter((_item, index) => !known.has(hashes[index] ?? ''));
      const anchored = place.overlap === 0 || place.offset === 0 || fresh.length < items.length;
      if (!anchored) {
        if (place.backs >= MAX_BACK) throw moving(url);
        const offset = Math.max(0, place.offset - place.seen.length);
        return { fresh, next: { ...place, offset, backs: place.backs + 1 } };
      }
      const reported = reportsMore(pagination, body, place.offset + items.length);
      if (reported === true && items.length === 0) {
        throw new SourceError('bad_answer', `source ${url}: it says that more rows follow, but returns none`);
      }
      if (reported === false || (reported === null && fresh.length === 0 && repeats === 0))
        return { fresh, next: null };
      // At least one row further, or the list would never end.
      const overlap = Math.max(0, Math.min(pagination.overlap, items.length - 1));
      const offset = place.offset + items.length - overlap;
      const next: OffsetAt = { offset, backs: 0, overlap, repeats, seen: hashes };
      return { fresh, next: { ...next } };
    },
  };
}

function sizeOf(param: string | undefined, size: number | undefined): Record<string, number> {
  return param === undefined || size === undefined ? {} : { [param]: size };
}

/** Identity of an entry: its value at `id`, or the whole entry. */
function identity(item: unknown, id: string | undefined): string {
  const own = id === undefined ? undefined : at(item, id);
  const text = own === undefined ? `all ${JSON.stringify(item)}` : `id ${JSON.stringify(own)}`;
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/**
 * All rows may have moved down by exactly one page. A server that ignores the parameter gives the same answer forever.
 * @throws SourceError `endless`
 */
function countRepeats(
  hashes: readonly string[],
  { seen, repeats }: { seen: readonly string[]; repeats: number },
  url: string,
  param: string,
): number {
  const same =
    hashes.length > 0 && hashes.length === seen.length && hashes.every((hash, index) => hash === seen[index]);
  if (!same) return 0;
  if (repeats < MAX_REPEATS) return repeats + 1;
  const message = `source ${url}: it answers with the same page again and again; check that the parameter is called ${JSON.stringify(param)}, or say with \`hasMore\` or \`total\` where the list ends`;
  throw new SourceError('endless', message);
}

function moving(url: string): SourceError {
  const message = `source ${url}: its pages have nothing in common with what was read just before; name with \`id\` what distinguishes rows, or page by cursor`;
  return new SourceError('endless', message);
}
