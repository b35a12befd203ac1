// The ledger's clock as this process sees it. A slot is due by the ledger's clock; the process waits by its own.

/** An older reading is replaced by whatever comes next: clocks drift. */
const KEEP_MS = 60_000;
/** Two readings that differ by more than their uncertainty and this: the ledger's clock was set. */
const DRIFT_MS = 5;

interface Reading {
  /** The ledger's clock less this process's, in the middle of the question. */
  readonly offset: number;
  /** Half of the question's time: the ledger read its clock somewhere within it. */
  readonly spread: number;
  readonly at: number;
}

/** Keeps the most exact reading of the last minute, so that one slow statement does not make its slots look late. */
export class LedgerClock {
  #best: Reading | null = null;

  /**
   * @param askedAt `performance.now()` before the statement
   * @param answeredAt `performance.now()` after it
   * @param ledgerMs what the ledger's clock showed in between, in epoch milliseconds
   */
  learn(askedAt: number, answeredAt: number, ledgerMs: number): void {
    const spread = (answeredAt - askedAt) / 2;
    const reading = { offset: ledgerMs - askedAt - spread, spread, at: answeredAt };
    const best = this.#best;
    const isSet = best !== null && Math.abs(reading.offset - best.offset) > spread + best.spread + DRIFT_MS;
    if (best === null || isSet || spread <= best.spread || answeredAt - best.at > KEEP_MS)
      this.#best = reading;
  }

  /** `performance.now()` at which the ledger's clock shows this time, or a little later; never before. */
  localTime(ledgerMs: number): number {
    if (this.#best === null) throw new Error('the clock of the ledger was never read');
    return ledgerMs - this.#best.offset + this.#best.spread;
  }
}
