// Counts of runs. Those of a run that has ended do not change, and counting a million records takes a second, so
// they are counted once.

import type { Queryable } from '../../../core/sql/database.ts';
import type { RunReport } from '../contract/run.ts';
import type { SyncRunSummary } from '../contract/runs.ts';
import type { ListedRun } from '../store/run-list.ts';
import { countRecords, reportRun } from '../store/run-report.ts';
import type { RunCounts } from '../store/runs.ts';

const KEPT_COUNTS = 500;
const KEPT_REPORTS = 20;
/** Milliseconds. Counts of an active run are this old at most. */
const ACTIVE_MS = 5000;

export interface Summaries {
  countsOf(run: ListedRun): Promise<RunCounts>;
  summaryOf(run: ListedRun): Promise<SyncRunSummary>;
  reportOf(run: ListedRun): Promise<RunReport>;
}

export function createSummaries(db: Queryable): Summaries {
  const counts = cache<RunCounts>(KEPT_COUNTS);
  const reports = cache<RunReport>(KEPT_REPORTS);
  const countsOf = (run: ListedRun) =>
    run.counts === null ? counts(run, () => countRecords(db, run)) : Promise.resolve(run.counts);
  return {
    countsOf,
    reportOf: (run) => reports(run, () => reportRun(db, run.id)),
    async summaryOf(run) {
      const { created, updated, unchanged, failed, unknown, cards, pending } = await countsOf(run);
      return {
        run: run.id,
        account: run.account,
        sync: run.sync,
        kind: run.kind === 'retry' ? 'retry' : 'sync',
        status: run.status,
        startedAt: run.started_at.toISOString(),
        finishedAt: run.finished_at?.toISOString() ?? null,
        calls: run.calls,
        read: run.rows_read,
        outcomes: {
          created,
          updated,
          unchanged,
          merged: run.rows_merged,
          rejected: run.rows_rejected,
          failed,
          unknown,
        },
        cards,
        pending,
        error: run.error,
      };
    },
  };
}

function cache<T>(size: number): (run: ListedRun, make: () => Promise<T>) => Promise<T> {
  const kept = new Map<
    string,
    { readonly at: number; readonly ended: boolean; readonly value: Promise<T> }
  >();
  return (run, make) => {
    const ended = run.finished_at !== null;
    const found = kept.get(run.id);
    if (found !== undefined && found.ended === ended && (ended || Date.now() - found.at < ACTIVE_MS))
      return found.value;
    const value = make();
    kept.delete(run.id);
    kept.set(run.id, { at: Date.now(), ended, value });
    value.catch(() => kept.delete(run.id));
    const [oldest] = kept.keys();
    if (kept.size > size && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
