// Callers of one process that wait for slots of the same tokens. One statement asks for all of them, and the ledger
// assigns each slot to a lane. A hundred callers cost as many statements as one.

/** One call that a token allows. */
export interface Slot {
  readonly token: string;
  /** Each token numbers its own slots. */
  readonly number: number;
  /** The service refused the token recently, and no better one was available. */
  readonly marked: boolean;
  /** When the ledger handed it out, in epoch seconds by the ledger's clock. */
  readonly takenAt: number;
  /** `performance.now()` at which the call may go out. */
  readonly dueAt: number;
  /** A call that is later than this many milliseconds must not use this slot. */
  readonly toleranceMs: number;
}

/** Number of slots wanted, by lane. */
export type Wanted = ReadonlyMap<number, number>;

/** The answer to one query to the ledger. */
export interface Taken {
  /** Slots with their lanes, in the order in which they are due. */
  readonly slots: readonly { readonly lane: number; readonly slot: Slot }[];
  /** Milliseconds until one of the lanes may find another slot. */
  readonly againMs: number;
}

export interface WaitOptions {
  /** Removes the caller from the queue. */
  readonly signal?: AbortSignal | undefined;
  /** Goes before the others of its lane, because it waited for a slot already and missed it. */
  readonly first?: boolean;
  /** How much later than usual the call may be, in milliseconds. The token's next slots compensate for it. */
  readonly slackMs?: number;
}

interface Waiter {
  readonly lane: number;
  readonly slackMs: number;
  resolve(slot: Slot): void;
  reject(error: unknown): void;
}

/** Maximum number of slots per statement. */
const MOST_AT_ONCE = 100;
/** Asks the ledger again at least this often, because another process may have learned of a higher limit. */
const MOST_PAUSE_MS = 5000;

export class SlotQueue {
  readonly #ask: (wanted: Wanted, slackMs: number) => Promise<Taken>;
  /** Ordered by lane, then by arrival. */
  readonly #waiting: Waiter[] = [];
  #asking = false;
  /** Lanes of the last query. None of them finds a slot during the pause. */
  #asked: Wanted = new Map();
  #againAt = 0;
  /** Ends the pause between two queries. */
  #wake: (() => void) | null = null;

  constructor(ask: (wanted: Wanted, slackMs: number) => Promise<Taken>) {
    this.#ask = ask;
  }

  get idle(): boolean {
    return !this.#asking && this.#waiting.length === 0;
  }

  /** Asks the ledger again at once. */
  wake(): void {
    this.#againAt = 0;
    this.#wake?.();
  }

  /**
   * Waits for a slot without a time limit.
   * @throws the signal's reason; the ledger's error
   */
  async wait(lane: number, { signal, first = false, slackMs = 0 }: WaitOptions = {}): Promise<Slot> {
    signal?.throwIfAborted();
    return await new Promise<Slot>((resolve, reject) => {
      const leave = () => {
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        if (this.#waiting.length === 0) this.wake();
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        lane,
        slackMs,
        resolve: (slot) => {
          signal?.removeEventListener('abort', leave);
          resolve(slot);
        },
        reject: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      const behind = this.#waiting.findIndex((other) => (first ? other.lane >= lane : other.lane > lane));
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, waiter);
      if (!this.#asking) void this.#serve();
      // A lane that was not in the last query may find a slot that the others could not take.
      else if (!this.#asked.has(lane)) this.wake();
    });
  }

  async #serve(): Promise<void> {
    this.#asking = true;
    try {
      for (;;) {
        if (this.#waiting.every(({ lane }) => this.#asked.has(lane))) await this.#pause();
        if (this.#waiting.length === 0) return;
        const wanted = this.#wanted();
        this.#asked = wanted;
        const { slots, againMs } = await this.#ask(wanted, this.#slack());
        this.#againAt = performance.now() + Math.min(againMs, MOST_PAUSE_MS);
        for (const { lane, slot } of slots) this.#takerOf(lane, wanted)?.resolve(slot);
      }
    } catch (error) {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    } finally {
      this.#asking = false;
    }
  }

  #wanted(): Wanted {
    const wanted = new Map<number, number>();
    for (const { lane } of this.#waiting.slice(0, MOST_AT_ONCE))
      wanted.set(lane, (wanted.get(lane) ?? 0) + 1);
    // The ledger decides between lanes, so the query must name each one.
    for (const { lane } of this.#waiting) if (!wanted.has(lane)) wanted.set(lane, 1);
    return wanted;
  }

  #slack(): number {
    // The slack of the next caller: a late call of a low lane must not slow down the lanes above it.
    return this.#waiting[0]?.slackMs ?? 0;
  }

  /**
   * Picks the caller for a slot of a lane: a more urgent one that arrived during the query, else the first of the
   * lane, else any caller. If all callers have left, the slot is lost.
   */
  #takerOf(lane: number, asked: Wanted): Waiter | undefined {
    const urgent = this.#waiting.findIndex((each) => each.lane < lane && !asked.has(each.lane));
    const own = this.#waiting.findIndex((each) => each.lane === lane);
    const at = urgent >= 0 ? urgent : Math.max(0, own);
    return this.#waiting.splice(at, 1)[0];
  }

  async #pause(): Promise<void> {
    const ms = this.#againAt - performance.now();
    if (ms <= 0 || this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.ceil(ms));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }
}
