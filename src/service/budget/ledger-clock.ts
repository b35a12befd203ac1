// The ledger's clock as this process sees it. A slot is due by the ledger's clock, but the process waits by its own
// clock.

/** Clocks drift, so the next reading replaces one that is older than this. */
const KEEP_MS = 60_000;
/** If two readings differ by more than their uncertainty plus this, somebody set the ledger's clock. */
const DRIFT_MS = 5;

interface Reading {
  /** The ledger's clock minus this process's clock, at the middle of the query. */
  readonly offset: number;
  /** Half of the query's duration: the ledger read its clock at some time within it. */
  readonly spread: number;
  readonly at: number;
}

/** Keeps the most exact reading of the last minute, so that one slow statement does not make slots look late. */
export class LedgerClock {
  #best: Reading | null = null;

  /**
   * @param askedAt `performance.now()` before the statement
   * @param answeredAt `performance.now()` after it
   * @param ledgerMs the ledger's clock in between, in epoch milliseconds
   */
  learn(askedAt: number, answeredAt: number, ledgerMs: number): void {
    const spread = (answeredAt - askedAt) / 2;
    const reading = { offset: ledgerMs - askedAt - spread, spread, at: answeredAt };
    const best = this.#best;
    const isSet = best !== null && Math.abs(reading.offset - best.offset) > spread + best.spread + DRIFT_MS;
    if (best === null || isSet || spread <= best.spread || answeredAt - best.at > KEEP_MS)
      this.#best = reading;
  }

  /** The `performance.now()` at which the ledger's clock shows this time, or slightly later, but never earlier. */
  localTime(ledgerMs: number): number {
    if (this.#best === null) throw new Error('the clock of the ledger was never read');
    return ledgerMs - this.#best.offset + this.#best.spread;
  }
}
