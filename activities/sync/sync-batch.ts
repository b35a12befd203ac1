// One batch of a sync: takes records that are due and works on many of them at once, each step by step.
import { type ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { accountLists } from '../../src/core/store/catalog.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { type BatchCounts, type Halt } from '../../src/jobs/sync/contract/run.ts';
import {
  nextDueMs,
  openSteps,
  parkRecords,
  releaseDue,
  renewDue,
  takeBack,
  takeDue,
} from '../../src/jobs/sync/store/due-records.ts';
import { type LoadedRecord } from '../../src/jobs/sync/store/record-rows.ts';
import { findEnd, type RecordEnd } from '../../src/jobs/sync/store/records.ts';
import { getRun } from '../../src/jobs/sync/store/runs.ts';
import { type RunContext, runContext, type StepResult } from '../records/record-step.ts';
import { nextStep, placeOf, refusalIn, workRecord } from '../records/record-work.ts';
import { type BatchControl, type BatchWork, LEASE_SECONDS, runBatch } from '../shared/batch.ts';
import { callScope } from '../shared/call-scope.ts';
import type { Deps } from '../shared/deps.ts';
import { blockOf } from '../shared/failures.ts';
import { reportHalt } from '../shared/halt.ts';
import { FirstWrites, WRITE_KINDS } from './first-writes.ts';

/** Records taken for each kind of write that is not verified yet. They are worked on one after the other. */
const FEW = 4;
/** Delay before records are taken again, when the first try returned none though some are due. */
const PAUSE_MS = 100;
/** The same delay when the due records may be for the batch that verifies. */
const LEFT_MS = 1000;

export interface SyncBatchInput {
  readonly run: string;
  /** Maximum number of records under way at once. */
  readonly concurrencyLimit: number;
  /** Steps that are stopped for all records, as bits. */
  readonly stopped: number;
  /** Kinds of writes that are verified, as bits. */
  readonly verified: number;
  /** No other batch of the run is under way. This one ends as soon as every kind of write in the work is verified. */
  readonly alone: boolean;
  /** Whether this batch makes the first write of a kind. Of two batches side by side, one does. */
  readonly verifies: boolean;
  /** How often the run has been resumed. A halt that the batch reports carries it. */
  readonly resumes: number;
}

export interface SyncBatchResult extends BatchCounts {
  /** Milliseconds until a record is due; 0 when one is due now; null when none is left. */
  readonly nextMs: number | null;
  /** As in the input, plus the steps stopped in this batch. */
  readonly stopped: number;
  readonly verified: number;
  /** Kinds of writes in the work that still need verification. */
  readonly verifying: boolean;
  /** Why the run must pause; null when it continues, or when the workflow has received the signal. */
  readonly halt: Halt | null;
  /** Calls per minute that the account's tokens allow, as the ledger knows it now. */
  readonly callsPerMinute: number;
}

const ALL_KINDS = WRITE_KINDS.reduce((bits, kind) => bits | kind, 0);

const NOTHING: BatchCounts = {
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  unknown: 0,
  cards: 0,
  trouble: null,
};

/** Prefix of the lease holders' names, for all attempts of a batch of this workflow. */
export function holdersOf(activityId: string): string {
  return `${Context.current().info.workflowExecution?.runId}/${activityId}/`;
}

/** The batch activity. It calls the API. */
export function createSyncBatchActivities(deps: Deps) {
  return {
    async syncBatch(input: SyncBatchInput): Promise<SyncBatchResult> {
      const row = await getRun(deps.db, input.run);
      const run = runContext(deps, row, accountLists(row.account));
      return await new SyncBatch(deps, run, input).run();
    },
  };
}

class SyncBatch implements BatchWork<LoadedRecord> {
  readonly concurrencyLimit: number;
  readonly #deps: Deps;
  readonly #run: RunContext;
  readonly #input: SyncBatchInput;
  /** Prefix of the holders' names for all attempts. */
  readonly #batch: string;
  readonly #holder: string;
  readonly #leased = new Set<number>();
  readonly #counts: { -readonly [K in keyof BatchCounts]: BatchCounts[K] };
  readonly #writes: FirstWrites;
  #stopped: number;
  /** Kinds of writes in the work that must be verified before other batches start, as bits. */
  #kinds = 0;
  /** Records that were taken to verify a kind. */
  readonly #tries = new Map<number, readonly number[]>();
  #halt: Halt | null = null;
  /** Whether the workflow received the halt. */
  #reported = Promise.resolve(false);
  #tookSome = false;
  #control: BatchControl | null = null;

  constructor(deps: Deps, run: RunContext, input: SyncBatchInput) {
    const { info } = Context.current();
    this.#deps = deps;
    this.#run = run;
    this.#input = input;
    this.concurrencyLimit = input.concurrencyLimit;
    // Each attempt is a separate holder: an abandoned attempt that still runs must neither call nor write.
    this.#batch = holdersOf(info.activityId);
    this.#holder = `${this.#batch}${info.attempt}`;
    this.#counts = { ...NOTHING };
    this.#stopped = input.stopped;
    this.#writes = new FirstWrites(input.verified, ({ code, reason }) =>
      this.#pause({ code, reason: `${code}: ${reason}`, kinds: this.#writes.differed }),
    );
  }

  async run(): Promise<SyncBatchResult> {
    const { db, budget } = this.#deps;
    const { run } = this.#run;
    // The counts of an aborted attempt are only in the ledger.
    const { attempt } = Context.current().info;
    if (attempt > 1) Object.assign(this.#counts, await takeBack(db, run, this.#batch, attempt));
    if (this.#input.alone) this.#kinds = (await openSteps(db, run)) & ALL_KINDS;
    const { nextMs } = await runBatch(this);
    const { verified } = this.#writes;
    const reported = await this.#reported;
    const callsPerMinute = await budget.pace(this.#run.account.tokens.map(({ key }) => key));
    const counts = this.#counts;
    return {
      ...counts,
      nextMs,
      stopped: this.#stopped,
      verified,
      verifying: this.#unverified !== 0,
      halt: reported ? null : this.#halt,
      callsPerMinute,
    };
  }

  /** Kinds of writes that still need verification, as bits. */
  get #unverified(): number {
    return this.#kinds & ~this.#writes.verified & ~this.#stopped;
  }

  /** Kinds of writes that are left to the batch that verifies, as bits. */
  get #left(): number {
    return this.#input.verifies ? 0 : ALL_KINDS & ~this.#writes.verified & ~this.#stopped;
  }

  async take(limit: number): Promise<LoadedRecord[]> {
    const records = await this.#takeWork(limit);
    this.#tookSome = records.length > 0;
    return records;
  }

  renew(): Promise<void> {
    return renewDue(this.#deps.db, this.#holder, [...this.#leased], LEASE_SECONDS);
  }

  progress(): BatchCounts {
    return this.#counts;
  }

  async #takeWork(limit: number): Promise<LoadedRecord[]> {
    for (const kind of WRITE_KINDS.filter((each) => (each & this.#unverified) !== 0)) {
      if (this.#tries.get(kind)?.some((id) => this.#leased.has(id))) continue;
      const few = await this.#lease(Math.min(FEW, limit), kind);
      this.#tries.set(
        kind,
        few.map(({ row }) => row.id),
      );
      if (few.length > 0) return few;
      // The record that makes this write waits. The write is verified when it is due.
      this.#kinds &= ~kind;
    }
    if (this.#unverified !== 0) return [];
    for (;;) {
      const records = await this.#lease(limit);
      const open = records.filter(({ row }) => nextStep(row.todo, this.#stopped) !== null);
      if (open.length === records.length) return records;
      const parked = records.filter((record) => !open.includes(record)).map(({ row }) => row.id);
      await parkRecords(this.#deps.db, this.#holder, parked, this.#stopped);
      for (const id of parked) this.#leased.delete(id);
      if (open.length > 0) return open;
    }
  }

  /** Records that are due but cannot be taken yet are checked again after a moment. */
  async next(): Promise<number | null> {
    const ms = await nextDueMs(this.#deps.db, this.#run.run, this.#holder);
    return ms === null ? null : Math.max(ms, this.#tookSome ? 0 : this.#left === 0 ? PAUSE_MS : LEFT_MS);
  }

  async #lease(limit: number, steps?: number): Promise<LoadedRecord[]> {
    const batch = { holder: this.#holder, seconds: LEASE_SECONDS, limit, without: this.#left, steps };
    const records = await takeDue(this.#deps.db, placeOf(this.#run), batch);
    for (const { row } of records) this.#leased.add(row.id);
    return records;
  }

  async work(record: LoadedRecord, control: BatchControl): Promise<void> {
    this.#control = control;
    try {
      const end = await workRecord(this.#deps, this.#run, record, {
        stopped: () => this.#stopped,
        make: (step, make) => this.#make(step, make),
        stop: (bits) => {
          this.#stopped |= bits;
        },
      });
      if (end.state === 'ended') this.#count({ ended: end.outcome, cardCreated: end.cardCreated });
      if (end.state === 'waits' && end.trouble !== null) this.#counts.trouble = end.trouble;
    } catch (error) {
      // Temporal's sleep rejects with its own failure.
      if (error instanceof CancelledFailure) callScope().signal.throwIfAborted();
      if (refusalIn(error)?.scope !== 'run') throw error;
      this.#pause({ ...blockOf(error as ApplicationFailure), kinds: 0 });
      await this.release([record]);
    } finally {
      this.#leased.delete(record.row.id);
      // The batch continues while a record that verifies a kind is under way.
      const tries = [...this.#tries.values()].flat();
      if (this.#input.alone && this.#unverified === 0 && !tries.some((id) => this.#leased.has(id)))
        control.finish();
    }
  }

  /** Gives records back. A record whose last write was made may have ended when its check was canceled. */
  async release(records: readonly LoadedRecord[]): Promise<void> {
    const { db } = this.#deps;
    const ids = records.map(({ row }) => row.id);
    const released = await releaseDue(db, this.#holder, ids);
    for (const id of ids.filter((each) => !released.has(each))) {
      const end = await findEnd(db, { id, holder: this.#holder });
      if (end !== null) this.#count(end);
    }
  }

  #count({ ended, cardCreated = false }: Pick<RecordEnd, 'ended' | 'cardCreated'>): void {
    if (ended === undefined) return;
    this.#counts[ended]++;
    if (cardCreated) this.#counts.cards++;
  }

  async #make(...[step, make]: Parameters<FirstWrites['make']>): Promise<StepResult> {
    // The other batch takes the record.
    if ((STEP_BITS[step] & this.#left) !== 0) return { todo: STEP_BITS[step], waitMs: 0 };
    const result = await this.#writes.make(step, async (verify) => {
      // While this record waited for the step, another record's refusal may have stopped it for all.
      const stopped = nextStep(STEP_BITS[step], this.#stopped) === null;
      return stopped ? { todo: STEP_BITS[step], waitMs: 0 } : await make(verify);
    });
    if (result.trouble === undefined) this.#counts.trouble = null;
    return result;
  }

  /** Pauses the run. Nothing else goes out. The first reason is kept. */
  #pause(reason: Omit<Halt, 'resumes'>): void {
    if (this.#halt !== null) return;
    const halt = { ...reason, resumes: this.#input.resumes };
    this.#halt = halt;
    this.#control?.stop();
    if (!this.#input.alone) this.#reported = reportHalt(this.#deps, this.#run.run, halt);
  }
}
