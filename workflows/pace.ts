// How fast a campaign hands out its members, where somebody has set a rate: evenly, never in bursts.

/** Above two a second several go out together: a timer for each would cost more history than the member itself. */
const LEAST_TICK_MS = 500;
/** Ticks are a little wider, so that no minute holds one more: on their way calls come closer together. */
const MARGIN = 1.005;

export class Pace {
  #perMinute: number | null = null;
  /** When the next one may go, epoch milliseconds. */
  #nextMs = 0;
  /** How many may go at once. */
  #left = 0;

  /** @param perMinute null: as fast as the budget allows */
  set(perMinute: number | null): void {
    if (perMinute === this.#perMinute) return;
    this.#perMinute = perMinute;
    // Slower or faster, it holds from now on.
    this.#nextMs = 0;
    this.#left = 0;
  }

  /** Takes the place of one, when there is one now. @returns milliseconds to wait when there is none */
  take(nowMs: number): number {
    if (this.#perMinute === null) return 0;
    const eachMs = (60_000 / this.#perMinute) * MARGIN;
    const together = Math.max(1, Math.ceil(LEAST_TICK_MS / eachMs));
    if (this.#left === 0) {
      if (nowMs < this.#nextMs) return Math.ceil(this.#nextMs - nowMs);
      this.#left = together;
      const tickMs = eachMs * together;
      // A timer that came a little late is made up for by the next tick; a silence is not.
      this.#nextMs = (nowMs - this.#nextMs <= tickMs / 10 ? this.#nextMs : nowMs) + tickMs;
    }
    this.#left -= 1;
    return 0;
  }
}
