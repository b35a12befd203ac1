// A batch of a poller: polls of page 1 and the readings that they cause, and old conversations besides.
//
// Items have no lease, because a poller's workflow runs one batch at a time. If a batch outlives its worker's
// connection, the ledger ignores the second of two responses.
import { ApplicationFailure } from '@temporalio/activity';
import { durationMs } from '../../src/core/config/base.ts';
import { LANES } from '../../src/core/lanes.ts';
import type { PollerConfig } from '../../src/jobs/conversations/config.ts';
import type {
  PollBatchInput,
  PollBatchResult,
  PollBlock,
  PollWork,
  WorkEnd,
} from '../../src/jobs/conversations/contract/poll.ts';
import { postponeReading } from '../../src/jobs/conversations/store/conversations.ts';
import { pollOutlook } from '../../src/jobs/conversations/store/pollers.ts';
import { type RefusalDetails } from '../../src/jobs/sync/contract/run.ts';
import { type BatchControl, type BatchWork, runBatch } from '../shared/batch.ts';
import { callScope, withCallScope } from '../shared/call-scope.ts';
import type { Deps } from '../shared/deps.ts';
import { blockOf, comesBackAfter, onlyWaits } from '../shared/failures.ts';
import type { ReadOptions } from './import-messages.ts';
import { type OldItem, OldWork } from './old-work.ts';
import { historyPage, pollPage } from './pages.ts';
import { readMessages } from './read-messages.ts';

/** Number of conversations read at the same time: enough to use a token's slots while responses are slow. */
const CONCURRENCY = 4;
/**
 * Number of readings after which page 1 is listed again. Conversations that change meanwhile are then queued and read
 * once.
 */
const READS_BETWEEN_LISTS = 20;
/** Factor by which the interval grows while nothing changes. */
const GROWTH = 1.5;

type NewsItem = { readonly type: 'list' } | { readonly type: 'read'; readonly conversation: number };
type PollItem = NewsItem | OldItem;

const isOld = (work: PollWork) => work === 'history' || work === 'readOld';

export interface PollBatchTools extends ReadOptions {
  readonly deps: Deps;
  readonly wake: (sinks: readonly string[]) => Promise<void>;
}

/** Polls, and reads what has changed, for up to one minute. */
export async function pollBatch(tools: PollBatchTools, input: PollBatchInput): Promise<PollBatchResult> {
  const batch = new PollBatch(tools, input);
  await runBatch(batch);
  return batch.result();
}

class PollBatch implements BatchWork<PollItem> {
  readonly concurrencyLimit = 2 * CONCURRENCY;
  readonly #tools: PollBatchTools;
  readonly #input: PollBatchInput;
  /** When the next poll is due; null while a poll is in progress. */
  #pollAt: number | null;
  #listedAt = 0;
  #intervalMs: number;
  /** Failures by kind, because a failing list says nothing about an old conversation. */
  readonly #failures: Record<PollWork, number>;
  #polls = 0;
  /** Number of conversations that the current poll has found changed. */
  #changed = 0;
  /** Conversations of this poll that have not started, and the number that have not ended. */
  #news: number[] = [];
  #newsLeft = 0;
  /** True if more conversations wait than are read before the next list. */
  #more = false;
  /** Delay until the poll continues, set if a reading of it has failed. */
  #retryMs: number | null = null;
  readonly #old: OldWork;
  readonly #ends: { readonly news: MutableEnd; readonly old: MutableEnd } = {
    news: { calls: 0, block: null },
    old: { calls: 0, block: null },
  };

  constructor(tools: PollBatchTools, input: PollBatchInput) {
    this.#tools = tools;
    this.#input = input;
    this.#pollAt = performance.now() + input.pollInMs;
    const { min, max } = this.#interval;
    this.#intervalMs = Math.min(max, Math.max(min, input.intervalMs));
    this.#failures = { ...input.failures };
    this.#old = new OldWork(tools.deps.db, input, CONCURRENCY);
  }

  async take(): Promise<readonly PollItem[]> {
    if (this.#pollAt !== null && this.#pollAt <= performance.now()) {
      this.#pollAt = null;
      return [{ type: 'list' }];
    }
    const begun = this.#newsLeft - this.#news.length;
    const news = this.#news.splice(0, CONCURRENCY - begun);
    if (news.length > 0) return news.map((conversation) => ({ type: 'read', conversation }));
    return this.#mayTakeOld() ? await this.#old.take() : [];
  }

  /** False while new messages wait to be read. */
  #mayTakeOld(): boolean {
    const { old, once } = this.#input;
    return old && !once && this.#ends.old.block === null && this.#news.length === 0;
  }

  async work(item: PollItem, batch: BatchControl): Promise<void> {
    const old = isOld(item.type);
    try {
      if (item.type === 'list') await this.#list(batch);
      else if (item.type === 'history')
        await this.#call(item.type, (failures) => historyPage(this.#tools.deps, this.#input, failures));
      else await this.#read(item.type, item.conversation);
    } catch (error) {
      if (!(error instanceof ApplicationFailure)) throw error;
      if (error.nonRetryable === true) {
        this.#ends[old ? 'old' : 'news'].block ??= pollBlockOf(error);
        // A refusal of old conversations ends the batch, so that it is shown at once. The next batch continues
        // without them.
        if (!old) return batch.stop();
        batch.finish();
      } else await this.#postpone(item, error);
    }
    if (old) this.#old.ended();
    else if (item.type === 'read' && --this.#newsLeft === 0) await this.#endPoll(batch);
  }

  /** Lists conversations down to what is known. */
  async #list(batch: BatchControl): Promise<void> {
    const { deps } = this.#tools;
    this.#listedAt = performance.now();
    let todo = 0;
    for (let done = false; !done; ) {
      const page = await this.#call('list', (failures) => pollPage(deps, this.#input, failures));
      this.#changed += page.changed;
      ({ done, todo } = page);
    }
    const { reads } = todo === 0 ? { reads: [] } : await this.#outlook();
    this.#news = reads.slice(0, READS_BETWEEN_LISTS);
    this.#newsLeft = this.#news.length;
    this.#more = reads.length > READS_BETWEEN_LISTS;
    if (this.#newsLeft === 0) await this.#endPoll(batch, todo === 0);
  }

  /** Reads a conversation back to what is known. */
  async #read(work: 'read' | 'readOld', conversation: number): Promise<void> {
    const { deps, wake, messagePageSize, keep } = this.#tools;
    const call = { ...this.#input, conversation };
    for (let done = false; !done; ) {
      const read = await this.#call(work, (failures) =>
        readMessages(deps, call, { messagePageSize, keep }, failures),
      );
      if (read.sinks.length > 0) await wake(read.sinks);
      done = read.done;
    }
  }

  /** Ends the poll once everything listed is read or has to wait. */
  async #endPoll(batch: BatchControl, quiet = false): Promise<void> {
    if (this.#more || this.#retryMs !== null) {
      this.#pollAt = performance.now() + (this.#more ? 0 : (this.#retryMs as number));
      this.#retryMs = null;
      return;
    }
    const { min, max } = this.#interval;
    this.#intervalMs = this.#changed > 0 ? min : Math.min(max, Math.ceil(this.#intervalMs * GROWTH));
    const nextMs = (quiet ? null : (await this.#outlook()).nextMs) ?? Infinity;
    this.#pollAt = Math.min(this.#listedAt + this.#intervalMs, performance.now() + nextMs);
    // The poll may also have found old conversations.
    if (this.#changed > 0 || this.#polls === 0) this.#old.refresh();
    this.#changed = 0;
    this.#polls++;
    if (this.#input.once) batch.finish();
  }

  /** Postpones an item that failed temporarily and frees its slot. */
  async #postpone(item: PollItem, error: ApplicationFailure): Promise<void> {
    // A token over its limit says nothing about the call.
    const ms = comesBackAfter(error);
    if (ms === null) throw error;
    if (!onlyWaits(error)) this.#failures[item.type]++;
    if (item.type === 'list') this.#pollAt = performance.now() + ms;
    else if (item.type === 'history') this.#old.postpone(ms);
    else {
      const { db } = this.#tools.deps;
      await postponeReading(db, this.#input.account, item.conversation, ms / 1000);
      if (item.type === 'read') this.#retryMs = Math.min(ms, this.#retryMs ?? ms);
    }
  }

  /**
   * Makes one call and passes it the number of failures in a row of its kind, if it fails. Within its share, polling
   * has priority over campaigns and syncs. Beyond its share it uses what they leave.
   */
  async #call<T>(work: PollWork, call: (failures: number) => Promise<T>): Promise<T> {
    const { signal } = callScope();
    signal.throwIfAborted();
    const share = { key: `${this.#input.account}/${this.#input.poller}`, part: this.#config.share };
    const result = await withCallScope(
      isOld(work) ? { lane: LANES.backfill, signal } : { lane: LANES.poll, signal, share },
      () => call(this.#failures[work] + 1),
    );
    this.#ends[isOld(work) ? 'old' : 'news'].calls++;
    this.#failures[work] = 0;
    return result;
  }

  async #outlook() {
    const { account, poller } = this.#input;
    const question = { account, poller, limit: READS_BETWEEN_LISTS + 1, old: false };
    return await pollOutlook(this.#tools.deps.db, question);
  }

  get #config(): PollerConfig {
    return this.#tools.deps.poller(this.#input.account, this.#input.poller);
  }

  get #interval(): { min: number; max: number } {
    const { min, max } = this.#config.interval;
    return { min: durationMs(min), max: durationMs(max) };
  }

  async next(): Promise<number | null> {
    const pollInMs = this.#pollAt === null ? null : Math.max(0, this.#pollAt - performance.now());
    const oldInMs = this.#mayTakeOld() ? this.#old.takeInMs : null;
    const ms = Math.min(pollInMs ?? Infinity, oldInMs ?? Infinity);
    return ms === Infinity ? null : ms;
  }

  async release(): Promise<void> {}
  async renew(): Promise<void> {}

  progress(): unknown {
    return { polls: this.#polls, calls: this.#ends.news.calls + this.#ends.old.calls };
  }

  result(): PollBatchResult {
    // An interrupted poll continues at once.
    const pollInMs = this.#pollAt === null ? 0 : Math.max(0, this.#pollAt - performance.now());
    const oldInMs = this.#old.leftMs;
    return {
      polls: this.#polls,
      pollInMs: Math.ceil(pollInMs),
      oldInMs: oldInMs === null ? null : Math.ceil(oldInMs),
      intervalMs: this.#intervalMs,
      failures: this.#failures,
      news: this.#ends.news,
      old: this.#ends.old,
    };
  }
}

type MutableEnd = { -readonly [Key in keyof WorkEnd]: WorkEnd[Key] };

function pollBlockOf(error: ApplicationFailure): PollBlock {
  const { shape } = (error.details?.[0] ?? {}) as Partial<RefusalDetails>;
  return { ...blockOf(error), shape: shape ?? null };
}
