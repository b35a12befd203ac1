// The one rule for what the account refuses: it is tried again after a minute, then ever later, or when somebody acts.
import { condition } from '@temporalio/workflow';

const FIRST_MS = 60_000;
const LAST_MS = 3_600_000;

/** Waits out the refusals of one kind of work. */
export class WaitingOut {
  readonly #longestMs: number;
  #waitMs = 0;
  #until = 0;

  /** @param longestMs the longest wait between two tries @default an hour */
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

  /** A try was refused: the wait is 60 s at first and doubles up to the longest. */
  refuse(): void {
    this.#waitMs = Math.min(Math.max(FIRST_MS, this.#waitMs * 2), this.#longestMs);
    this.#until = Date.now() + this.#waitMs;
  }

  /** The last try of the run before this one was refused: the next one may be made now. The wait after it goes on growing. */
  takeOver(): void {
    this.#waitMs = FIRST_MS;
  }

  /** A try got through. */
  clear(): void {
    this.#waitMs = 0;
    this.#until = 0;
  }

  /** Somebody has acted: the next try may be made now. The wait after it goes on growing. */
  command(): void {
    this.#until = 0;
  }

  /** Returns when the next try may be made, or when `or` holds. */
  async over(or: () => boolean = () => false): Promise<void> {
    if (this.leftMs > 0) await condition(() => this.leftMs === 0 || or(), this.leftMs);
  }
}
