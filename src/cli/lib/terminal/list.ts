// Prints a list of any length: each page as it arrives, at the reader's pace.
import { openOutput } from './output.ts';
import { type Column, listOf } from './table.ts';

/** Maximum number of entries of one request. */
const PAGE = 1000;

export interface ListOf<T, C> {
  /** With it, one JSON object per line; without it, a table on a terminal, and cells separated by tabs elsewhere. */
  readonly json: boolean;
  readonly columns: readonly Column<T>[];
  /** @default everything */
  readonly limit?: number | undefined;
  /**
   * @param size maximum number of entries
   * @param from `next` of the page before
   */
  read(size: number, from: C | undefined): Promise<{ readonly items: readonly T[]; readonly next: C | null }>;
  /** Object of an entry's line. @default the entry */
  asJson?(item: T): object;
}

/**
 * Ends early when the reader has gone, as with `| head`.
 * @returns number of printed entries, and whether the list has more than `limit`
 */
export async function printList<T, C>(list: ListOf<T, C>): Promise<{ count: number; more: boolean }> {
  const { limit = Number.POSITIVE_INFINITY, asJson = (item: T) => item } = list;
  const output = openOutput(null);
  let count = 0;
  let next: C | null | undefined;
  let isWanted = true;
  for (let page = 0; isWanted && next !== null && count < limit; page++) {
    const found = await list.read(Math.min(PAGE, limit - count), next);
    count += found.items.length;
    next = found.next;
    const lines = list.json
      ? found.items.map((item) => JSON.stringify(asJson(item)))
      : listOf(list.columns, found.items, { page });
    for (const line of lines) isWanted &&= await output.write(`${line}\n`);
  }
  await output.close();
  return { count, more: next !== null };
}
