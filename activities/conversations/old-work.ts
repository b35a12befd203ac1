// Old conversations that are read in addition to polls: unread conversations of the history, then the next older page
// of the list.

import type { Queryable } from '../../src/core/sql/database.ts';
import type { PollerName } from '../../src/jobs/conversations/contract/poll.ts';
import { getProgress } from '../../src/jobs/conversations/store/poll-progress.ts';
import { pollOutlook } from '../../src/jobs/conversations/store/pollers.ts';

/** Number of conversations that one ledger query returns. */
const READS = 20;

export type OldItem =
  | { readonly type: 'readOld'; readonly conversation: number }
  | { readonly type: 'history' };

export class OldWork {
  readonly #db: Queryable;
  readonly #poller: PollerName;
  readonly #concurrency: number;
  /** Conversations that have not started, and the number of items in progress. */
  readonly #waiting: number[] = [];
  #active = 0;
  /** When to query the ledger again. */
  #at = 0;
  /** Number of refreshes: an answer from before the last one does not say that nothing is left. */
  #refreshes = 0;

  constructor(db: Queryable, { account, poller }: PollerName, concurrency: number) {
    this.#db = db;
    this.#poller = { account, poller };
    this.#concurrency = concurrency;
  }

  async take(): Promise<readonly OldItem[]> {
    if (this.#at > performance.now()) return [];
    const asked = this.#refreshes;
    if (this.#waiting.length === 0) {
      // The ledger would return the items in progress again.
      if (this.#active > 0) return [];
      const { reads, nextMs } = await pollOutlook(this.#db, { ...this.#poller, limit: READS, old: true });
      if (reads.length === 0) return await this.#takeHistory(nextMs, asked);
      this.#waiting.push(...reads);
    }
    const some = this.#waiting.splice(0, this.#concurrency - this.#active);
    this.#active += some.length;
    return some.map((conversation) => ({ type: 'readOld', conversation }));
  }

  async #takeHistory(nextMs: number | null, asked: number): Promise<readonly OldItem[]> {
    const { history } = await getProgress(this.#db, this.#poller);
    if (history === null) {
      if (asked === this.#refreshes) this.#at = performance.now() + (nextMs ?? Number.POSITIVE_INFINITY);
      return [];
    }
    this.#active++;
    return [{ type: 'history' }];
  }

  /** Reports that an item has ended, or has to wait. */
  ended(): void {
    this.#active--;
  }

  /** Takes nothing for this many milliseconds. */
  postpone(ms: number): void {
    this.#at = performance.now() + ms;
  }

  /** Queries the ledger again at once, because it may have more. */
  refresh(): void {
    this.#refreshes++;
    this.#at = 0;
  }

  /** Milliseconds until an item can be taken; null while items are in progress. */
  get takeInMs(): number | null {
    return this.#active > 0 ? null : Math.max(0, this.#at - performance.now());
  }

  /** Milliseconds until the next batch can take an item; null if nothing is left. */
  get leftMs(): number | null {
    if (this.#waiting.length > 0 || this.#active > 0) return 0;
    return this.#at === Number.POSITIVE_INFINITY ? null : Math.max(0, this.#at - performance.now());
  }
}
