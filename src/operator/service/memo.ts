// Keeps expensive answers for a moment, so that many viewers of one screen cost the ledger as much as one.

interface Kept<T> {
  readonly value: Promise<T>;
  /** Until then, in milliseconds of `performance.now`; infinite while it is being made. */
  untilMs: number;
  /** Until then it is returned while a new one is made. */
  staleMs: number;
  isRenewing: boolean;
}

export interface Memo<T> {
  /** Makes the value, or returns the one that was made a moment ago. Callers at the same time share one. */
  get(key: string, make: () => Promise<T>): Promise<T>;
  /** Forgets every value whose key begins with this text. */
  forget(prefix: string): void;
}

export interface MemoOptions {
  /** Maximum number of values. @default 500 */
  readonly size?: number;
  /** @default performance.now */
  readonly now?: () => number;
}

/** A value is kept this many times as long as it took to make, and at most this many milliseconds. */
const FACTOR = 20;
const MOST_MS = 10_000;
/** A value that took longer than this, in milliseconds, is returned once more while a new one is made. */
const SLOW_MS = 50;
/** How old a value may be that is returned once more. */
const STALE_MS = 15_000;

/**
 * What took 1 ms is kept for 20 ms, and what took 200 ms for 4 s: making values takes at most 5 % of the time. Viewers
 * who come back every few seconds do not wait for slow ones.
 */
export function createMemo<T>(options: MemoOptions = {}): Memo<T> {
  const { size = 500, now = () => performance.now() } = options;
  const kept = new Map<string, Kept<T>>();

  async function makeEntry(key: string, make: () => Promise<T>): Promise<T> {
    const startedMs = now();
    const entry: Kept<T> = {
      value: make(),
      untilMs: Number.POSITIVE_INFINITY,
      staleMs: Number.POSITIVE_INFINITY,
      isRenewing: false,
    };
    kept.delete(key);
    kept.set(key, entry);
    for (const oldest of kept.keys()) {
      if (kept.size <= size) break;
      kept.delete(oldest);
    }
    try {
      const value = await entry.value;
      const tookMs = now() - startedMs;
      entry.untilMs = now() + Math.min(MOST_MS, tookMs * FACTOR);
      entry.staleMs = tookMs > SLOW_MS ? now() + STALE_MS : 0;
      return value;
    } catch (error) {
      if (kept.get(key) === entry) kept.delete(key);
      throw error;
    }
  }

  /** Makes it again without anybody waiting. If this fails, the next caller makes it, and gets the error. */
  async function renew(key: string, old: Kept<T>, make: () => Promise<T>): Promise<void> {
    old.isRenewing = true;
    const startedMs = now();
    const made = await make().then(
      (value) => ({ value }),
      () => null,
    );
    // A command may have forgotten it meanwhile.
    if (kept.get(key) !== old) return;
    if (made === null) {
      kept.delete(key);
      return;
    }
    const tookMs = now() - startedMs;
    kept.set(key, {
      value: Promise.resolve(made.value),
      untilMs: now() + Math.min(MOST_MS, tookMs * FACTOR),
      staleMs: tookMs > SLOW_MS ? now() + STALE_MS : 0,
      isRenewing: false,
    });
  }

  return {
    async get(key, make) {
      const found = kept.get(key);
      if (found !== undefined && now() < found.untilMs) return await found.value;
      if (found === undefined || now() >= found.staleMs) return await makeEntry(key, make);
      if (!found.isRenewing) void renew(key, found, make);
      return await found.value;
    },
    forget(prefix) {
      for (const key of kept.keys()) if (key.startsWith(prefix)) kept.delete(key);
    },
  };
}
