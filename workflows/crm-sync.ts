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
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { PlannedRecord, RunPhase, RunProgress, RunReport, Step } from '../src/contracts/run.ts';
import { announceEnd } from './announce.ts';
import { type OperatorAct, pauseUpdate, progressQuery, resumeUpdate, SEARCH_KEYS } from './messages.ts';
import { API_OPTIONS, apiQueue, LEDGER_OPTIONS } from './policies.ts';
import { CARD_STEPS, nextStep, stepBits } from './record-steps.ts';
import { reasonOf, refusalOf } from './refusals.ts';

export interface CrmSyncInput {
  readonly account: string;
  readonly sync: string;
  /** Set when a run continues as new. */
  readonly carried?: Carried;
}

/** What a run takes along when it continues as new; everything else is in the ledger. */
export interface Carried {
  readonly run: string;
  readonly tokenKey: string;
  readonly concurrency: number;
  readonly announce: boolean;
  readonly planned: boolean;
  readonly prepared: boolean;
  readonly stopped: number;
  readonly paused: OperatorAct | null;
  readonly counts: Counts;
}

interface Counts {
  read: number;
  rejected: number;
  total: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  unknown: number;
  cards: number;
}

/** Records handed over by the ledger at once: some 12 bytes each in the history. */
const BATCH = 500;
const BACKFILL_LANE = 5;

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

export async function crmSync(input: CrmSyncInput): Promise<RunReport> {
  return await new CrmSync(input).execute();
}

class CrmSync {
  readonly #input: CrmSyncInput;
  #phase: RunPhase = 'opening';
  #run = '';
  #tokenKey = '';
  #concurrency = 1;
  /** A sink is still to be told that the run has ended. */
  #announce = false;
  #planned = false;
  #prepared = false;
  /** Steps that the account refuses, as bits: nobody tries them again in this run. */
  #stopped = 0;
  #paused: OperatorAct | null = null;
  #readShare: number | null = null;
  #counts: Counts = {
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
  /** Records, and calls for the run as a whole, that are under way. */
  #active = 0;
  /** A pause took records back since the source was gone through from its start. */
  #tookBack = false;
  /** Holds the calls of this run, so that a pause can take back those which nobody has begun. */
  #calls = new CancellationScope();

  constructor(input: CrmSyncInput) {
    this.#input = input;
    if (input.carried !== undefined) this.#adopt(input.carried);
    setHandler(progressQuery, () => this.#progress());
    setHandler(pauseUpdate, (act) => this.#pause(act), { validator: validateAct });
    setHandler(resumeUpdate, (act) => this.#resume(act), { validator: validateAct });
  }

  async execute(): Promise<RunReport> {
    try {
      if (this.#run === '') await this.#open();
      if (!this.#planned) await this.#plan();
      if (!this.#prepared) await this.#prepare();
      await this.#syncRecords();
      return await this.#close('finished');
    } catch (error) {
      if (this.#run !== '' && isCancellation(error)) {
        await CancellationScope.nonCancellable(() => this.#close('cancelled'));
      } else if (
        this.#run !== '' &&
        (error instanceof ActivityFailure || error instanceof ApplicationFailure)
      ) {
        await this.#close('failed', reasonOf(error));
      }
      throw error;
    }
  }

  async #open(): Promise<void> {
    const opened = await ledger.openRun({ account: this.#input.account, sync: this.#input.sync });
    this.#run = opened.run;
    this.#tokenKey = opened.tokenKey;
    this.#concurrency = opened.concurrency;
    this.#announce = opened.announce;
    this.#planned = opened.planned;
    upsertSearchAttributes([{ key: SEARCH_KEYS.run, value: opened.run }]);
  }

  /** Reads the whole source first: two rows about one person become one record, and the amount of work is known. */
  async #plan(): Promise<void> {
    this.#enter('planning');
    for (;;) {
      await condition(() => this.#paused === null);
      const page = await ledger.planPage({ run: this.#run });
      this.#counts.read = page.read;
      this.#counts.rejected = page.rejected;
      this.#readShare = page.share;
      if (page.done) break;
      await this.#continueWhenLong();
    }
    this.#planned = true;
  }

  /** Reads what the account offers, and who is there already: only when some record needs to know. */
  async #prepare(): Promise<void> {
    this.#enter('preparing');
    const work = await ledger.countWork({ run: this.#run });
    this.#counts.total = work.total;
    const { readTags, readPipelines } = this.#api();
    if (work.tags > 0) await this.#untilDone('setTags', () => readTags({ run: this.#run }));
    if (work.cards > 0) await this.#untilDone('createCard', () => readPipelines({ run: this.#run }));
    if (work.lookups > 1) await this.#survey(work.lookups);
    this.#prepared = true;
  }

  /** Reads the account's contacts by the hundred when that takes fewer calls than looking people up one by one. */
  async #survey(lookups: number): Promise<void> {
    const { surveyContacts } = this.#api();
    for (let page = 1, pages = 1; page <= pages; page++) {
      const answer = await this.#untilDone('lookup', () => surveyContacts({ run: this.#run, page }));
      if (answer === null) return;
      const needed = Math.ceil(answer.count / 100);
      // The first page is spent either way; the others only if they are fewer than the look-ups.
      if (page === 1 && needed - 1 <= lookups) pages = needed;
      // Contacts that came, went or moved meanwhile may have slipped between two pages.
      if (page === pages)
        await ledger.settleSurvey({
          run: this.#run,
          complete: answer.seen === answer.count && !answer.hasMore,
        });
    }
  }

  async #syncRecords(): Promise<void> {
    this.#enter('syncing');
    let after = 0;
    let endedBefore = -1;
    for (;;) {
      await condition(() => this.#paused === null && this.#active < this.#concurrency);
      const batch = await ledger.nextRecords({ run: this.#run, after, stopped: this.#stopped, limit: BATCH });
      for (const record of batch) {
        await condition(() => this.#active < this.#concurrency || this.#paused !== null);
        if (this.#paused !== null) break;
        after = record.id;
        this.#start(record);
        await this.#continueWhenLong();
      }
      if (batch.length > 0 && this.#paused === null) continue;
      await condition(() => this.#active === 0);
      // Once more from the start: records that a pause took back are pending still.
      if (after === 0 && batch.length === 0) return;
      if (!this.#tookBack && this.#ended() === endedBefore) {
        throw ApplicationFailure.nonRetryable('records stay pending although each was tried', 'STUCK');
      }
      endedBefore = this.#ended();
      this.#tookBack = this.#paused !== null;
      after = 0;
    }
  }

  #start(record: PlannedRecord): void {
    this.#active++;
    void this.#syncRecord(record).finally(() => {
      this.#active--;
    });
  }

  /** One record, step by step, until it has ended, its steps are stopped, or the run pauses. */
  async #syncRecord(record: PlannedRecord): Promise<void> {
    let { todo } = record;
    const calls = this.#calls;
    try {
      for (let step = nextStep(todo, this.#stopped); step !== null; step = nextStep(todo, this.#stopped)) {
        if (this.#paused !== null) return;
        const current = step;
        const result = await this.#attempt(current, () =>
          this.#api()[current]({ run: this.#run, record: record.id }),
        );
        if (result === null) return;
        todo = result.todo;
        if (result.cardCreated === true) this.#counts.cards++;
        if (result.ended !== undefined && result.ended !== 'rejected') {
          this.#counts[result.ended]++;
          return;
        }
        if (result.waitMs !== undefined) await this.#calls.run(() => sleep(result.waitMs as number));
      }
    } catch (error) {
      // Taken back by a pause or a cancellation: the record is pending still and comes again.
      if (!isCancellation(error) && !calls.consideredCancelled)
        await this.#hold({ by: 'sluice', reason: reasonOf(error) });
    }
  }

  /** Runs a call inside the scope that a pause cancels; acts on refusals that reach beyond one record. */
  async #attempt<T>(step: Step, call: () => Promise<T>): Promise<T | null> {
    try {
      return await this.#calls.run(call);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal?.scope === 'step') {
        this.#stopped |= refusal.step === 'setTags' ? stepBits(['setTags']) : stepBits(CARD_STEPS);
        log.warn('a step was stopped for all records', { run: this.#run, step, reason: reasonOf(error) });
        return null;
      }
      throw error;
    }
  }

  /** A call on which the whole run depends: waits through pauses, and pauses the run itself when it is refused. */
  async #untilDone<T>(step: Step, call: () => Promise<T>): Promise<T | null> {
    for (;;) {
      await condition(() => this.#paused === null);
      const calls = this.#calls;
      this.#active++;
      try {
        return await this.#attempt(step, call);
      } catch (error) {
        // Taken back by a pause, which may be over again by now.
        if (this.#paused !== null || calls.consideredCancelled) continue;
        if (refusalOf(error)?.scope !== 'run') throw error;
        await this.#hold({ by: 'sluice', reason: reasonOf(error) });
      } finally {
        this.#active--;
      }
    }
  }

  async #pause(act: OperatorAct): Promise<RunProgress> {
    await this.#hold(act);
    // "Paused" is said only when no call of this run is under way or waiting in the queue.
    const hold = this.#paused;
    await condition(() => this.#active === 0 || this.#paused !== hold);
    return this.#progress();
  }

  #resume(act: OperatorAct): RunProgress {
    log.info('resumed', { run: this.#run, by: act.by });
    if (this.#paused !== null) this.#calls = new CancellationScope();
    this.#paused = null;
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value: this.#phase }]);
    return this.#progress();
  }

  async #hold(act: OperatorAct): Promise<void> {
    if (this.#paused !== null) return;
    log.warn('paused', { run: this.#run, by: act.by, reason: act.reason });
    this.#paused = act;
    this.#tookBack = true;
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value: 'paused' }]);
    this.#calls.cancel();
  }

  async #close(status: 'finished' | 'cancelled' | 'failed', error?: string): Promise<RunReport> {
    this.#enter('closing');
    await condition(() => this.#active === 0);
    const report = await ledger.closeRun({
      run: this.#run,
      status,
      stopped: this.#stopped,
      ...(error === undefined ? {} : { error }),
    });
    // Closing may begin anew, when a cancellation comes meanwhile: a sink is told once.
    const tell = this.#announce;
    this.#announce = false;
    const warnings = tell ? await announceEnd(this.#run) : [];
    this.#enter('ended');
    await condition(allHandlersFinished);
    return { ...report, warnings: [...report.warnings, ...warnings] };
  }

  async #continueWhenLong(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested) return;
    await condition(() => this.#active === 0 && allHandlersFinished());
    await continueAsNew<typeof crmSync>({
      account: this.#input.account,
      sync: this.#input.sync,
      carried: {
        run: this.#run,
        tokenKey: this.#tokenKey,
        concurrency: this.#concurrency,
        announce: this.#announce,
        planned: this.#planned,
        prepared: this.#prepared,
        stopped: this.#stopped,
        paused: this.#paused,
        counts: this.#counts,
      },
    });
  }

  #adopt(carried: Carried): void {
    this.#run = carried.run;
    this.#tokenKey = carried.tokenKey;
    this.#concurrency = carried.concurrency;
    this.#announce = carried.announce;
    this.#planned = carried.planned;
    this.#prepared = carried.prepared;
    this.#stopped = carried.stopped;
    this.#paused = carried.paused;
    this.#counts = { ...carried.counts };
  }

  /** API activities in the lane of this run, fair between tokens. */
  #api(): Activities {
    return proxyActivities<Activities>({
      ...API_OPTIONS,
      taskQueue: apiQueue(workflowInfo().taskQueue),
      priority: { priorityKey: BACKFILL_LANE, fairnessKey: this.#tokenKey },
    });
  }

  #enter(phase: RunPhase): void {
    this.#phase = phase;
    upsertSearchAttributes([{ key: SEARCH_KEYS.phase, value: this.#paused === null ? phase : 'paused' }]);
  }

  #ended(): number {
    const { created, updated, unchanged, failed, unknown } = this.#counts;
    return created + updated + unchanged + failed + unknown;
  }

  #progress(): RunProgress {
    const { read, rejected, total, created, updated, failed, unknown, cards } = this.#counts;
    return {
      run: this.#run === '' ? null : this.#run,
      phase: this.#phase,
      paused: this.#paused,
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
        (step) => (this.#stopped & stepBits([step])) !== 0,
      ),
    };
  }
}

function validateAct(act: OperatorAct): void {
  if (typeof act?.by !== 'string' || act.by === '') throw new Error('say who does this: by must be a name');
  if (typeof act.reason !== 'string') throw new Error('reason must be a text');
}
