// Calls of each run, counted in memory: a statement for each call would cost as much as the call's slot.

import type { Queryable } from '../../src/ledger/database.ts';
import { countCalls } from '../../src/ledger/sync/runs.ts';

/** Counts reach the ledger at most this long after a call. */
const FLUSH_MS = 1000;

export interface CallCounter {
  count(run: string): void;
  /** Writes the counts to the ledger. Counts that the ledger rejects are kept for the next flush. */
  flush(): Promise<void>;
}

export function createCallCounter(db: Queryable): CallCounter {
  const pending = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  const add = (run: string, calls: number) => {
    pending.set(run, (pending.get(run) ?? 0) + calls);
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
  };
  const write = async () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (pending.size === 0) return;
    const counts = new Map(pending);
    pending.clear();
    await countCalls(db, counts).catch(() => {
      for (const [run, calls] of counts) add(run, calls);
    });
  };
  // Flushes run one after the other, so when a flush returns, all earlier counts are written.
  const flush = () => {
    writing = writing.then(write);
    return writing;
  };
  return { count: (run) => add(run, 1), flush };
}
