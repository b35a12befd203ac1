// Pages of a list. Whoever reads a page reads one row more than it has, which shows whether another page follows.

/**
 * @param rows up to `limit + 1` of them, or more
 * @param cursorOf cursor of the next page, from the last row of this one
 */
export function pageOf<Row, Cursor>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => Cursor,
): { readonly page: Row[]; readonly next: Cursor | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
