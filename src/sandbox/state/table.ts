// Records of one kind in id order. A lookup by id is one step, a page is one slice.

/**
 * Rows are never removed, so a position stays valid. A change replaces the whole row. Each row costs one array slot and
 * one map entry besides the row itself.
 */
export class Table<T extends { readonly id: number }> {
  readonly #rows: T[] = [];
  readonly #position = new Map<number, number>();

  get size(): number {
    return this.#rows.length;
  }

  /** All rows by ascending id. Read only. */
  get rows(): readonly T[] {
    return this.#rows;
  }

  get(id: number): T | undefined {
    const position = this.#position.get(id);
    return position === undefined ? undefined : this.#rows[position];
  }

  /** Adds or replaces by id. O(1) for a known or a highest id. A new id below the highest shifts the rows above it. */
  put(row: T): void {
    const known = this.#position.get(row.id);
    if (known !== undefined) {
      this.#rows[known] = row;
      return;
    }
    let at = this.#rows.length;
    while (at > 0 && (this.#rows[at - 1] as T).id > row.id) at -= 1;
    this.#rows.splice(at, 0, row);
    for (let i = at; i < this.#rows.length; i += 1) this.#position.set((this.#rows[i] as T).id, i);
  }
}
