// A part of the calls that a budget allows, as a bucket that fills evenly and is full at first: is the
// next call within it?

/** Calls saved up at most, in milliseconds of filling: a burst of news may use what a quiet time left. */
const SAVED_MS = 30_000;

export class Share {
  #calls = Number.POSITIVE_INFINITY;
  #at: number | null = null;

  /**
   * Takes one call out when there is one.
   * @param perMs calls a millisecond
   * @param now milliseconds of a clock that never goes back
   */
  take(perMs: number, now: number): boolean {
    const passed = this.#at === null ? 0 : now - this.#at;
    this.#at = now;
    this.#calls = Math.min(Math.max(1, perMs * SAVED_MS), this.#calls + passed * perMs);
    if (this.#calls < 1) return false;
    this.#calls -= 1;
    return true;
  }
}
