// The frame of a batch: an activity that takes due items from the ledger and works many of them at once.
import { setMaxListeners } from 'node:events';
import { CancelledFailure, Context } from '@temporalio/activity';
import { callScope, withCallScope } from './call-scope.ts';
import { HEARTBEAT_MS, sendOwnHeartbeats } from './heartbeats.ts';

/** A batch takes items up for so long; what is under way then comes to its end. */
const TAKE_MS = 50_000;
/** Then whoever still waits for a slot is called off: with a small limit, a line of them would take minutes. */
const SLOT_MS = 5000;
/** A batch, or the work at an event, waits inside for what is due this soon, instead of ending. */
export const LINGER_MS = 5000;
/** Between two looks while items are under way and nothing else is due. */
const CHECK_MS = 1000;

/** An item that nobody renews is due again after so many seconds: its worker was killed. */
export const LEASE_SECONDS = 10;
const RENEW_MS = 3000;

export interface BatchControl {
  /** Takes no further item; what is under way goes on. */
  finish(): void;
  /** Takes no further item and calls off whoever waits for a slot. */
  stop(): void;
}

export interface BatchWork<Item> {
  /** Items under way at once. */
  readonly concurrencyLimit: number;
  /** Leases up to `limit` due items for {@link LEASE_SECONDS}. */
  take(limit: number): Promise<readonly Item[]>;
  /**
   * Works one item until it has ended or has to wait, and writes either down. Rejects with the reason of the call scope's
   * signal when it was called off, and with anything else to fail the batch, which Temporal then tries again.
   */
  work(item: Item, batch: BatchControl): Promise<void>;
  /** Gives back items that were called off or never begun: they are due at once. */
  release(items: readonly Item[]): Promise<void>;
  /** Renews the leases of all items that this batch holds. */
  renew(): Promise<void>;
  /** Milliseconds until an item that nobody holds is due, 0 when one is; null when none will be. */
  next(): Promise<number | null>;
  /** Details of the heartbeats: counts, nothing personal. */
  progress(): unknown;
}

export interface BatchResult {
  /** Milliseconds until something is due, 0 when it is; null when nothing is left. */
  readonly nextMs: number | null;
}

/** Works through what is due, for a minute at most. A cancellation ends it early, with its result as usual. */
export async function runBatch<Item>(batch: BatchWork<Item>): Promise<BatchResult> {
  return await new Batch(batch).run();
}

class Batch<Item> implements BatchControl {
  readonly #batch: BatchWork<Item>;
  readonly #callOff = new AbortController();
  readonly #until = performance.now() + TAKE_MS;
  /** Leased, and not begun yet. */
  readonly #ready: Item[] = [];
  readonly #calledOff: Item[] = [];
  #active = 0;
  #finished = false;
  #failure: { readonly error: unknown } | null = null;
  /** Something has ended since the places were last checked. */
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
    // Each call under way listens.
    setMaxListeners(0, this.#callOff.signal);
    const scope = callScope();
    const { signal } = scope;
    // Also when the worker shuts down: another one goes on, and calls under way come to their answer here.
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
   * Fills the places.
   * @returns milliseconds until more may be due; null when the batch takes no more
   */
  async #begin(): Promise<number | null> {
    const { concurrencyLimit } = this.#batch;
    while (!this.#isOver() && this.#active < concurrencyLimit) {
      // As many as there are places: one statement serves them all, though they free up one by one.
      if (this.#ready.length === 0) this.#ready.push(...(await this.#batch.take(concurrencyLimit)));
      const item = this.#ready.shift();
      if (item === undefined) {
        const nextMs = await this.#batch.next();
        const nothingSoon = nextMs === null || nextMs > LINGER_MS;
        // What ended while the ledger was asked may have brought more: the batch asks once more.
        if (nothingSoon && this.#active === 0 && !this.#changed) return null;
        return Math.min(nextMs ?? CHECK_MS, CHECK_MS);
      }
      if (this.#isOver()) this.#calledOff.push(item);
      else void this.#work(item);
    }
    if (!this.#isOver()) return CHECK_MS;
    // What was not begun is for others, while what is under way may take its time.
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

  /** The first failure stands; it ends the batch. */
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
