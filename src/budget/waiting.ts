// Callers of one process that wait for slots of the same tokens. One of them asks at a time, the most urgent; the
// others stand in line, so that a hundred callers cost the ledger as many statements as one.

/** Nothing stays inside longer than this: it comes back later. */
const MAX_WAIT_MS = 2000;
/** How far ahead of the next slot a caller is sent back at most. */
const MAX_RETURN_MS = 15_000;

export interface Granted {
  readonly granted: true;
  readonly token: string;
  readonly number: number;
  readonly marked: boolean;
  /** Milliseconds to wait before the call. */
  readonly waitMs: number;
}

export type Reservation = Granted | { readonly granted: false; readonly retryMs: number };

/** What one question to the ledger brings; milliseconds. */
export interface Taken {
  readonly slot: Granted | null;
  /** Until a caller of the same lane may find a slot. */
  readonly againMs: number;
  readonly gapMs: number;
}

interface Waiter {
  readonly lane: number;
  readonly until: number;
  resolve(reservation: Reservation): void;
  reject(error: unknown): void;
}

/** Lanes up to this one are let in however many wait. */
const URGENT_LANE = 2;

export class WaitingLine {
  readonly #ask: (lane: number) => Promise<Taken>;
  readonly #waiting: Waiter[] = [];
  #gapMs: number;
  #asking = false;
  /** Ends the pause between two questions. */
  #wake: (() => void) | null = null;
  /** No lane from this one on finds a slot before that time. */
  #shut = { lane: 0, until: 0 };
  /** When the last caller that was sent away is expected back. */
  #lastReturn = 0;

  /** @param gapMs distance of slots until the first answer tells */
  constructor(ask: (lane: number) => Promise<Taken>, gapMs: number) {
    this.#ask = ask;
    this.#gapMs = gapMs;
  }

  get idle(): boolean {
    return !this.#asking && this.#waiting.length === 0;
  }

  /**
   * Waits for a slot, two seconds at most. Callers of the lower lanes are sent away at once when those before them
   * take that long; reply and lead always may wait.
   * @throws the signal's reason
   */
  async wait(lane: number, signal?: AbortSignal): Promise<Reservation> {
    signal?.throwIfAborted();
    const now = performance.now();
    if (lane > URGENT_LANE && this.#waiting.length * this.#gapMs >= MAX_WAIT_MS) {
      return this.#sendAway(lane, now, this.#waiting.length * this.#gapMs);
    }
    return await new Promise<Reservation>((resolve, reject) => {
      const leave = () => {
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        if (this.#waiting.length === 0) this.#wake?.();
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        lane,
        until: now + MAX_WAIT_MS,
        resolve: (reservation) => {
          signal?.removeEventListener('abort', leave);
          resolve(reservation);
        },
        reject: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      const behind = this.#waiting.findIndex((other) => other.lane > lane);
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, waiter);
      if (!this.#asking) void this.#serve();
      // A more urgent lane may take a slot that the one asking could not.
      else if (this.#waiting[0] === waiter) this.#wake?.();
    });
  }

  async #serve(): Promise<void> {
    this.#asking = true;
    try {
      for (let head = this.#waiting[0]; head !== undefined; head = this.#waiting[0]) {
        const { lane } = head;
        const { slot, againMs, gapMs } = await this.#ask(lane);
        this.#gapMs = gapMs;
        // Whoever is most urgent by now gets it. When all have left, the slot is lost.
        if (slot !== null) this.#waiting.shift()?.resolve(slot);
        const now = performance.now();
        this.#shut = { lane, until: now + againMs };
        // Lower lanes find a slot no sooner than this one.
        for (const waiter of this.#waiting.filter(({ until }) => now + againMs > until)) {
          if (waiter.lane < lane) continue;
          this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
          waiter.resolve(this.#sendAway(waiter.lane, now, againMs));
        }
        const next = this.#waiting[0];
        if (next !== undefined && next.lane >= lane) await this.#pause(againMs);
      }
    } catch (error) {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    } finally {
      this.#asking = false;
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.ceil(ms));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  /** Those sent away come back one by one, a slot apart: all at once they would be sent away again. */
  #sendAway(lane: number, now: number, ms: number): Reservation {
    // The line may be full of callers who don't know yet that the token is blocked.
    const atLeast = lane >= this.#shut.lane ? Math.max(ms, this.#shut.until - now) : ms;
    if (lane <= URGENT_LANE) return { granted: false, retryMs: Math.max(1, ms) };
    this.#lastReturn = Math.min(
      Math.max(this.#lastReturn + this.#gapMs, now + atLeast),
      now + atLeast + MAX_RETURN_MS,
    );
    return { granted: false, retryMs: Math.max(1, this.#lastReturn - now) };
  }
}
