// The time that a sender gets, from the arrival of its request to the answer.
import type { EventDraft } from '../contract/intake.ts';
import { NotAcceptedError } from './intake.ts';

/** Most senders give up after 5 to 10 s. The rest of 5 s is for the way of the answer on a busy machine. */
export const ANSWER_MS = 4500;
/** When a sender is asked to retry. */
const REST_MS = 1000;

/** A monotonic clock. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** @returns cancels it */
  after(ms: number, then: () => void): () => void;
}

export const MONOTONIC: Clock = {
  now: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

export interface Deadline {
  /** Aborts at the deadline, with the error for the sender. */
  readonly signal: AbortSignal;
  /** Called right before something begins that takes effect. False: the deadline has passed, so it must not begin. */
  begin(): boolean;
  /** Returns what the work returns. At the deadline the work goes on without the sender. @throws NotAcceptedError */
  within<T>(work: Promise<T>): Promise<T>;
}

/** An event with the time that its sender gets. */
export interface Arrival {
  readonly draft: EventDraft;
  readonly deadline: Deadline;
}

/** @param arrivedAt when the request had arrived completely, by the same clock */
export function startDeadline(clock: Clock, arrivedAt: number): Deadline {
  const at = arrivedAt + ANSWER_MS;
  const abort = new AbortController();
  const { signal } = abort;
  let hasBegun = false;
  const cancel = clock.after(Math.max(0, at - clock.now()), () => abort.abort(lateError(hasBegun)));
  return {
    signal,
    begin() {
      // The timer of a busy process may be late.
      const isInTime = !signal.aborted && clock.now() < at;
      hasBegun ||= isInTime;
      return isInTime;
    },
    async within(work) {
      const late = new Promise<never>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      try {
        return await Promise.race([work, late]);
      } finally {
        cancel();
      }
    },
  };
}

/** For callers that wait however long it takes. */
export function noDeadline(): Deadline {
  return { signal: new AbortController().signal, begin: () => true, within: (work) => work };
}

/** @param hasBegun whether a start was in progress, which may still take effect */
export function lateError(hasBegun: boolean): NotAcceptedError {
  const what = hasBegun
    ? 'its start has no answer yet and may take effect'
    : 'its start did not begin, so it has no effect';
  return new NotAcceptedError(
    'BUSY',
    REST_MS,
    `the event was not accepted within ${ANSWER_MS / 1000} s: ${what}`,
    {
      mayTakeEffect: hasBegun,
    },
  );
}
