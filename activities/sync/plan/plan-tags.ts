// Counts the tags that people of a dry run ask for and the account does not have. It compares them with the account's
// tags as last read, because a dry run makes no call.

import type { Queryable } from '../../../src/core/sql/database.ts';
import { nameTest, readCatalogAt } from '../../../src/core/store/catalog.ts';
import { waitingForTags } from '../../../src/core/store/people.ts';
import type { PlanTags } from '../../../src/jobs/sync/contract/plan.ts';
import type { RunRow } from '../../../src/jobs/sync/store/runs.ts';

/** Missing tags in the report, most wanted first. */
const LISTED = 100;
/** Different names that are counted. A mapping that takes tags from the wrong column has one name per person. */
const MAX_NAMES = 10_000;
/** Rows that are named of each tag. */
const ROWS = 5;

export class TagCounts {
  readonly #readAt: string | null;
  /** Null when the account's tags were never read. */
  readonly #exists: ((name: string) => boolean) | null;
  readonly #maxNames: number;
  readonly #names = new Map<string, { people: number; rows: readonly number[] }>();
  #wanted = 0;
  #without = 0;

  constructor(
    catalog: { readonly items: readonly { readonly name: string }[]; readonly readAt: string } | null,
    maxNames = MAX_NAMES,
  ) {
    this.#readAt = catalog?.readAt ?? null;
    this.#exists = catalog === null ? null : nameTest(catalog.items);
    this.#maxNames = maxNames;
  }

  /**
   * @param people negative for people who were counted before and are counted again later
   * @param rows the first rows of these people
   */
  add(names: readonly string[], people: number, rows: readonly number[]): void {
    if (names.length === 0) return;
    this.#wanted += people;
    const exists = this.#exists;
    if (exists === null) return;
    const missing = names.filter((name) => !exists(name));
    if (missing.length > 0) this.#without += people;
    for (const name of missing) {
      const counted = this.#names.get(name) ?? { people: 0, rows: [] };
      if (!this.#names.has(name) && this.#names.size >= this.#maxNames) continue;
      const others = counted.rows.filter((row) => !rows.includes(row));
      const first = people < 0 ? others : [...others, ...rows].toSorted((a, b) => a - b).slice(0, ROWS);
      this.#names.set(name, { people: counted.people + people, rows: first });
    }
  }

  report(): PlanTags {
    const missing = [...this.#names]
      .filter(([, { people }]) => people > 0)
      .map(([tag, { people, rows }]) => ({ tag, people, rows }))
      .sort((a, b) => b.people - a.people || (a.tag < b.tag ? -1 : 1));
    return {
      wanted: this.#wanted,
      readAt: this.#readAt,
      missing:
        this.#exists === null
          ? null
          : { tags: missing.length, people: this.#without, list: missing.slice(0, LISTED) },
    };
  }
}

/** Counts against the tags of the account as last read. */
export async function tagCountsOf(tx: Queryable, account: string): Promise<TagCounts> {
  return new TagCounts(await readCatalogAt(tx, account, 'tags'));
}

/** Adds people who have nothing else to do and wait for a tag. */
export async function addWaiting(tx: Queryable, run: RunRow, counts: TagCounts): Promise<void> {
  for (const { names, people, rows } of await waitingForTags(tx, run, ROWS)) counts.add(names, people, rows);
}
