// Calls of each run and the call log, kept in memory for a moment: a statement for each call would cost as much as the
// call's slot.

import type { Queryable } from '../../src/core/sql/database.ts';
import { type EndedCall, logCalls } from '../../src/operator/store/calls.ts';

/** Calls reach the ledger at most this long after they ended. */
const FLUSH_MS = 1000;
/**
 * Maximum number of ended calls that wait for the ledger. Without the ledger there are no slots and so no calls; this
 * bounds memory if the ledger rejects the log only.
 */
const MAX_WAITING = 20_000;

export interface CallCounter {
  /** A call of this run goes out. */
  count(run: string): void;
  /** A call has ended. @param sentAt `performance.now()` when it went out */
  log(call: EndedCall, sentAt: number): void;
  /** Writes everything to the ledger. What the ledger rejects is kept for the next flush. */
  flush(): Promise<void>;
}

interface Waiting {
  readonly call: EndedCall;
  readonly sentAt: number;
}

/** @param onEnded hears of each call that ended, for metrics */
export function createCallCounter(db: Queryable, onEnded?: (call: EndedCall) => void): CallCounter {
  const started = new Map<string, number>();
  let ended: Waiting[] = [];
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  const flushSoon = () => {
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
  };
  const add = (run: string, calls: number) => {
    started.set(run, (started.get(run) ?? 0) + calls);
    flushSoon();
  };
  const write = async () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (started.size === 0 && ended.length === 0) return;
    const counts = new Map(started);
    const calls = ended;
    started.clear();
    ended = [];
    const now = performance.now();
    const aged = calls.map(({ call, sentAt }) => ({ age_ms: now - sentAt, ...call }));
    await logCalls(db, aged, counts).catch(() => {
      ended = [...calls, ...ended].slice(-MAX_WAITING);
      for (const [run, n] of counts) add(run, n);
      flushSoon();
    });
  };
  // Flushes run one after the other, so when a flush returns, all earlier calls are written.
  const flush = () => {
    writing = writing.then(write);
    return writing;
  };
  return {
    count: (run) => add(run, 1),
    log(call, sentAt) {
      onEnded?.(call);
      ended.push({ call, sentAt });
      flushSoon();
    },
    flush,
  };
}
