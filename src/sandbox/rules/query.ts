// Reads query parameters as the API text describes them: pages, comma-separated lists, single ids.

import type { PageSizes } from '../openapi/parameters.ts';

/** The query parameters that the operation declares. */
export type Query = Pick<URLSearchParams, 'get' | 'getAll'>;

/** Returns the text of a parameter, or undefined if it is missing or empty. */
export function text(query: Query, name: string): string | undefined {
  const value = query.get(name);
  return value === null || value === '' ? undefined : value;
}

const integer = (value: string) => (/^\d{1,15}$/.test(value.trim()) ? Number(value) : Number.NaN);

/** Returns a single id, or NaN, which equals no id, if it is not an integer. */
export function singleId(query: Query, name: string): number | undefined {
  const value = text(query, name);
  return value === undefined ? undefined : integer(value);
}

/** Reads a comma-separated list. A parameter that occurs more than once counts as one list. */
export function csv(query: Query, name: string): ReadonlySet<string> | undefined {
  const values = query
    .getAll(name)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
  return values.length === 0 ? undefined : new Set(values);
}

/** Reads a comma-separated list of ids. A value that is not an integer matches nothing. */
export function csvIds(query: Query, name: string): ReadonlySet<number> | undefined {
  const values = csv(query, name);
  return values === undefined ? undefined : new Set([...values].map(integer));
}

export interface Page {
  readonly number: number;
  readonly size: number;
}

/** API text, "Limits": pages count from 1, and a size above the maximum is silently capped. */
export function page(query: Query, sizes: PageSizes): Page {
  const number = singleId(query, 'pageNumber') ?? 1;
  const size = singleId(query, 'pageSize') ?? sizes.default;
  return {
    number: number >= 1 ? number : 1,
    size: size >= 1 ? Math.min(size, sizes.max) : sizes.default,
  };
}

/** Counts pages from the end: page 1 has the last rows. Within a page the order is that of `all`. */
export function pagedFromEnd<T>(all: readonly T[], { number, size }: Page) {
  const end = Math.max(0, all.length - (number - 1) * size);
  const start = Math.max(0, end - size);
  return { count: all.length, hasMore: start > 0, items: all.slice(start, end) };
}

/** Returns one page of the matching rows, with the two fields of every paginated response. */
export function paged<T>(all: readonly T[], { number, size }: Page) {
  const from = (number - 1) * size;
  return {
    count: all.length,
    hasMore: from + size < all.length,
    items: all.slice(from, from + size),
  };
}
