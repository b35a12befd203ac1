// Counts of runs. Counting a million records takes a second, so those of a run that has ended are counted once. They
// change only when a person resolves records whose outcome is unknown.

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
/** Milliseconds. Another process may have resolved unknown records of an ended run. */
const UNKNOWN_MS = 60_000;

export interface Summaries {
  countsOf(run: ListedRun): Promise<RunCounts>;
  summaryOf(run: ListedRun): Promise<SyncRunSummary>;
  reportOf(run: ListedRun): Promise<RunReport>;
  /** Counts the records of these runs again. */
  forget(runs: readonly string[]): void;
}

export function createSummaries(db: Queryable): Summaries {
  const counts = cache<RunCounts>(KEPT_COUNTS);
  const reports = cache<RunReport>(KEPT_REPORTS);
  const countsOf = (run: ListedRun) =>
    run.counts === null ? counts.read(run, () => countRecords(db, run)) : Promise.resolve(run.counts);
  return {
    countsOf,
    reportOf: (run) => reports.read(run, () => reportRun(db, run.id)),
    forget(runs) {
      for (const run of runs) for (const kept of [counts, reports]) kept.forget(run);
    },
    async summaryOf(run) {
      const { created, updated, unchanged, failed, unknown, cards, pending } = await countsOf(run);
      return {
        run: run.id,
        account: run.account,
        sync: run.sync,
        kind: run.kind === 'retry' ? 'retry' : 'sync',
        redoes:
          run.kind === 'retry' || run.corrects
            ? { what: run.kind === 'retry' ? 'retry' : 'corrections', seq: run.base }
            : null,
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

interface Kept<T> {
  readonly at: number;
  readonly ended: boolean;
  readonly value: Promise<T>;
  /** Milliseconds; known once the value is. */
  lasts: number;
}

function cache<T extends { readonly unknown: number }>(size: number) {
  const kept = new Map<string, Kept<T>>();
  return {
    read(run: ListedRun, make: () => Promise<T>): Promise<T> {
      const ended = run.finished_at !== null;
      const found = kept.get(run.id);
      if (found !== undefined && found.ended === ended && Date.now() - found.at < found.lasts)
        return found.value;
      const value = make();
      const entry: Kept<T> = { at: Date.now(), ended, value, lasts: ACTIVE_MS };
      kept.delete(run.id);
      kept.set(run.id, entry);
      value.then(
        ({ unknown }) => {
          if (ended) entry.lasts = unknown > 0 ? UNKNOWN_MS : Number.POSITIVE_INFINITY;
        },
        () => kept.delete(run.id),
      );
      const [oldest] = kept.keys();
      if (kept.size > size && oldest !== undefined) kept.delete(oldest);
      return value;
    },
    forget: (run: string) => kept.delete(run),
  };
}
