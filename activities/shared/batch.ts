// Runs a batch: one activity that takes due items from the ledger and works on many of them at once.
import { setMaxListeners } from 'node:events';
import { CancelledFailure, Context } from '@temporalio/activity';
import { callScope, withCallScope } from './call-scope.ts';
import { HEARTBEAT_MS, sendOwnHeartbeats } from './heartbeats.ts';

/** A batch takes new items for this long. Then it only finishes the items under way. */
const TAKE_MS = 50_000;
/**
 * After that, the batch cancels items that still wait for a slot. At a small limit, their queue would take minutes.
 */
const SLOT_MS = 5000;
/** A batch, or the work on an event, waits inside for items that are due this soon instead of ending. */
export const LINGER_MS = 5000;
/** Interval between checks while items are under way and nothing else is due. */
const CHECK_MS = 1000;

/** If nobody renews the lease, an item is due again after this many seconds: its worker was killed. */
export const LEASE_SECONDS = 10;
const RENEW_MS = 3000;

export interface BatchControl {
  /** Takes no further items. Items under way continue. */
  finish(): void;
  /** Takes no further items and cancels those that wait for a slot. */
  stop(): void;
}

export interface BatchWork<Item> {
  /** Maximum number of items under way at once. */
  readonly concurrencyLimit: number;
  /** Leases up to `limit` due items for {@link LEASE_SECONDS}. */
  take(limit: number): Promise<readonly Item[]>;
  /**
   * Works on one item until it has ended or has to wait, and records the result. Rejects with the reason of the call
   * scope's signal when the item was canceled. Any other rejection fails the batch, and Temporal retries it.
   */
  work(item: Item, batch: BatchControl): Promise<void>;
  /** Gives back items that were canceled or not started. They are due at once. */
  release(items: readonly Item[]): Promise<void>;
  /** Renews the leases of all items that this batch holds. */
  renew(): Promise<void>;
  /** Milliseconds until an unleased item is due; 0 when one is due now; null when none will be. */
  next(): Promise<number | null>;
  /** Heartbeat details: counts only, no personal data. */
  progress(): unknown;
}

export interface BatchResult {
  /** Milliseconds until something is due; 0 when something is due now; null when nothing is left. */
  readonly nextMs: number | null;
}

/** Works through due items for at most a minute. A cancellation ends the batch early with its usual result. */
export async function runBatch<Item>(batch: BatchWork<Item>): Promise<BatchResult> {
  return await new Batch(batch).run();
}

class Batch<Item> implements BatchControl {
  readonly #batch: BatchWork<Item>;
  readonly #callOff = new AbortController();
  readonly #until = performance.now() + TAKE_MS;
  /** Leased and not started yet. */
  readonly #ready: Item[] = [];
  readonly #calledOff: Item[] = [];
  #active = 0;
  #finished = false;
  #failure: { readonly error: unknown } | null = null;
  /** An item has ended since the batch last checked for free capacity. */
  #changed = false;
  #resume: () => void = () => undefined;

  constructor(batch: BatchWork<Item>) {
    this.#batch = batch;
  }

  finish(): void {
    this.#finished = true;
    this.#wake();
  }

  stop(): void {
    this.#callOff.abort(new CancelledFailure('the batch was stopped'));
    this.finish();
  }

  async run(): Promise<BatchResult> {
    const activity = Context.current();
    // Each call under way adds a listener.
    setMaxListeners(0, this.#callOff.signal);
    const scope = callScope();
    const { signal } = scope;
    // This also runs when the worker shuts down: another worker continues, and calls under way finish here.
    const cancelled = () => this.stop();
    if (signal.aborted) cancelled();
    signal.addEventListener('abort', cancelled);
    sendOwnHeartbeats();
    const pulse = setInterval(() => activity.heartbeat(this.#batch.progress()), HEARTBEAT_MS);
    const renewal = setInterval(() => void this.#renew(), RENEW_MS);
    const late = setTimeout(() => this.stop(), TAKE_MS + SLOT_MS);
    try {
      await withCallScope({ ...scope, signal: this.#callOff.signal }, () => this.#workAll());
      await this.#release();
      if (this.#failure !== null) throw this.#failure.error;
      return { nextMs: await this.#batch.next() };
    } finally {
      clearInterval(pulse);
      clearInterval(renewal);
      clearTimeout(late);
      signal.removeEventListener('abort', cancelled);
    }
  }

  async #workAll(): Promise<void> {
    for (;;) {
      this.#changed = false;
      const idleMs = await this.#begin().catch((error: unknown) => this.#fail(error));
      if (idleMs === null && this.#active === 0) return;
      await this.#pause(idleMs ?? CHECK_MS);
    }
  }

  /**
   * Starts items until the concurrency limit is reached.
   * @returns milliseconds until more may be due; null when the batch takes no more
   */
  async #begin(): Promise<number | null> {
    const { concurrencyLimit } = this.#batch;
    while (!this.#isOver() && this.#active < concurrencyLimit) {
      // Takes a full set at once: one statement serves all of them, though capacity frees up one by one.
      if (this.#ready.length === 0) this.#ready.push(...(await this.#batch.take(concurrencyLimit)));
      const item = this.#ready.shift();
      if (item === undefined) {
        const nextMs = await this.#batch.next();
        const nothingSoon = nextMs === null || nextMs > LINGER_MS;
        // An item that ended during the query may have made others due, so the batch checks once more.
        if (nothingSoon && this.#active === 0 && !this.#changed) return null;
        return Math.min(nextMs ?? CHECK_MS, CHECK_MS);
      }
      if (this.#isOver()) this.#calledOff.push(item);
      else void this.#work(item);
    }
    if (!this.#isOver()) return CHECK_MS;
    // Items that were not started are free for other batches while those under way finish.
    await this.#release();
    return null;
  }

  async #work(item: Item): Promise<void> {
    this.#active++;
    try {
      await this.#batch.work(item, this);
    } catch (error) {
      if (this.#callOff.signal.aborted && error === this.#callOff.signal.reason) this.#calledOff.push(item);
      else this.#fail(error);
    } finally {
      this.#active--;
      this.#wake();
    }
  }

  /** Keeps the first failure, which ends the batch. */
  #fail(error: unknown): null {
    this.#failure ??= { error };
    this.stop();
    return null;
  }

  #isOver(): boolean {
    return this.#finished || performance.now() >= this.#until;
  }

  #wake(): void {
    this.#changed = true;
    this.#resume();
  }

  async #pause(ms: number): Promise<void> {
    if (this.#changed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #renew(): Promise<void> {
    await this.#batch.renew().catch((error: unknown) => this.#fail(error));
  }

  async #release(): Promise<void> {
    const left = [...this.#calledOff.splice(0), ...this.#ready.splice(0)];
    if (left.length > 0) await this.#batch.release(left);
  }
}
