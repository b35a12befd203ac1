// Keeps expensive answers for a moment, so that many viewers of one screen cost the ledger as much as one.

interface Kept<T> {
  readonly value: Promise<T>;
  /** Until then, in milliseconds of `performance.now`; infinite while it is being made. */
  untilMs: number;
}

export interface Memo<T> {
  /** Makes the value, or returns the one that was made a moment ago. Callers at the same time share one. */
  get(key: string, make: () => Promise<T>): Promise<T>;
  /** Forgets every value whose key begins with this text. */
  forget(prefix: string): void;
}

export interface MemoOptions {
  /** A value is kept this many times as long as it took to make. @default 20 */
  readonly factor?: number;
  /** Maximum time that a value is kept, in milliseconds. @default 10000 */
  readonly maxMs?: number;
  /** Maximum number of values. @default 500 */
  readonly size?: number;
  /** @default performance.now */
  readonly now?: () => number;
}

/** What took 1 ms is kept for 20 ms, and what took 200 ms for 4 s: making values takes at most 5 % of the time. */
export function createMemo<T>(options: MemoOptions = {}): Memo<T> {
  const { factor = 20, maxMs = 10_000, size = 500, now = () => performance.now() } = options;
  const kept = new Map<string, Kept<T>>();

  return {
    async get(key, make) {
      const found = kept.get(key);
      if (found !== undefined && now() < found.untilMs) return await found.value;
      const startedMs = now();
      const entry: Kept<T> = { value: make(), untilMs: Number.POSITIVE_INFINITY };
      kept.delete(key);
      kept.set(key, entry);
      for (const oldest of kept.keys()) {
        if (kept.size <= size) break;
        kept.delete(oldest);
      }
      try {
        const value = await entry.value;
        entry.untilMs = now() + Math.min(maxMs, (now() - startedMs) * factor);
        return value;
      } catch (error) {
        if (kept.get(key) === entry) kept.delete(key);
        throw error;
      }
    },
    forget(prefix) {
      for (const key of kept.keys()) if (key.startsWith(prefix)) kept.delete(key);
    },
  };
}
