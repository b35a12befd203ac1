// Prints a list of any length: each page as it arrives, at the reader's pace.
import { openOutput } from './output.ts';

export interface ListOf<T, C> {
  /** With it, one JSON object per line; without it, `lines`. */
  readonly json: boolean;
  /** The lines of a page, which is counted from 0. */
  lines(items: readonly T[], page: number): readonly string[];
  /** @default everything */
  readonly limit?: number | undefined;
  /** Maximum number of entries of one request; null: one answer has them all. */
  readonly page: number | null;
  /**
   * @param size maximum number of entries
   * @param from `next` of the page before
   */
  read(size: number, from: C | undefined): Promise<{ readonly items: readonly T[]; readonly next: C | null }>;
  /** Object of an entry's line. @default the entry */
  asJson?: ((item: T) => object) | undefined;
}

/**
 * Ends early when the reader has gone, as with `| head`.
 * @returns number of printed entries, and whether the list has more than `limit`
 */
export async function printList<T extends object, C>(
  list: ListOf<T, C>,
): Promise<{ count: number; more: boolean }> {
  const { limit = Number.POSITIVE_INFINITY, asJson = (item: T) => item } = list;
  const output = openOutput(null);
  let count = 0;
  let next: C | null | undefined;
  let isWanted = true;
  for (let page = 0; isWanted && next !== null && count < limit; page++) {
    const found = await list.read(Math.min(list.page ?? limit, limit - count), next);
    count += found.items.length;
    next = found.next;
    const lines = list.json
      ? found.items.map((item) => JSON.stringify(asJson(item)))
      : list.lines(found.items, page);
    for (const line of lines) isWanted &&= await output.write(`${line}\n`);
  }
  await output.close();
  return { count, more: next !== null };
}
