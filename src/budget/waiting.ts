// Callers of one process that wait for slots of the same tokens. One question asks for all of them: the ledger says
// whose lane the slot is, and a hundred callers cost as many statements as one.

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
  /** Whose the slot is. */
  readonly lane: number;
  /** Until one of the lanes may find a slot. */
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
  readonly #ask: (lanes: readonly number[]) => Promise<Taken>;
  readonly #waiting: Waiter[] = [];
  #gapMs: number;
  #asking = false;
  /** Ends the pause between two questions. */
  #wake: (() => void) | null = null;
  /** The lanes last asked for: none of them finds a slot before that time. */
  #shut: { lanes: readonly number[]; until: number } = { lanes: [], until: 0 };
  /** When the last caller that was sent away is expected back. */
  #lastReturn = 0;

  /** @param gapMs distance of slots until the first answer tells */
  constructor(ask: (lanes: readonly number[]) => Promise<Taken>, gapMs: number) {
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
      // Another lane may take a slot that those asked for could not.
      else if (!this.#shut.lanes.includes(lane)) this.#wake?.();
    });
  }

  async #serve(): Promise<void> {
    this.#asking = true;
    try {
      while (this.#waiting.length > 0) {
        const lanes = [...new Set(this.#waiting.map(({ lane }) => lane))];
        const { slot, lane, againMs, gapMs } = await this.#ask(lanes);
        this.#gapMs = gapMs;
        if (slot !== null) this.#takerOf(lane, lanes)?.resolve(slot);
        const now = performance.now();
        this.#shut = { lanes, until: now + againMs };
        for (const waiter of [...this.#waiting]) {
          if (now + againMs <= waiter.until || !lanes.includes(waiter.lane)) continue;
          this.#takeOut(waiter)?.resolve(this.#sendAway(waiter.lane, now, againMs));
        }
        if (this.#waiting.every((waiter) => lanes.includes(waiter.lane))) await this.#pause(againMs);
      }
    } catch (error) {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    } finally {
      this.#asking = false;
    }
  }

  /**
   * Who gets a slot of a lane: somebody more urgent who came while it was asked for, else the first of the lane, else
   * whoever is there. When all have left, the slot is lost.
   */
  #takerOf(lane: number, asked: readonly number[]): Waiter | undefined {
    const urgent = this.#waiting.find((each) => each.lane < lane && !asked.includes(each.lane));
    return this.#takeOut(urgent ?? this.#waiting.find((each) => each.lane === lane));
  }

  #takeOut(waiter = this.#waiting[0]): Waiter | undefined {
    if (waiter !== undefined) this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    return waiter;
  }

  async #pause(ms: number): Promise<void> {
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

  /** Those sent away come back one by one, a slot apart: all at once they would be sent away again. */
  #sendAway(lane: number, now: number, ms: number): Reservation {
    // The line may be full of callers who don't know yet that the token is blocked.
    const atLeast = this.#shut.lanes.includes(lane) ? Math.max(ms, this.#shut.until - now) : ms;
    if (lane <= URGENT_LANE) return { granted: false, retryMs: Math.max(1, ms) };
    this.#lastReturn = Math.min(
      Math.max(this.#lastReturn + this.#gapMs, now + atLeast),
      now + atLeast + MAX_RETURN_MS,
    );
    return { granted: false, retryMs: Math.max(1, this.#lastReturn - now) };
  }
}
