// The rate limit: a fixed minute per key, counted from the key's first call (API text, "Limits").

const WINDOW_MS = 60_000;
/** `rate: 0` turns the limit off but keeps the headers, with a limit that is never reached. */
const NO_LIMIT = 1_000_000_000;

export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds at which the window ends. */
  readonly resetAt: number;
}

export class RateWindows {
  readonly #limit: number;
  readonly #now: () => Date;
  readonly #windows = new Map<string, { start: number; used: number }>();

  /** @param limit Calls a minute; 0 is no limit. */
  constructor(limit: number, now: () => Date) {
    this.#limit = limit === 0 ? NO_LIMIT : limit;
    this.#now = now;
  }

  /** Counts one call. A call over the limit is refused and not counted. */
  take(key: string): RateState & { readonly allowed: boolean } {
    const now = this.#now().getTime();
    let window = this.#current(key, now);
    if (window === undefined) {
      window = { start: now, used: 0 };
      this.#windows.set(key, window);
    }
    const allowed = window.used < this.#limit;
    if (allowed) window.used += 1;
    return { allowed, ...this.#state(window) };
  }

  /** Returns the current window without counting. Without a key, or before its first call, the window is untouched. */
  peek(key: string | null): RateState {
    const now = this.#now().getTime();
    const window = key === null ? undefined : this.#current(key, now);
    return this.#state(window ?? { start: now, used: 0 });
  }

  /** A clock that an operator sets back starts a new window. Otherwise a window could last for hours. */
  #current(key: string, now: number): { start: number; used: number } | undefined {
    const window = this.#windows.get(key);
    return window !== undefined && now >= window.start && now < window.start + WINDOW_MS ? window : undefined;
  }

  #state(window: { start: number; used: number }): RateState {
    return { limit: this.#limit, remaining: this.#limit - window.used, resetAt: window.start + WINDOW_MS };
  }
}

/** The three headers of every response (API text, "Limits"); the reset is in epoch seconds, never too early. */
export function rateHeaders(state: RateState): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(state.limit),
    'X-RateLimit-Remaining': String(state.remaining),
    'X-RateLimit-Reset': String(Math.ceil(state.resetAt / 1000)),
  };
}

/** Whole seconds to wait until the window ends, at least 1. */
export function retryAfter(state: RateState, now: Date): number {
  return Math.max(1, Math.ceil((state.resetAt - now.getTime()) / 1000));
}
