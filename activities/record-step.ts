// The frame around one step of one record: load it, run it, and write down how it ended.

import { ApiError, UnexpectedShapeError } from '../src/api-client/errors.ts';
import type { StepSpec } from '../src/contracts/intake.ts';
import type { CrmRecord } from '../src/contracts/record.ts';
import {
  type RefusalDetails,
  STEP_BITS,
  type Step,
  type StepInput,
  type StepResult,
} from '../src/contracts/run.ts';
import type { Queryable } from '../src/ledger/database.ts';
import { findPeople, forgetContact, type KnownPerson } from '../src/ledger/people.ts';
import { countAttempt, endRecord, getRecord, type RecordRow, settleStep } from '../src/ledger/records.ts';
import { addWarning, getRun, lockRun, stepIsStopped } from '../src/ledger/runs.ts';
import { unfold } from '../src/ledger/survey.ts';
import type { AccountAccess, Deps } from './deps.ts';
import { isRefusal, recordReason, refusalCode, refusalScope, toFailure } from './failures.ts';
import { pipelineName, planSteps } from './sync-diff.ts';

/**
 * So often may the service answer one record with an internal error before the record is set aside:
 * with the backoff of failures.ts about seven minutes. An unreachable service is waited for without end.
 */
export const MAX_INTERNAL_ERRORS = 12;

/** All that a step works with. */
export interface StepContext {
  readonly run: string;
  readonly spec: StepSpec;
  readonly row: RecordRow;
  readonly record: CrmRecord;
  readonly person: KnownPerson | null;
  readonly account: AccountAccess;
}

/** The person of a record with the card of the sync's pipeline, as the ledger has them now. */
export async function findPerson(db: Queryable, spec: StepSpec, key: string): Promise<KnownPerson | null> {
  return (await findPeople(db, spec.account, [key], pipelineName(spec))).get(key) ?? null;
}

/**
 * Runs a step. A refusal of this record alone ends the record as failed and is an ordinary result; a
 * refusal that reaches further is a failure that the workflow acts on, the record stays pending.
 */
export async function runStep(
  deps: Deps,
  step: Step,
  input: StepInput,
  work: (context: StepContext) => Promise<StepResult>,
): Promise<StepResult> {
  const { db } = deps;
  let context: StepContext | null = null;
  try {
    const [run, row] = await Promise.all([getRun(db, input.run), getRecord(db, input.run, input.record)]);
    // A second attempt after the first one's effect was written down: its result stands.
    if (row.status !== 'pending') return { todo: row.todo, ended: row.status };
    if ((row.todo & STEP_BITS[step]) === 0) return { todo: row.todo };
    const record = row.payload as CrmRecord;
    context = {
      run: run.id,
      spec: run.spec,
      row,
      record,
      person: await findPerson(db, run.spec, row.key),
      account: deps.account(run.account),
    };
    return await work(context);
  } catch (error) {
    if (context !== null && isGone(error, context)) return await startOver(deps, context);
    return await settleError(deps, step, input, error);
  }
}

/** People deleted the contact on the service. Once it has been written in this run that is no news, but an error. */
function isGone(error: unknown, { person, row }: StepContext): boolean {
  return (
    isRefusal(error) &&
    error.code === 'ERR_NO_CONTACT_FOUND' &&
    person?.remote_id != null &&
    row.sent_at === null
  );
}

/** The record is planned again, as one of somebody whom nobody knows. */
async function startOver({ db, log }: Deps, { run, spec, row, record }: StepContext): Promise<StepResult> {
  log.warn({ run, record: row.id }, 'the contact is gone from the service; the record starts over');
  return await db.transaction(async (tx) => {
    await forgetContact(tx, spec.account, row.key);
    // Who left the source is not made again.
    const add = row.row_no === 0 ? 0 : planSteps(record, null, spec.options, spec.sync);
    return await settleStep(tx, row.id, { clear: row.todo, add });
  });
}

async function settleError(deps: Deps, step: Step, input: StepInput, error: unknown): Promise<StepResult> {
  const { db, log } = deps;
  const where = { run: input.run, record: input.record, step };
  if (isRefusal(error)) {
    const code = refusalCode(error);
    const scope = refusalScope(code, step);
    if (scope === 'record') return await fail(deps, step, input, code, recordReason(error));
    if (scope === 'step') await stopStep(deps, input.run, step, code, recordReason(error));
    log.warn({ ...where, code }, `the account refuses ${step}`);
    throw toFailure(error, step, 1);
  }
  if (error instanceof UnexpectedShapeError)
    return await fail(deps, step, input, 'UNEXPECTED_SHAPE', recordReason(error));
  if (isTransient(error)) {
    const failures = await countAttempt(db, input.record);
    const failure = toFailure(error, step, failures);
    if (error instanceof ApiError && error.status === 500 && failures >= MAX_INTERNAL_ERRORS) {
      return await fail(
        deps,
        step,
        input,
        'HTTP_500',
        `the service answered ${failures} times with an internal error`,
      );
    }
    throw failure;
  }
  const failure = toFailure(error, step, 1);
  if ((failure as { type?: string }).type === 'INTERNAL') log.error({ ...where, err: error }, 'step failed');
  throw failure;
}

/** The steps that end with the right to read and make cards. */
export const CARD_STEPS: readonly string[] = [
  'findCard',
  'createCard',
  'readBackCard',
  'moveStage',
  'readBackStage',
] satisfies Step[];

/**
 * May cards still be made in this run? The answer holds until the transaction ends: who stops the step waits for it,
 * and then finds what was folded meanwhile.
 */
export async function cardsAreOpen(tx: Queryable, runId: string): Promise<boolean> {
  await tx.query('select 1 from runs where id = $1 for key share', [runId]);
  return !(await stepIsStopped(tx, runId, CARD_STEPS));
}

/** The account refuses a step, whoever the record is about. People whom the card's call would have made get their upsert back. */
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
    // A route has no end at which the step would be tried again: each of its events waits by itself.
    if (kind === 'intake') return;
    await addWarning(tx, runId, warning);
    if (!CARD_STEPS.includes(step)) return;
    const bits = { card: STEP_BITS.createCard, upsert: STEP_BITS.upsertContact, tags: STEP_BITS.setTags };
    await unfold(tx, { id: runId, account }, bits);
  });
}

export function isTransient(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'TransportError' || (error instanceof ApiError && error.status !== 429))
  );
}

/** Ends a record as failed. */
export async function fail(
  deps: Deps,
  step: Step,
  input: StepInput,
  code: string,
  reason: string,
): Promise<StepResult> {
  await endRecord(deps.db, input.record, { status: 'failed', step, code, reason });
  deps.log.warn({ run: input.run, record: input.record, step, code }, 'a record failed');
  return { todo: 0, ended: 'failed' };
}
