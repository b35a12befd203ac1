// A share of the calls that a budget allows: a bucket that starts full and refills evenly. It decides whether the
// next call is within the share.

/** Maximum saved calls, in milliseconds of refilling. A burst may use what a quiet period left. */
const SAVED_MS = 30_000;

export class Share {
  #calls = Number.POSITIVE_INFINITY;
  #at: number | null = null;

  /**
   * Takes one call out if there is one.
   * @param perMs calls per millisecond
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
