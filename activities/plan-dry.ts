// A dry run: plans a run as a worker would, looks at what it staged, and rolls all of it back. It makes no call.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlanReport } from '../src/contracts/plan.ts';
import type { RunSpec } from '../src/contracts/run.ts';
import { SourceError } from '../src/contracts/source.ts';
import type { Database, Queryable } from '../src/ledger/database.ts';
import { getRun, openDryRun, reportRun } from '../src/ledger/runs.ts';
import { outlookOf } from './plan-outlook.ts';
import { type PlanProgress, planPages } from './plan-run.ts';
import type { Makers } from './plan-tools.ts';

export interface DryRunOptions {
  readonly spec: RunSpec;
  readonly makers: Makers;
  readonly baseDir?: string | undefined;
  /** Records of each kind shown in full. */
  readonly samples: number;
  /** Calls a minute that the account's tokens allow now. */
  readonly callsPerMinute: number;
  onProgress(progress: PlanProgress): void;
  readonly signal?: AbortSignal;
}

/** Carries the report out of a transaction that must not be committed. */
class RolledBack extends Error {
  override readonly name = 'RolledBack';
  readonly report: PlanReport;
  constructor(report: PlanReport) {
    super('a dry run was rolled back, as it should be');
    this.report = report;
  }
}

/**
 * What the next run of a sync would do. Rows of the ledger are as before when this returns.
 * @throws SourceError when the source can't be read
 */
export async function dryRun(db: Database, options: DryRunOptions): Promise<PlanReport> {
  const { spec, signal, callsPerMinute } = options;
  try {
    await db.transaction(async (tx) => {
      const id = await openDryRun(tx, spec, randomUUID());
      const inside = { query: tx.query, transaction: <T>(work: (tx: Queryable) => Promise<T>) => work(tx) };
      const { baseDir } = options;
      const { openSource, compileMapping } = options.makers;
      const deps = { db: inside, openSource, compileMapping, baseDir, memories: new Map() };
      const planned = await patiently(signal, () =>
        planPages(deps, id, {
          signal,
          more: (progress) => {
            options.onProgress(progress);
            return true;
          },
        }),
      );
      options.onProgress({ ...planned, share: 1 });
      const run = await getRun(tx, id);
      const { read, rejected, unchanged, carried = 0, warnings, problems } = await reportRun(tx, id);
      const { calls, ...outlook } = await outlookOf(tx, run, options.samples, signal);
      const seconds = (count: number) => Math.ceil((Math.max(0, count - 1) * 60) / callsPerMinute);
      throw new RolledBack({
        ...{ account: spec.account, sync: spec.sync, read, unchanged, rejected, carried, calls },
        ...outlook,
        pace: { callsPerMinute, minSeconds: seconds(calls.min), maxSeconds: seconds(calls.max) },
        done: { earliest: after(seconds(calls.min)), latest: after(seconds(calls.max)) },
        warnings,
        problems,
      });
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.report;
    throw error;
  } finally {
    // What was rolled back left its space behind.
    if (db.engine === 'pglite') await db.query('vacuum run_records, plan_pages');
  }
  throw new Error('a dry run ended without a report');
}

/** A source that asks to wait is waited for: pages planned so far stand. */
async function patiently<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SourceError) || error.retryAfterMs === undefined) throw error;
      await delay(error.retryAfterMs, undefined, signal === undefined ? {} : { signal });
    }
  }
}

function after(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}
