// CRM sync: reads a source, compares it with what Sluice has sent before, and spends one API call on each difference.
// The ledger stores the records. This workflow only knows how many there are.

import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  setWorkflowOptions,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { apiQueue, SEARCH_KEYS } from '../src/core/ids.ts';
import type { RunPhase, Step } from '../src/jobs/sync/constants.ts';
import type { RetryRequest } from '../src/jobs/sync/contract/retry.ts';
import type { RunProgress, RunReport } from '../src/jobs/sync/contract/run.ts';
import { haltSignal, pauseUpdate, progressQuery, resumeUpdate, validateCommand } from './messages.ts';
import { API_OPTIONS, callPriority, LEDGER_OPTIONS } from './policies.ts';
import { PauseControl } from './shared/pause.ts';
import { pauseFor, reasonOf, refusalOf } from './shared/refusals.ts';
import { type SnapshotReader, snapshotCards, snapshotContacts } from './shared/snapshots.ts';
import { SyncBatches } from './shared/sync-batches.ts';
import { type Carried, isStopped, newState, progressOf, type RunState } from './shared/sync-state.ts';
import { pinned } from './versioning.ts';

export interface CrmSyncInput {
  readonly account: string;
  readonly sync: string;
  /** Retries records of an earlier run instead of reading the source. */
  readonly retry?: RetryRequest;
  /** Reads this file in the folder `data` beside the configuration, which has only some rows, instead of the source. */
  readonly corrections?: string;
  /** Set when a run continues as new. */
  readonly carried?: Carried;
}

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export async function crmSync(input: CrmSyncInput): Promise<RunReport> {
  const sync = new CrmSync(input);
  try {
    await sync.open();
    await sync.plan();
    await sync.prepare();
    await sync.syncRecords();
    return await sync.close('finished');
  } catch (error) {
    await sync.abandon(error);
    throw error;
  }
}
setWorkflowOptions(pinned, crmSync);

class CrmSync {
  readonly #input: CrmSyncInput;
  readonly #state: RunState;
  readonly #control: PauseControl;
  readonly #batches: SyncBatches;
  #phase: RunPhase = 'opening';
  #readShare: number | null = null;

  constructor(input: CrmSyncInput) {
    this.#input = input;
    this.#state = input.carried?.state ?? newState();
    this.#control = new PauseControl(input.carried ?? {}, () => this.#showPhase());
    this.#batches = new SyncBatches(this.#state, this.#control);
    setHandler(progressQuery, () => ({ ...this.#progress(), running: [...this.#batches.running] }));
    const pause = async (operatorCommand: Parameters<PauseControl['pause']>[0]) => {
      await this.#control.pause(operatorCommand);
      return this.#progress();
    };
    setHandler(pauseUpdate, pause, { validator: validateCommand });
    const resume = (command: Parameters<SyncBatches['resume']>[0]) => {
      this.#batches.resume(command);
      return this.#progress();
    };
    setHandler(haltSignal, (halt) => this.#batches.halt(halt));
    setHandler(resumeUpdate, resume, { validator: validateCommand });
  }

  async open(): Promise<void> {
    if (this.#state.run !== '') return;
    const { account, sync, retry, corrections } = this.#input;
    const opened = await ledger.openRun({
      account,
      sync,
      retry,
      corrections,
    });
    Object.assign(this.#state, opened);
    upsertSearchAttributes([{ key: SEARCH_KEYS.run, value: this.#state.run }]);
  }

  /** Reads the whole source first. Two rows about one person become one record, and the amount of work is known. */
  async plan(): Promise<void> {
    if (this.#state.planned) return;
    this.#enter('planning');
    const { run, counts } = this.#state;
    for (;;) {
      await this.#control.untilResumed();
      const page = await ledger.planPage({ run });
      Object.assign(counts, { read: page.read, merged: page.merged, rejected: page.rejected });
      this.#readShare = page.share;
      if (page.totals !== undefined) this.#state.totals = page.totals;
      if (page.done) break;
      await this.#continueWhenLong();
    }
    this.#state.planned = true;
  }

  /** Reads what the account offers and who exists there, but only when a record depends on it. */
  async prepare(): Promise<void> {
    if (this.#state.prepared) return;
    this.#enter('preparing');
    const { run, counts } = this.#state;
    const work = await ledger.countWork({ run });
    counts.total = work.total;
    const { readTags, readPipelines } = this.#api();
    if (work.tags > 0 || work.missingTags > 0) await this.#untilDone('setTags', () => readTags({ run }));
    if (work.missingTags > 0) counts.total += (await ledger.reviveTags({ run })).revived;
    if (work.cards > 0) await this.#untilDone('createCard', () => readPipelines({ run }));
    let finds = work.finds;
    if (work.readsContacts) finds = await snapshotContacts(this.#snapshotReader(), work.lookups, work.blind);
    if (finds > 1 && !isStopped(this.#state, 'createCard'))
      await snapshotCards(this.#snapshotReader(), finds);
    // Records that need no call are not counted.
    counts.total = this.#state.cards?.pending ?? this.#state.snapshot?.pending ?? counts.total;
    this.#state.prepared = true;
  }

  /** Runs batches until no record has a step left. */
  async syncRecords(): Promise<void> {
    this.#enter('syncing');
    for (;;) {
      await this.#control.untilResumed();
      if (await this.#batches.run()) return;
      if (CancellationScope.current().consideredCancelled)
        throw new CancelledFailure('the run was cancelled');
      await this.#continueWhenLong();
    }
  }

  async close(status: 'finished' | 'cancelled' | 'failed', error?: string): Promise<RunReport> {
    this.#enter('closing');
    const { run, stopped } = this.#state;
    const report = await ledger.closeRun({ run, status, stopped, error });
    this.#state.totals = report.totals;
    this.#enter('ended');
    await condition(allHandlersFinished);
    return report;
  }

  /** Closes a run that was canceled or has failed. */
  async abandon(error: unknown): Promise<void> {
    if (this.#state.run === '') return;
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => this.close('cancelled'));
    else if (error instanceof ActivityFailure || error instanceof ApplicationFailure)
      await this.close('failed', reasonOf(error));
  }

  /**
   * Makes a call that the whole run depends on. Waits through pauses, and pauses the run when the service refuses the
   * call.
   */
  async #untilDone<T>(step: Step, call: () => Promise<T>): Promise<T | null> {
    for (;;) {
      await this.#control.untilResumed();
      try {
        const answer = await this.#control.run(async () => ({ value: await call() }));
        if (answer !== null) return answer.value;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.scope === 'step') {
          this.#state.stopped |= refusal.stops ?? 0;
          log.warn('a step was stopped for all records', {
            run: this.#state.run,
            step,
            reason: reasonOf(error),
          });
          return null;
        }
        if (refusal?.scope !== 'run') throw error;
        this.#control.setPause(pauseFor(error));
      }
    }
  }

  async #continueWhenLong(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested) return;
    await condition(allHandlersFinished);
    const { account, sync } = this.#input;
    const { paused, resumed } = this.#control;
    const carried = { state: this.#state, paused, resumed };
    await continueAsNew<typeof crmSync>({ account, sync, carried });
  }

  /** What reading a snapshot needs from this run. */
  #snapshotReader(): SnapshotReader {
    return {
      state: this.#state,
      api: this.#api(),
      untilDone: (step, call) => this.#untilDone(step, call),
      continueWhenLong: () => this.#continueWhenLong(),
    };
  }

  /** API activities in the lane of this run, fair between tokens. */
  #api(): Activities {
    const { lane, tokenKey, callsPerMinute } = this.#state;
    return proxyActivities<Activities>({
      ...API_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(lane, tokenKey, callsPerMinute),
    });
  }

  #enter(phase: RunPhase): void {
    this.#phase = phase;
    this.#showPhase();
  }

  #showPhase(): void {
    const value = this.#control.paused === null ? this.#phase : 'paused';
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value }]);
  }

  #progress(): RunProgress {
    const now = progressOf(this.#state, this.#phase, this.#control.paused, this.#readShare);
    return { ...now, trouble: this.#batches.trouble };
  }
}
