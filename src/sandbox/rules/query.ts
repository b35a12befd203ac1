// Query parameters as the API text describes them: pages, comma-separated lists, single ids.

import type { PageSizes } from '../openapi/parameters.ts';

/** What was asked for by the names that the operation declares. */
export type Query = Pick<URLSearchParams, 'get' | 'getAll'>;

/** The text of a parameter; undefined when it is missing or empty. */
export function text(query: Query, name: string): string | undefined {
  const value = query.get(name);
  return value === null || value === '' ? undefined : value;
}

const integer = (value: string) => (/^\d{1,15}$/.test(value.trim()) ? Number(value) : Number.NaN);

/** A single id; NaN, which equals no id, when it is not an integer. */
export function singleId(query: Query, name: string): number | undefined {
  const value = text(query, name);
  return value === undefined ? undefined : integer(value);
}

/** A comma-separated list; a parameter that is given more than once counts as one list. */
export function csv(query: Query, name: string): ReadonlySet<string> | undefined {
  const values = query
    .getAll(name)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
  return values.length === 0 ? undefined : new Set(values);
}

/** A comma-separated list of ids; what is not an integer matches nothing. */
export function csvIds(query: Query, name: string): ReadonlySet<number> | undefined {
  const values = csv(query, name);
  return values === undefined ? undefined : new Set([...values].map(integer));
}

export interface Page {
  readonly number: number;
  readonly size: number;
}

/** API text, "Limits": 1-based, a size over the maximum is capped silently. */
export function page(query: Query, sizes: PageSizes): Page {
  const number = singleId(query, 'pageNumber') ?? 1;
  const size = singleId(query, 'pageSize') ?? sizes.default;
  return {
    number: number >= 1 ? number : 1,
    size: size >= 1 ? Math.min(size, sizes.max) : sizes.default,
  };
}

/** Pages counted from the end: page 1 holds the last rows; inside a page the order is that of `all`. */
export function pagedFromEnd<T>(all: readonly T[], { number, size }: Page) {
  const end = Math.max(0, all.length - (number - 1) * size);
  const start = Math.max(0, end - size);
  return { count: all.length, hasMore: start > 0, items: all.slice(start, end) };
}

/** One page of all that matched, with the two fields of every paginated response. */
export function paged<T>(all: readonly T[], { number, size }: Page) {
  const from = (number - 1) * size;
  return {
    count: all.length,
    hasMore: from + size < all.length,
    items: all.slice(from, from + size),
  };
}
