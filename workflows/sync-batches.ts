// The batches of a sync: a first one alone, until every kind of write was verified, then two side by side.
import { CancellationScope, condition, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { SyncBatchResult } from '../activities/sync-batch.ts';
import type { PauseControl } from './pause.ts';
import { apiQueue, BATCH_OPTIONS, callPriority, LEDGER_OPTIONS } from './policies.ts';
import type { RunState } from './sync-state.ts';

/** Side by side, so that a killed worker hardly costs anything. */
const SIDE_BY_SIDE = 2;

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export class SyncBatches {
  readonly #state: RunState;
  readonly #control: PauseControl;
  /** Batches that are under way: what they count is not part of the state yet. */
  readonly running = new Set<string>();
  trouble: SyncBatchResult['trouble'] = null;
  #nothingLeft = false;
  #failed = false;

  constructor(state: RunState, control: PauseControl) {
    this.#state = state;
    this.#control = control;
  }

  /**
   * Runs batch after batch.
   * @returns true when no record is left to work; false when the run is paused or cancelled, or its history is long
   */
  async run(): Promise<boolean> {
    const { concurrency } = this.#state;
    if (this.#state.verifying) await this.#series(Math.ceil(concurrency / SIDE_BY_SIDE), true);
    const places = Array.from({ length: SIDE_BY_SIDE }, (_, n) =>
      Math.floor((concurrency + n) / SIDE_BY_SIDE),
    );
    const series = places.map((each) => (each > 0 ? this.#series(each, false) : undefined));
    // Nothing of the run may be under way when it goes on, or fails.
    const ends = await Promise.allSettled(series);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return this.#nothingLeft;
  }

  /** Batches one after the other, until nothing is left to do; alone, until every kind of write is verified. */
  async #series(places: number, alone: boolean): Promise<void> {
    while (!this.#mustStop()) {
      const result = await this.#batch(places, alone);
      if (result === null) continue;
      if (result.nextMs === null) this.#nothingLeft = true;
      else if (alone && !result.verifying) {
        this.#state.verifying = false;
        return;
      } else if (result.nextMs > 0) await condition(() => this.#mustStop(), result.nextMs);
    }
  }

  #mustStop(): boolean {
    const { paused, cancelled } = this.#control;
    return paused !== null || cancelled || this.#over || workflowInfo().continueAsNewSuggested;
  }

  /** True once nothing is left, or a batch has failed. */
  get #over(): boolean {
    return this.#nothingLeft || this.#failed;
  }

  /** Null when it was called off before it began. */
  async #batch(places: number, alone: boolean): Promise<SyncBatchResult | null> {
    const { run, lane, tokenKey, callsPerMinute, stopped, writes } = this.#state;
    const activityId = `batch-${++this.#state.batches}`;
    const { syncBatch } = proxyActivities<Activities>({
      ...BATCH_OPTIONS,
      activityId,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(lane, tokenKey, callsPerMinute),
    });
    this.running.add(activityId);
    try {
      const input = { run, places, alone, stopped, verified: writes.verified };
      const result = await this.#control.run(() => syncBatch(input).catch(takeBack(run)));
      if (result !== null) this.#add(result);
      return result;
    } catch (error) {
      this.#failed = true;
      throw error;
    } finally {
      this.running.delete(activityId);
    }
  }

  #add(result: SyncBatchResult): void {
    const { counts, writes } = this.#state;
    for (const key of ['created', 'updated', 'unchanged', 'failed', 'unknown', 'cards'] as const)
      counts[key] += result[key];
    this.#state.stopped |= result.stopped;
    this.#state.callsPerMinute = result.callsPerMinute;
    writes.verified |= result.verified;
    writes.differed |= result.differed;
    this.trouble = result.trouble;
    if (result.halt !== null) this.#control.hold({ by: 'sluice', ...result.halt });
  }
}

/** A batch that was called off and has no result may run on where its worker stalls: from here on it holds no record. */
function takeBack(run: string) {
  return async (error: unknown): Promise<never> => {
    if (CancellationScope.current().consideredCancelled)
      await CancellationScope.nonCancellable(() => ledger.takeBackRecords({ run }));
    throw error;
  };
}
