// What every step of a record works with and returns, and how a step ends a record or stops for all of them.
import type { CrmRecord } from '../../src/core/record.ts';
import type { Queryable } from '../../src/core/sql/database.ts';
import type { AccountLists } from '../../src/core/store/catalog.ts';
import { findPeople, type KnownPerson } from '../../src/core/store/people.ts';
import type { StepSpec } from '../../src/jobs/events/contract/intake.ts';
import { STEP_BITS, type Step } from '../../src/jobs/sync/constants.ts';
import { type RefusalDetails, type WriteCheck } from '../../src/jobs/sync/contract/run.ts';
import type { LoadedRecord } from '../../src/jobs/sync/store/record-rows.ts';
import { endRecord, type RecordEnd } from '../../src/jobs/sync/store/records.ts';
import { addWarning, stepIsStopped } from '../../src/jobs/sync/store/run-warnings.ts';
import { lockRun, type RunRow } from '../../src/jobs/sync/store/runs.ts';
import { splitCreate } from '../../src/jobs/sync/store/snapshots.ts';
import type { AccountAccess, Deps } from '../shared/deps.ts';
import { pipelineName } from './record-diff.ts';

/** The result of a step. */
export interface StepResult extends RecordEnd {
  /** The next step is due only after this many milliseconds. */
  readonly waitMs?: number;
  /** The step failed for now and is due again after `waitMs`: failures in a row, and the reason. */
  readonly trouble?: { readonly failures: number; readonly reason: string };
  /** The record and its person after this step, if the step knows both. */
  readonly next?: LoadedRecord;
  /** Absent when nothing was written, or when nothing shows what was written. */
  readonly check?: WriteCheck;
}

/** What the steps of all records of a run share. */
export interface RunContext {
  readonly run: string;
  readonly spec: StepSpec;
  readonly account: AccountAccess;
  readonly lists: AccountLists;
}

/** Everything that a step works with. */
export interface StepContext extends RunContext, LoadedRecord {
  readonly record: CrmRecord;
  /** The first write of its kind in the run. If the answer does not show what was written, it is read back once. */
  readonly verify: boolean;
}

export function runContext(deps: Deps, { id, account, spec }: RunRow, lists: AccountLists): RunContext {
  return { run: id, spec, account: deps.account(account), lists };
}

/** The context of a record for its next step. */
export function stepContext(run: RunContext, { row, person }: LoadedRecord, verify = false): StepContext {
  return { ...run, row, person, record: row.payload as CrmRecord, verify };
}

/** The person of a record with the card of the sync's pipeline, as the ledger has them now. */
export async function findPerson(db: Queryable, spec: StepSpec, key: string): Promise<KnownPerson | null> {
  return (await findPeople(db, spec.account, [key], pipelineName(spec))).get(key) ?? null;
}

/** The steps that stop when the token loses the permission to read and create cards. */
export const CARD_STEPS: readonly string[] = [
  'findCard',
  'createCard',
  'readBackCard',
  'moveStage',
  'readBackStage',
] satisfies Step[];
const CARD_BITS = (CARD_STEPS as readonly Step[]).reduce((bits, step) => bits | STEP_BITS[step], 0);

/** The steps that stop together with a step that the account refuses, as bits. */
export function stoppedBits(step: RefusalDetails['step']): number {
  return step === 'setTags' ? STEP_BITS.setTags : CARD_BITS;
}

/**
 * Whether this run may still create cards. The result is valid until the transaction ends: whoever stops the step
 * waits for it and then finds what was combined meanwhile.
 */
export async function cardsAreOpen(tx: Queryable, runId: string): Promise<boolean> {
  await tx.query('select 1 from runs where id = $1 for key share', [runId]);
  return !(await stepIsStopped(tx, runId, CARD_STEPS));
}

/**
 * Stops a step that the account refuses for every record. People that the card's call would have created get their
 * upsert back.
 */
export async function stopStep(
  { db }: Deps,
  runId: string,
  step: RefusalDetails['step'],
  code: string,
  reason: string,
): Promise<void> {
  const warning = { step, subject: '', code, reason: `${reason}; the step was stopped for all records` };
  await db.transaction(async (tx) => {
    const { account, kind } = await lockRun(tx, runId);
    // A route has no end at which it could retry the step, so each of its events waits separately.
    if (kind === 'intake') return;
    await addWarning(tx, runId, warning);
    if (!CARD_STEPS.includes(step)) return;
    const bits = { card: STEP_BITS.createCard, upsert: STEP_BITS.upsertContact, tags: STEP_BITS.setTags };
    await splitCreate(tx, { id: runId, account }, bits);
  });
}

/** Ends a record as failed. */
export async function fail(
  deps: Deps,
  step: Step,
  { run, row }: Pick<StepContext, 'run' | 'row'>,
  code: string,
  reason: string,
): Promise<StepResult> {
  const ended = await endRecord(deps.db, row, { status: 'failed', step, code, reason });
  deps.log.warn({ run, record: row.id, step, code }, 'a record failed');
  return ended;
}
