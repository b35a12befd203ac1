// Bounds the wait of senders. Events beyond what Temporal accepts within a few seconds are refused at once, so that no
// sender waits until it gives up.
import { NotAcceptedError } from './intake.ts';

/**
 * Most senders give up after 5 to 10 s. The ledger and the start itself take their time on top of this wait: with 4 s,
 * 73 of 117,124 answers took 5.0 to 5.5 s, at a load of 17 on 2 cores.
 */
export const MOST_WAIT_MS = 3000;
/** Share of the newest start in the average. Of 16 starts in progress, all have counted after a second round. */
const NEWEST = 0.05;
const MOST_RETRY_MS = 30_000;

export interface Queue {
  /**
   * Enters the queue.
   * @param starts number of starts that wait at the same time
   * @param waits whether the caller waits however long it takes, as Kafka does
   * @returns a function that leaves the queue
   * @throws NotAcceptedError `BUSY`
   */
  enter(starts: number, waits: boolean): () => void;
  /** A start took this many milliseconds. */
  took(ms: number): void;
}

export interface QueueOptions {
  /** Maximum number of starts in progress at once. */
  readonly concurrency: number;
  /** Milliseconds of a monotonic clock. @default performance.now */
  readonly now?: () => number;
}

export function createQueue({ concurrency, now = () => performance.now() }: QueueOptions): Queue {
  let waiting = 0;
  let averageMs: number | null = null;
  /** When each sender entered that waits for a limited time, in order. */
  const entered = new Set<{ readonly at: number }>();

  function expectedMs(): number {
    const [oldest] = entered;
    // The average knows only starts. A slow ledger shows in the age of the oldest.
    const age = oldest === undefined ? 0 : now() - oldest.at;
    return Math.max(age, ((averageMs ?? 0) * waiting) / concurrency);
  }

  return {
    enter(starts, waits) {
      const wait = expectedMs();
      if (!waits && wait > MOST_WAIT_MS)
        throw new NotAcceptedError(
          'BUSY',
          Math.min(MOST_RETRY_MS, wait),
          `${waiting} events wait for their start, which takes about ${Math.round(wait / 1000)} s`,
        );
      const entry = { at: now() };
      if (!waits) entered.add(entry);
      waiting += starts;
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        entered.delete(entry);
        waiting -= starts;
      };
    },
    took(ms) {
      averageMs = averageMs === null ? ms : averageMs + NEWEST * (ms - averageMs);
    },
  };
}
