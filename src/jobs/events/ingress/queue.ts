// Bounds the queue of senders by the measured pace. Events beyond what Temporal accepts before their deadline are
// refused at once, so that no sender waits in vain.
import { ANSWER_MS } from './deadline.ts';
import { NotAcceptedError } from './intake.ts';

/** The average lags behind, and does not know the ledger where every event has its own start. */
export const MOST_WAIT_MS = ANSWER_MS - 1000;
const MOST_RETRY_MS = 30_000;

export interface Queue {
  /**
   * Enters the queue.
   * @param events number of events that wait at the same time
   * @param arrivedAt since when the sender waits; null if the caller waits however long it takes, as Kafka does
   * @returns a function that leaves the queue
   * @throws NotAcceptedError `BUSY`
   */
  enter(events: number, arrivedAt: number | null): () => void;
  /** A group of events took this many milliseconds. */
  took(ms: number): void;
}

export interface QueueOptions {
  /** Maximum number of groups in progress at once. */
  readonly concurrency: number;
  /** Number of events in a full group. @default 1 */
  readonly groupSize?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

export function createQueue({ concurrency, groupSize = 1, now }: QueueOptions): Queue {
  let waiting = 0;
  let averageMs: number | null = null;
  /** Since when each sender waits that waits for a limited time, in the order in which they entered. */
  const entered = new Set<{ readonly at: number }>();

  /** Milliseconds from the arrival of somebody who enters now to the answer. */
  function expectedMs(arrivedAt: number): number {
    const [oldest] = entered;
    // The average knows only what has ended. What does not end shows in the age of the oldest.
    const age = oldest === undefined ? 0 : now() - oldest.at;
    const rounds = waiting / groupSize / concurrency;
    return Math.max(age, now() - arrivedAt + (rounds < 1 ? 0 : (averageMs ?? 0) * (rounds + 1)));
  }

  return {
    enter(events, arrivedAt) {
      const wait = arrivedAt === null ? 0 : expectedMs(arrivedAt);
      if (wait > MOST_WAIT_MS)
        throw new NotAcceptedError(
          'BUSY',
          Math.min(MOST_RETRY_MS, wait),
          `${waiting} events wait for their start, which takes about ${Math.round(wait / 1000)} s`,
        );
      const entry = { at: arrivedAt ?? now() };
      if (arrivedAt !== null) entered.add(entry);
      waiting += events;
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        entered.delete(entry);
        waiting -= events;
      };
    },
    took(ms) {
      // After a second round, all groups of the first have counted.
      averageMs = averageMs === null ? ms : averageMs + (ms - averageMs) / concurrency;
    },
  };
}
