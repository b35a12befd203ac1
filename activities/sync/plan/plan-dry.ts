// A dry run: plans a run as a worker would, evaluates the staged records, and rolls everything back. It makes no API
// call.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SourceError } from '../../../src/core/source.ts';
import type { Database, Queryable } from '../../../src/core/sql/database.ts';
import type { PlanProblem, PlanReport } from '../../../src/jobs/sync/contract/plan.ts';
import type { RunSpec } from '../../../src/jobs/sync/contract/run.ts';
import { shadowRunTables } from '../../../src/jobs/sync/store/plan/scratch.ts';
import { readFindings } from '../../../src/jobs/sync/store/row-problems.ts';
import { reportRun } from '../../../src/jobs/sync/store/run-report.ts';
import { getRun, openDryRun } from '../../../src/jobs/sync/store/runs.ts';
import { Newcomers } from './plan-newcomers.ts';
import { outlookOf } from './plan-outlook.ts';
import { type PlanProgress, planPages } from './plan-run.ts';
import { tagCountsOf } from './plan-tags.ts';
import type { Makers } from './plan-tools.ts';

export interface DryRunOptions {
  readonly spec: RunSpec;
  readonly makers: Makers;
  readonly baseDir?: string | undefined;
  /** Number of records of each kind to show in full. */
  readonly samples: number;
  /** Calls per minute that the account's tokens allow now. */
  readonly callsPerMinute: number;
  onProgress(progress: PlanProgress): void;
  /**
   * Receives the plan and all problems of its rows, which are gone after it returns. The values are personal data.
   */
  readonly list?: (plan: PlanReport, problems: AsyncIterable<PlanProblem>) => Promise<void>;
}

/** Carries the report out of a transaction that is always rolled back. */
class RolledBack extends Error {
  override readonly name = 'RolledBack';
  readonly report: PlanReport;
  constructor(report: PlanReport) {
    super('the dry run was rolled back as intended');
    this.report = report;
  }
}

/**
 * Computes what the next run of a sync would do. The ledger's rows do not change.
 * @throws SourceError when the source cannot be read
 */
export async function dryRun(db: Database, options: DryRunOptions): Promise<PlanReport> {
  const { spec, callsPerMinute } = options;
  try {
    await db.transaction(async (tx) => {
      // All pages see one state of the ledger, whatever else runs meanwhile.
      await tx.query('set transaction isolation level repeatable read');
      await shadowRunTables(tx);
      const id = await openDryRun(tx, spec, randomUUID());
      const inside = {
        query: tx.query,
        cipher: tx.cipher,
        transaction: <T>(work: (tx: Queryable) => Promise<T>) => work(tx),
      };
      const { baseDir } = options;
      const { openSource, compileMapping } = options.makers;
      const tags = await tagCountsOf(tx, spec.account);
      const newcomers = new Newcomers(options.samples, tags);
      const deps = { db: inside, openSource, compileMapping, baseDir, memories: new Map(), newcomers };
      const planned = await patiently(() =>
        planPages(deps, id, {
          more: (progress) => {
            options.onProgress(progress);
            return true;
          },
        }),
      );
      options.onProgress({ ...planned, share: 1 });
      const run = await getRun(tx, id);
      const { read, rejected, unchanged, merged, carried = 0, ...more } = await reportRun(tx, id);
      const { warnings, totals, problems } = more;
      const { calls, ...outlook } = await outlookOf(tx, run, { newcomers, tags }, options.samples);
      const seconds = (count: number) => Math.ceil((Math.max(0, count - 1) * 60) / callsPerMinute);
      const report: PlanReport = {
        account: spec.account,
        sync: spec.sync,
        read,
        unchanged,
        merged,
        rejected,
        carried,
        calls,
        ...outlook,
        pace: { callsPerMinute, minSeconds: seconds(calls.min), maxSeconds: seconds(calls.max) },
        done: { earliest: after(seconds(calls.min)), latest: after(seconds(calls.max)) },
        warnings,
        totals,
        problems,
      };
      await options.list?.(report, problemsOf(tx, id));
      throw new RolledBack(report);
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.report;
    throw error;
  }
  throw new Error('a dry run ended without a report');
}

async function* problemsOf(tx: Queryable, runId: string): AsyncGenerator<PlanProblem> {
  for await (const finding of readFindings(tx, runId, { kinds: ['reject', 'warning'] })) {
    const { row, kind, field, column, code, reason, value, otherRow, otherValue } = finding;
    yield {
      row,
      outcome: kind === 'reject' ? 'rejected' : 'warning',
      where: field,
      ...(column === null ? {} : { column }),
      code,
      reason,
      ...(value === null ? {} : { value }),
      ...(otherRow === null ? {} : { otherRow }),
      ...(otherValue === null ? {} : { otherValue }),
    };
  }
}

/** Waits when the source asks for it. Pages planned so far are kept. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SourceError) || error.retryAfterMs === undefined) throw error;
      await delay(error.retryAfterMs);
    }
  }
}

function after(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}
