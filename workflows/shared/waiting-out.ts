// The single rule for refusals by the account: Sluice retries after a minute, then at growing intervals, or when an
// operator acts.
import { condition } from '@temporalio/workflow';

const FIRST_MS = 60_000;
const LAST_MS = 3_600_000;

/** Waits out the refusals of one kind of work. */
export class WaitingOut {
  readonly #longestMs: number;
  #waitMs = 0;
  #until = 0;

  /**
   * @param longestMs longest wait between two tries
   * @default one hour
   */
  constructor(longestMs = LAST_MS) {
    this.#longestMs = longestMs;
  }

  /** Whether the last try was refused. */
  get refused(): boolean {
    return this.#waitMs > 0;
  }

  /** Milliseconds until the next try; 0 when it may be made now. */
  get leftMs(): number {
    return Math.max(0, this.#until - Date.now());
  }

  /** Records a refused try. The wait is 60 s at first and doubles up to the longest wait. */
  refuse(): void {
    this.#waitMs = Math.min(Math.max(FIRST_MS, this.#waitMs * 2), this.#longestMs);
    this.#until = Date.now() + this.#waitMs;
  }

  /** The previous run's last try was refused. The next try may be made now, and the wait after it keeps growing. */
  takeOver(): void {
    this.#waitMs = FIRST_MS;
  }

  /** Records a successful try. */
  clear(): void {
    this.#waitMs = 0;
    this.#until = 0;
  }

  /** An operator acted. The next try may be made now, and the wait after it keeps growing. */
  command(): void {
    this.#until = 0;
  }

  /** Returns when the next try may be made, or when `or` holds. */
  async over(or: () => boolean = () => false): Promise<void> {
    if (this.leftMs > 0) await condition(() => this.leftMs === 0 || or(), this.leftMs);
  }
}
