// Runs one step of one record and interprets its failure.
import { forgetContact } from '../../src/core/store/people.ts';
import type { Step } from '../../src/jobs/sync/constants.ts';
import { LeaseLostError, settleStep } from '../../src/jobs/sync/store/records.ts';
import type { Deps } from '../shared/deps.ts';
import { backoffMs } from '../shared/failures.ts';
import { judge, MAX_INTERNAL_ERRORS } from '../shared/judge.ts';
import { isRefusal } from '../shared/refusal-scope.ts';
import { STEPS } from './index.ts';
import { planSteps } from './record-diff.ts';
import { fail, type StepContext, type StepResult, stopStep } from './record-step.ts';

/**
 * Makes a step. A refusal of this record alone ends the record as failed. A transient failure makes the record wait.
 * Both are ordinary results. A refusal that reaches further is thrown, and the record stays pending.
 * @throws ApplicationFailure with RefusalDetails, or with a retry delay; CancelledFailure
 */
export async function runStep(deps: Deps, step: Step, context: StepContext): Promise<StepResult> {
  try {
    return await STEPS[step](deps, context);
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    if (isGone(error, context)) return await startOver(deps, context);
    return await settleError(deps, step, context, error);
  }
}

/** People deleted the contact in the service. If this run has already written it, that is an error. */
function isGone(error: unknown, { person, row }: StepContext): boolean {
  return (
    isRefusal(error) &&
    error.code === 'ERR_NO_CONTACT_FOUND' &&
    person?.remote_id != null &&
    row.sent_at === null
  );
}

/** Plans the record again, as for a new person. */
async function startOver({ db, log }: Deps, { run, spec, row, record }: StepContext): Promise<StepResult> {
  log.warn({ run, record: row.id }, 'the contact is gone from the service; the record starts over');
  return await db.transaction(async (tx) => {
    await forgetContact(tx, spec.account, row.key);
    // A person who left the source is not recreated.
    const add = row.row_no === 0 ? 0 : planSteps(record, null, spec.options, spec.sync);
    return await settleStep(tx, row, { clear: row.todo, add });
  });
}

async function settleError(deps: Deps, step: Step, c: StepContext, error: unknown): Promise<StepResult> {
  const { log } = deps;
  const { run, row, spec } = c;
  const where = { run, record: row.id, step };
  const failures = row.attempts + 1;
  const judged = judge(spec.account, error, step, failures);
  if (judged.kind === 'passed') throw judged.failure;
  const { code, reason } = judged;
  if (judged.kind === 'refused') {
    const { reach, failure } = judged;
    const isUnreadable = code === 'UNEXPECTED_SHAPE';
    if (reach === 'record') {
      const failed = await fail(deps, step, c, code, reason);
      // As the first write of its kind, it verifies nothing.
      return isUnreadable ? { ...failed, check: { ok: false, code, reason, stop: false } } : failed;
    }
    if (reach === 'step') await stopStep(deps, run, step, code, reason);
    if (isUnreadable) log.warn({ ...where, code }, `the answer to ${step} can't be read`);
    else log.warn({ ...where, code }, `the account refuses ${step}`);
    throw failure;
  }
  if (judged.isOwn) log.error({ ...where, err: error }, 'step failed');
  if (judged.isInternal && failures >= MAX_INTERNAL_ERRORS)
    return await fail(deps, step, c, code, `the service answered ${failures} times with an internal error`);
  const trouble = { failures, reason: `${reason} [${code}]` };
  return { todo: row.todo, waitMs: Math.ceil(backoffMs(failures)), trouble };
}
