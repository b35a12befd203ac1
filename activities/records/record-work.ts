// Works on one record: runs its steps in order until it ends, has to wait, or is refused.
import { ApplicationFailure } from '@temporalio/activity';
import { type RecordOutcome, STEP_BITS, type Step } from '../../src/jobs/sync/constants.ts';
import { type RefusalDetails } from '../../src/jobs/sync/contract/run.ts';
import { deferRecord, loadRecord, parkRecords } from '../../src/jobs/sync/store/due-records.ts';
import { type LoadedRecord } from '../../src/jobs/sync/store/record-rows.ts';
import { findEnd, LeaseLostError, type RecordEnd } from '../../src/jobs/sync/store/records.ts';
import { withSubject } from '../shared/call-scope.ts';
import type { Deps } from '../shared/deps.ts';
import { comesBackAfter, onlyWaits } from '../shared/failures.ts';
import { pipelineName } from './record-diff.ts';
import { fail, type RunContext, type StepResult, stepContext, stoppedBits } from './record-step.ts';
import { runStep } from './run-step.ts';

/** A record that needs more steps in a row has a plan that never ends. */
const MAX_STEPS = 30;

/** The result of the work on a record. */
export type WorkEnd =
  | { readonly state: 'ended'; readonly outcome: RecordOutcome; readonly cardCreated: boolean }
  /** The record is due again later. The ledger stores its due time. */
  | {
      readonly state: 'waits';
      readonly ms: number;
      readonly trouble: NonNullable<StepResult['trouble']> | null;
    }
  /** All of its open steps are stopped. */
  | { readonly state: 'stopped' }
  /** Another batch has it. */
  | { readonly state: 'lost' };

/** Controls each step of the records in a batch. */
export interface StepWatch {
  /** Steps that are stopped for all records, as bits. */
  stopped(): number;
  /** Makes a step as soon as it may be made. */
  make(step: Step, make: (verify: boolean) => Promise<StepResult>): Promise<StepResult>;
  /** Called when the account refuses a step for all records. Without it, the refusal is thrown. */
  stop?(bits: number, refusal: ApplicationFailure): void;
}

const UNWATCHED: StepWatch = { stopped: () => 0, make: (_, make) => make(false) };

/** The first step in `todo` that is not stopped; null when none is left. */
export function nextStep(todo: number, stopped: number): Step | null {
  return ORDER.find((step) => (todo & ~stopped & STEP_BITS[step]) !== 0) ?? null;
}

const ORDER = Object.keys(STEP_BITS) as Step[];

/**
 * Works on a record until it ends or waits.
 * @param first the record as loaded, for its first step
 * @throws ApplicationFailure with RefusalDetails when the account refuses the whole run, or refuses a step and
 *   `watch.stop` is missing; CancelledFailure when the work was canceled; errors of the ledger
 */
export async function workRecord(
  deps: Deps,
  run: RunContext,
  first: LoadedRecord,
  watch: StepWatch = UNWATCHED,
): Promise<WorkEnd> {
  const { db } = deps;
  let loaded = first;
  try {
    for (let made = 0; made < MAX_STEPS; made++) {
      const { row } = loaded;
      if (row.status !== 'pending') return endOf(await findEnd(db, row));
      const step = nextStep(row.todo, watch.stopped());
      if (step === null) {
        if (row.holder !== null) await parkRecords(db, row.holder, [row.id], watch.stopped());
        return { state: 'stopped' };
      }
      const result = await makeStep(step);
      if (result?.ended !== undefined) return endOf(result);
      if (result?.waitMs !== undefined) {
        const { waitMs: ms, trouble = null } = result;
        const waits = await deferRecord(db, row, { ms, failed: trouble !== null });
        // The failure may come from the check of a write that ended the record.
        return waits ? { state: 'waits', ms, trouble } : endOf(await findEnd(db, row));
      }
      loaded = result?.next ?? (await loadRecord(db, placeOf(run), row.id));
      if (loaded.row.holder !== row.holder) return { state: 'lost' };
    }
  } catch (error) {
    if (error instanceof LeaseLostError) return { state: 'lost' };
    throw error;
  }
  const reason = `the record took ${MAX_STEPS} steps without finishing`;
  const step = nextStep(loaded.row.todo, 0) ?? 'lookup';
  return endOf(await fail(deps, step, { run: run.run, row: loaded.row }, 'STUCK', reason));

  /** Returns null when the step was stopped for all records. */
  async function makeStep(step: Step): Promise<StepResult | null> {
    const of = loaded;
    try {
      return await watch.make(step, (verify) =>
        withSubject({ person: of.row.key }, () => runStep(deps, step, stepContext(run, of, verify))),
      );
    } catch (error) {
      const waitMs = onlyWaits(error) ? comesBackAfter(error) : null;
      if (waitMs !== null) return { todo: of.row.todo, waitMs };
      const refused = refusalIn(error);
      if (refused?.scope !== 'step' || watch.stop === undefined) throw error;
      watch.stop(stoppedBits(refused.step), error as ApplicationFailure);
      return null;
    }
  }
}

/** @param end null when this batch has not ended the record */
function endOf(end: RecordEnd | null): WorkEnd {
  if (end?.ended === undefined) return { state: 'lost' };
  return { state: 'ended', outcome: end.ended, cardCreated: end.cardCreated === true };
}

/** The refusal that a failed activity reports; null for other failures. */
export function refusalIn(error: unknown): RefusalDetails | null {
  if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) return null;
  return (error.details?.[0] as RefusalDetails | undefined) ?? null;
}

export function placeOf({ run, spec }: RunContext): { id: string; account: string; pipeline: string } {
  return { id: run, account: spec.account, pipeline: pipelineName(spec) };
}
