import { type CallCounter, createCallCounter } from '../../../activities/shared/call-counter.ts';
import type { Queryable } from '../../../src/core/sql/database.ts';

export interface TestCallCounter extends CallCounter {
  /**
   * Writes what has ended. Calls that end later are not written: an unanswered one may end a second after its test, and
   * the next file of this process uses the same ledger.
   */
  close(): Promise<void>;
}

/** The call counter of a test file, over the ledger that all files of the process share. */
export function testCallCounter(db: Queryable): TestCallCounter {
  const counter = createCallCounter(db);
  let isOpen = true;
  return {
    flush: counter.flush,
    count(run) {
      if (isOpen) counter.count(run);
    },
    log(call, sentAt) {
      if (isOpen) counter.log(call, sentAt);
    },
    async close() {
      isOpen = false;
      await counter.flush();
    },
  };
}
