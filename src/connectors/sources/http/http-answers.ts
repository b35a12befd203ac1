// Reads what an answer says about the list: how many rows exist and whether more follow. An answer that says nothing
// never ends a list early.
import { at } from './json-path.ts';

interface Paths {
  readonly hasMore?: string | undefined;
  readonly total?: string | undefined;
}

/** Returns whether more rows follow after `read` rows. Null if the answer does not say. */
export function reportsMore(paths: Paths, body: unknown, read: number): boolean | null {
  const more = paths.hasMore === undefined ? undefined : readYes(at(body, paths.hasMore));
  if (more !== undefined) return more;
  const total = totalOf(paths, body);
  return total === null ? null : read < total;
}

/** Number of rows in the whole list, according to the answer. */
export function totalOf({ total: path }: Paths, body: unknown): number | null {
  const total = path === undefined ? undefined : at(body, path);
  const number = typeof total === 'string' && /^\d{1,15}$/.test(total) ? Number(total) : total;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : null;
}

/** Reads yes and no in the forms that APIs use. */
export function readYes(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 'true') return true;
  return value === 0 || value === 'false' ? false : undefined;
}
