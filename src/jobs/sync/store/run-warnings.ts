// Warnings of a run, and the steps that a warning has stopped for all of its records.

import type { Queryable } from '../../../core/sql/database.ts';
import { STEP_BITS } from '../constants.ts';
import { type RunWarning } from '../contract/run.ts';

export async function addWarning(
  db: Queryable,
  runId: string,
  warning: RunWarning & { subject: string },
): Promise<void> {
  await db.query(
    'insert into run_warnings (run_id, step, subject, code, reason) values ($1, $2, $3, $4, $5) on conflict do nothing',
    [runId, warning.step, warning.subject, warning.code, warning.reason],
  );
}

/** Steps that the account refused for all records of the run. */
export async function stoppedSteps(db: Queryable, runId: string): Promise<string[]> {
  const rows = await db.query<{ step: string }>(
    `select distinct step from run_warnings where run_id = $1 and step = any($2) and subject = '' order by step`,
    [runId, Object.keys(STEP_BITS)],
  );
  return rows.map(({ step }) => step);
}

/** Whether one of the steps was stopped for all records of the run. */
export async function stepIsStopped(
  db: Queryable,
  runId: string,
  steps: readonly string[],
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from run_warnings where run_id = $1 and step = any($2) and subject = ''`,
    [runId, steps],
  );
  return rows.length > 0;
}

/** Warnings of a run in full, for the operator and never for Temporal. */
export async function listWarnings(
  db: Queryable,
  id: string,
  { limit, offset }: { limit: number | null; offset: number } = { limit: null, offset: 0 },
): Promise<(RunWarning & { subject: string })[]> {
  return await db.query(
    `select step, code, reason, subject from run_warnings where run_id = $1 order by at, step, subject limit $2 offset $3`,
    [id, limit, offset],
  );
}
