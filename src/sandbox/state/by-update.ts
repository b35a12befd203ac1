// Keeps conversations in the order of their last update, because a poller reads the newest page all day.
import type { Conversation } from './model.ts';

const before = (a: Conversation, b: Conversation) => a.updatedAt - b.updatedAt || a.id - b.id;

/**
 * Ascending by updatedAt, then id. The first read sorts, so loading a large state in any order costs one sort. After
 * that, a change costs two searches and two moves of memory.
 */
export class ByUpdate {
  readonly #all: () => readonly Conversation[];
  #sorted: Conversation[] | null = null;

  /** @param all The rows of the account in any order; read once. */
  constructor(all: () => readonly Conversation[]) {
    this.#all = all;
  }

  get rows(): readonly Conversation[] {
    this.#sorted ??= [...this.#all()].sort(before);
    return this.#sorted;
  }

  change(old: Conversation | undefined, row: Conversation): void {
    const sorted = this.#sorted;
    if (sorted === null) return;
    if (old !== undefined) sorted.splice(place(sorted, old), 1);
    sorted.splice(place(sorted, row), 0, row);
  }
}

/** Returns the position of the row, or where to insert it. */
function place(sorted: readonly Conversation[], row: Conversation): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(sorted[middle] as Conversation, row) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
