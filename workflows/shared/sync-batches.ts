// The batches of a sync: a single one until every kind of write is verified, then two side by side.

import { CancellationScope, condition, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { SyncBatchInput, SyncBatchResult } from '../../activities/sync/sync-batch.ts';
import { apiQueue } from '../../src/core/ids.ts';
import type { EndCounts, Halt } from '../../src/jobs/sync/contract/run.ts';
import type { OperatorCommand } from '../messages.ts';
import { BATCH_OPTIONS, callPriority, LEDGER_OPTIONS } from '../policies.ts';
import type { PauseControl } from './pause.ts';
import type { RunState } from './sync-state.ts';

/** Two batches side by side, so that a killed worker costs almost no time. */
const SIDE_BY_SIDE = 2;

type Share = Pick<SyncBatchInput, 'concurrencyLimit' | 'alone' | 'verifies'>;

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export class SyncBatches {
  readonly #state: RunState;
  readonly #control: PauseControl;
  /** Batches under way. Their counts are not part of the state yet. */
  readonly running = new Set<string>();
  trouble: SyncBatchResult['trouble'] = null;
  /** How often the run has been resumed. */
  #resumes = 0;
  #nothingLeft = false;
  #failed = false;

  constructor(state: RunState, control: PauseControl) {
    this.#state = state;
    this.#control = control;
  }

  /**
   * Runs batch after batch.
   * @returns true when no record is left; false when the run is paused or canceled, or its history is long
   */
  async run(): Promise<boolean> {
    const { concurrency } = this.#state;
    if (this.#state.verifying)
      await this.#series({
        concurrencyLimit: Math.ceil(concurrency / SIDE_BY_SIDE),
        alone: true,
        verifies: true,
      });
    const series = Array.from({ length: SIDE_BY_SIDE }, (_, n) => {
      const concurrencyLimit = Math.floor((concurrency + n) / SIDE_BY_SIDE);
      // The last series always has capacity.
      const verifies = n === SIDE_BY_SIDE - 1;
      return concurrencyLimit > 0 ? this.#series({ concurrencyLimit, alone: false, verifies }) : undefined;
    });
    // Nothing of the run may be under way when it continues as new or fails.
    const ends = await Promise.allSettled(series);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return this.#nothingLeft;
  }

  /** Runs batches one after the other until nothing is left; runs alone until every kind of write is verified. */
  async #series(share: Share): Promise<void> {
    while (!this.#mustStop()) {
      const result = await this.#batch(share);
      if (result === null) continue;
      if (result.nextMs === null) this.#nothingLeft = true;
      else if (share.alone && !result.verifying) {
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

  /** Returns null when the batch was canceled before it started. */
  async #batch(share: Share): Promise<SyncBatchResult | null> {
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
      const input = { run, stopped, verified: writes.verified, resumes: this.#resumes, ...share };
      const takeBack = (error: unknown) => this.#takeBack(activityId, error);
      const result = await this.#control.run(() => syncBatch(input).catch(takeBack));
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
    const { writes } = this.#state;
    this.#count(result);
    this.#state.stopped |= result.stopped;
    this.#state.callsPerMinute = result.callsPerMinute;
    writes.verified |= result.verified;
    this.trouble = result.trouble;
    if (result.halt !== null) this.halt(result.halt);
  }

  /**
   * Pauses the run. If the run is already paused, a difference is kept until somebody resumes. A refusal from before
   * the last resume does not pause: its cause may be what the operator has put right.
   */
  halt(halt: Halt): void {
    if (halt.kinds !== 0) this.#state.writes.differences.push(halt);
    else if (halt.resumes < this.#resumes) return;
    this.#show(halt);
  }

  /** The operator accepts the difference that paused the run. Any other difference pauses the run again. */
  resume(command: OperatorCommand & { readonly recheck?: boolean }): void {
    const { writes } = this.#state;
    const reason = this.#control.paused?.reason;
    if (this.#control.paused !== null) this.#resumes += 1;
    if (command.recheck === true) {
      writes.differences = [];
      this.#state.verifying = true;
    }
    for (const halt of writes.differences) if (halt.reason === reason) writes.verified |= halt.kinds;
    writes.differences = writes.differences.filter((halt) => halt.reason !== reason);
    this.#control.resume(command);
    const [next] = writes.differences;
    if (next !== undefined) this.#show(next);
  }

  #show({ code, reason }: Halt): void {
    this.#control.setPause({ by: 'sluice', code, reason });
  }

  #count(ends: EndCounts): void {
    for (const key of ['created', 'updated', 'unchanged', 'failed', 'unknown', 'cards'] as const)
      this.#state.counts[key] += ends[key] ?? 0;
  }

  /**
   * A batch without a result may still run on a stalled worker. It loses its records, gets no others, and the records
   * that it finished count.
   */
  async #takeBack(batch: string, error: unknown): Promise<never> {
    const { run } = this.#state;
    this.#count(await CancellationScope.nonCancellable(() => ledger.takeBackRecords({ run, batch })));
    throw error;
  }
}
