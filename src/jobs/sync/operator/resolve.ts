// Records that the calls of rows whose outcome is unknown took effect.

import type { Database } from '../../../core/sql/database.ts';
import type { Parsed } from '../../../operator/contract/index.ts';
import { OperatorError } from '../../../operator/error.ts';
import { findRun } from '../store/outcomes.ts';
import { RunOpenError, resolveUnknown } from '../store/resolve-unknown.ts';
import { newestRuns } from '../store/retries.ts';
import type { Summaries } from './summary.ts';

/** @throws OperatorError (not found) NO_RUN; (conflict) RUN_ACTIVE */
export async function resolveRows(
  { db, summaries }: { readonly db: Database; readonly summaries: Pick<Summaries, 'forget'> },
  account: string,
  { sync, run, rows }: Parsed<'POST /syncs/{sync}/resolve'>,
): Promise<{ resolved: number }> {
  const runs = run === undefined ? await newestRuns(db, account, sync) : [run];
  const [newest] = runs;
  if (newest === undefined || (await findRun(db, account, sync, newest)) === null) {
    const what = run === undefined ? 'has not run yet' : `has no run ${run}`;
    throw new OperatorError('notFound', `the sync "${sync}" ${what}`, { code: 'NO_RUN' });
  }
  try {
    return { resolved: await resolveUnknown(db, { account, sync }, runs, rows) };
  } catch (error) {
    if (!(error instanceof RunOpenError)) throw error;
    const way = `finish it with \`sluice sync run ${sync}\` or cancel it, and resolve the rows then`;
    throw new OperatorError('conflict', `the run ${error.run} has not ended; ${way}`, {
      code: 'RUN_ACTIVE',
      cause: error,
    });
  } finally {
    summaries.forget(runs);
  }
}
