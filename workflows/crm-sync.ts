// CRM sync: reads a source, compares it with what the service was told, and spends one API call on each
// thing that differs. The ledger holds the records; this workflow knows them by number only.
import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  log,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { RetryRequest } from '../src/contracts/retry.ts';
import type { PlannedRecord, RunPhase, RunProgress, RunReport, Step } from '../src/contracts/run.ts';
import { announceEnd } from './announce.ts';
import { type OperatorAct, pauseUpdate, progressQuery, resumeUpdate, SEARCH_KEYS } from './messages.ts';
import { API_OPTIONS, apiQueue, callPriority, LANE, LEDGER_OPTIONS } from './policies.ts';
import { CARD_STEPS, nextStep, stepBits } from './record-steps.ts';
import { reasonOf, refusalOf } from './refusals.ts';
import { type Calls, RunControl, validateAct } from './run-control.ts';
import { type Surveyor, type SurveyState, surveyCards, surveyContacts } from './snapshots.ts';

export interface CrmSyncInput {
  readonly account: string;
  readonly sync: string;
  /** Records of an earlier run instead of the source. */
  readonly retry?: RetryRequest;
  /** Set when a run continues as new. */
  readonly carried?: Carried;
}

/** What a run takes along when it continues as new; everything else is in the ledger. */
export interface Carried {
  readonly state: RunState;
  readonly paused: OperatorAct | null;
}

interface RunState {
  /** Empty until the ledger has opened the run. */
  run: string;
  tokenKey: string;
  concurrency: number;
  lane?: number;
  /** Calls a minute that the account's tokens allow, as the ledger knew last. */
  callsPerMinute?: number;
  /** A sink is still to be told that the run has ended. */
  announce: boolean;
  planned: boolean;
  prepared: boolean;
  /** Steps that the account refuses, as bits: nobody tries them again in this run. */
  stopped: number;
  counts: Counts;
  /** How far the account's contacts have been read, while that goes on. */
  survey?: SurveyState;
  /** The same for the cards of the pipeline. */
  cards?: SurveyState;
}

type Counts = Record<
  'read' | 'rejected' | 'total' | 'created' | 'updated' | 'unchanged' | 'failed' | 'unknown' | 'cards',
  number
>;

const NOTHING: Counts = {
  read: 0,
  rejected: 0,
  total: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  unknown: 0,
  cards: 0,
};

/** Records handed over by the ledger at once: some 12 bytes each in the history. */
const BATCH = 500;
/** The first hand-over is small: what the first answers teach about the token's limit counts from the second on. */
const FIRST_BATCH = 50;
/** So many people whom nobody looks up make a first page worth its call. */
const BLIND = 20;
/** Calls a minute of a token until the ledger tells (API text, Limits). */
const CALLS_PER_MINUTE = 120;

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export async function crmSync(input: CrmSyncInput): Promise<RunReport> {
  return await new CrmSync(input).execute();
}

class CrmSync {
  readonly #input: CrmSyncInput;
  readonly #state: RunState;
  #phase: RunPhase = 'opening';
  #readShare: number | null = null;
  /** Steps that were answered, be it by a refusal: while there are more of them, the run gets on. */
  #answers = 0;
  readonly #control: RunControl;

  constructor(input: CrmSyncInput) {
    this.#input = input;
    this.#state = input.carried?.state ?? {
      run: '',
      tokenKey: '',
      concurrency: 1,
      announce: false,
      planned: false,
      prepared: false,
      stopped: 0,
      counts: { ...NOTHING },
    };
    this.#control = new RunControl(input.carried?.paused ?? null, () => this.#showPhase());
    setHandler(progressQuery, () => this.#progress());
    setHandler(
      pauseUpdate,
      async (act) => {
        await this.#control.pause(act);
        return this.#progress();
      },
      { validator: validateAct },
    );
    setHandler(
      resumeUpdate,
      (act) => {
        this.#control.resume(act);
        return this.#progress();
      },
      { validator: validateAct },
    );
  }

  async execute(): Promise<RunReport> {
    try {
      if (this.#state.run === '') await this.#open();
      if (!this.#state.planned) await this.#plan();
      if (!this.#state.prepared) await this.#prepare();
      await this.#syncRecords();
      return await this.#close('finished');
    } catch (error) {
      if (this.#state.run !== '' && isCancellation(error)) {
        await CancellationScope.nonCancellable(() => this.#close('cancelled'));
      } else if (
        this.#state.run !== '' &&
        (error instanceof ActivityFailure || error instanceof ApplicationFailure)
      ) {
        await this.#close('failed', reasonOf(error));
      }
      throw error;
    }
  }

  async #open(): Promise<void> {
    Object.assign(
      this.#state,
      await ledger.openRun({
        account: this.#input.account,
        sync: this.#input.sync,
        ...(this.#input.retry === undefined ? {} : { retry: this.#input.retry }),
      }),
    );
    upsertSearchAttributes([{ key: SEARCH_KEYS.run, value: this.#state.run }]);
  }

  /** Reads the whole source first: two rows about one person become one record, and the amount of work is known. */
  async #plan(): Promise<void> {
    this.#enter('planning');
    for (;;) {
      await this.#control.turn();
      const page = await ledger.planPage({ run: this.#state.run });
      this.#state.counts.read = page.read;
      this.#state.counts.rejected = page.rejected;
      this.#readShare = page.share;
      if (page.done) break;
      await this.#continueWhenLong();
    }
    this.#state.planned = true;
  }

  /** Reads what the account offers, and who is there already: only when some record needs to know. */
  async #prepare(): Promise<void> {
    this.#enter('preparing');
    const work = await ledger.countWork({ run: this.#state.run });
    this.#state.counts.total = work.total;
    const { readTags, readPipelines } = this.#api();
    if (work.tags > 0 || work.missingTags > 0)
      await this.#untilDone('setTags', () => readTags({ run: this.#state.run }));
    if (work.missingTags > 0) {
      const { revived } = await ledger.reviveTags({ run: this.#state.run });
      this.#state.counts.total += revived;
    }
    if (work.cards > 0) await this.#untilDone('createCard', () => readPipelines({ run: this.#state.run }));
    let finds = work.finds;
    if (work.lookups > 1 || work.blind >= BLIND)
      finds = await surveyContacts(this.#surveyor(), work.lookups, work.blind);
    if (finds > 1 && nextStep(stepBits(['findCard']), this.#state.stopped) !== null)
      await surveyCards(this.#surveyor(), finds);
    // Who was found to have it all needs no call.
    this.#state.counts.total =
      this.#state.cards?.pending ?? this.#state.survey?.pending ?? this.#state.counts.total;
    this.#state.prepared = true;
  }

  async #syncRecords(): Promise<void> {
    this.#enter('syncing');
    const control = this.#control;
    let after = 0;
    let answersBefore = -1;
    let limit = FIRST_BATCH;
    for (;;) {
      await control.turn(this.#state.concurrency);
      const answer = await ledger.nextRecords({
        run: this.#state.run,
        after,
        stopped: this.#state.stopped,
        limit,
      });
      limit = BATCH;
      // Histories of earlier versions hold the bare list.
      const batch = 'records' in answer ? answer.records : (answer as PlannedRecord[]);
      if ('records' in answer) this.#state.callsPerMinute = answer.callsPerMinute;
      for (const record of batch) {
        await condition(() => control.active < this.#state.concurrency || control.held !== null);
        if (control.held !== null) break;
        after = record.id;
        void control.during((calls) => this.#syncRecord(record, calls));
        await this.#continueWhenLong();
      }
      if (batch.length > 0 && control.held === null) continue;
      await control.idle();
      // Once more from the start: records that a pause took back are pending still.
      if (after === 0 && batch.length === 0) return;
      if (!control.askTookBack() && this.#answers === answersBefore) {
        throw ApplicationFailure.nonRetryable('records stay pending although each was tried', 'STUCK');
      }
      answersBefore = this.#answers;
      after = 0;
    }
  }

  /** One record, step by step, until it has ended, its steps are stopped, or the run pauses. */
  async #syncRecord(record: PlannedRecord, calls: Calls): Promise<void> {
    let { todo } = record;
    try {
      for (
        let step = nextStep(todo, this.#state.stopped);
        step !== null;
        step = nextStep(todo, this.#state.stopped)
      ) {
        if (this.#control.held !== null) return;
        const current = step;
        const result = await this.#attempt(calls, current, () =>
          this.#api()[current]({ run: this.#state.run, record: record.id }),
        );
        this.#answers++;
        if (result === null) return;
        todo = result.todo;
        if (result.cardCreated === true) this.#state.counts.cards++;
        if (result.ended !== undefined && result.ended !== 'rejected') {
          this.#state.counts[result.ended]++;
          return;
        }
        if (result.waitMs !== undefined) await calls.wait(result.waitMs);
      }
    } catch (error) {
      // Taken back by a pause or a cancellation: the record is pending still and comes again.
      if (isCancellation(error) || calls.takenBack) return;
      this.#control.hold({ by: 'sluice', reason: reasonOf(error) });
    }
  }

  /** Makes a call; a refusal of the step for the whole account stops the step, and answers null. */
  async #attempt<T>(calls: Calls, step: Step, call: () => Promise<T>): Promise<T | null> {
    try {
      return await calls.make(call);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal?.scope !== 'step') throw error;
      this.#state.stopped |= refusal.step === 'setTags' ? stepBits(['setTags']) : stepBits(CARD_STEPS);
      log.warn('a step was stopped for all records', { run: this.#state.run, step, reason: reasonOf(error) });
      return null;
    }
  }

  /** A call on which the whole run depends: waits through pauses, and pauses the run itself when it is refused. */
  async #untilDone<T>(step: Step, call: () => Promise<T>): Promise<T | null> {
    for (;;) {
      await this.#control.turn();
      const answer = await this.#control.during(async (calls) => {
        try {
          return { value: await this.#attempt(calls, step, call) };
        } catch (error) {
          // Taken back by a pause, which may be over again by now.
          if (calls.takenBack) return null;
          if (refusalOf(error)?.scope !== 'run') throw error;
          this.#control.hold({ by: 'sluice', reason: reasonOf(error) });
          return null;
        }
      });
      if (answer !== null) return answer.value;
    }
  }

  async #close(status: 'finished' | 'cancelled' | 'failed', error?: string): Promise<RunReport> {
    this.#enter('closing');
    await this.#control.idle();
    const report = await ledger.closeRun({
      run: this.#state.run,
      status,
      stopped: this.#state.stopped,
      ...(error === undefined ? {} : { error }),
    });
    // Closing may begin anew, when a cancellation comes meanwhile: a sink is told once.
    const tell = this.#state.announce;
    this.#state.announce = false;
    const warnings = tell ? await announceEnd(this.#state.run) : [];
    this.#enter('ended');
    await condition(allHandlersFinished);
    return { ...report, warnings: [...report.warnings, ...warnings] };
  }

  async #continueWhenLong(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested) return;
    await condition(() => this.#control.active === 0 && allHandlersFinished());
    await continueAsNew<typeof crmSync>({
      account: this.#input.account,
      sync: this.#input.sync,
      carried: { state: this.#state, paused: this.#control.held },
    });
  }

  /** What the reading of snapshots needs of this run. */
  #surveyor(): Surveyor {
    return {
      state: this.#state,
      api: this.#api(),
      untilDone: (step, call) => this.#untilDone(step, call),
      continueWhenLong: () => this.#continueWhenLong(),
    };
  }

  /** API activities in the lane of this run, fair between tokens. */
  #api(): Activities {
    return proxyActivities<Activities>({
      ...API_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: callPriority(
        this.#state.lane ?? LANE.backfill,
        this.#state.tokenKey,
        this.#state.callsPerMinute ?? CALLS_PER_MINUTE,
      ),
    });
  }

  #enter(phase: RunPhase): void {
    this.#phase = phase;
    this.#showPhase();
  }

  #showPhase(): void {
    const value = this.#control.held === null ? this.#phase : 'paused';
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value }]);
  }

  #ended(): number {
    const { created, updated, unchanged, failed, unknown } = this.#state.counts;
    return created + updated + unchanged + failed + unknown;
  }

  #progress(): RunProgress {
    const { read, rejected, total, created, updated, failed, unknown, cards } = this.#state.counts;
    return {
      run: this.#state.run === '' ? null : this.#state.run,
      phase: this.#phase,
      paused: this.#control.held,
      read,
      readShare: this.#readShare,
      total,
      done: this.#ended(),
      created,
      updated,
      failed,
      unknown,
      rejected,
      cards,
      stoppedSteps: (['setTags', 'createCard'] as const).filter(
        (step) => (this.#state.stopped & stepBits([step])) !== 0,
      ),
    };
  }
}
