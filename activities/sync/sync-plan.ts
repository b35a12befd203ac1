// The ledger side of a sync: opens the run, plans the source page by page, counts the work, and closes the run. None
// of these activities calls the API.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { LANES } from '../../src/core/lanes.ts';

import { pick, readCatalog } from '../../src/core/store/catalog.ts';
import { missingTags } from '../../src/core/store/people.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import type { RetryRequest } from '../../src/jobs/sync/contract/retry.ts';
import { type EndCounts, type RunReport, type RunSpec } from '../../src/jobs/sync/contract/run.ts';
import { resetDue, takeBack } from '../../src/jobs/sync/store/due-records.ts';
import type { PlanMemory } from '../../src/jobs/sync/store/plan/pages.ts';
import { totalsOf } from '../../src/jobs/sync/store/row-problems.ts';
import { closeRun } from '../../src/jobs/sync/store/run-end.ts';
import { getRun, lockRun } from '../../src/jobs/sync/store/runs.ts';
import { countTodo, reviveForTags } from '../../src/jobs/sync/store/staged-records.ts';
import { MappingStoppedError } from '../../src/mapping/index.ts';
import type { Deps } from '../shared/deps.ts';
import { sourceFailure } from '../shared/failures.ts';
import { wakeSinks } from '../shared/wake.ts';
import { readsContacts } from './plan/plan-calls.ts';
import { type PlanProgress, planPages } from './plan/plan-run.ts';
import { countUnknown } from './snapshot-settle.ts';
import { holdersOf } from './sync-batch.ts';
import { openCorrections } from './sync-corrections.ts';
import { openRunOrRetry } from './sync-retry.ts';

export type { PlanProgress } from './plan/plan-run.ts';

/** How long one activity plans: long enough to keep the history small, short enough to pause quickly. */
const PLAN_MS = 5000;

export interface OpenedRun {
  readonly run: string;
  /** Temporal's fairness key: a hash of the account's token. */
  readonly tokenKey: string;
  readonly concurrency: number;
  /** Temporal's priority key. */
  readonly lane: number;
  /** Calls per minute that the account's tokens allow, as the ledger knows it now. */
  readonly callsPerMinute: number;
  /** The source has already been read to its end. */
  readonly planned: boolean;
}

export interface RunWork {
  readonly total: number;
  readonly lookups: number;
  /** People without a look-up that the ledger does not know. Each costs an upsert, needed or not. */
  readonly blind: number;
  /** The account's contacts are read before the first write. */
  readonly readsContacts: boolean;
  /** People who are in the service and may have a card. */
  readonly finds: number;
  readonly tags: number;
  readonly cards: number;
  /** Names of tags that people of the run wait for. */
  readonly missingTags: number;
}

/**
 * @param planMs how long one call of `planPage` starts further pages; 0 means one page per call
 * @param wake starts or wakes the workflows of sinks
 */
export function createSyncPlanActivities(deps: Deps, { planMs = PLAN_MS, wake = wakeSinks } = {}) {
  const { db } = deps;
  const memories = new Map<string, PlanMemory>();

  return {
    async openRun(input: {
      account: string;
      sync: string;
      retry?: RetryRequest;
      corrections?: string;
    }): Promise<OpenedRun> {
      let spec: RunSpec;
      let tokenKey: string;
      try {
        spec = deps.spec(input.account, input.sync);
        tokenKey = deps.account(input.account).tokenKey;
      } catch (error) {
        throw ApplicationFailure.nonRetryable((error as Error).message, 'CONFIG');
      }
      const run =
        input.corrections === undefined
          ? await openRunOrRetry(db, spec, input.retry)
          : await openCorrections(db, spec, { file: input.corrections, baseDir: deps.baseDir });
      // The workflow was interrupted. Records that waited or were stopped are due again.
      if (run.status !== 'planning') await resetDue(db, run.id);
      return {
        run: run.id,
        tokenKey,
        concurrency: run.spec.options.concurrency,
        lane: LANES[run.spec.options.lane],
        callsPerMinute: await paceOf(deps, run.account),
        planned: run.status !== 'planning',
      };
    },

    /**
     * Reads, maps and compares pages of the source for a few seconds: a million rows take five calls instead of 250.
     * Each page's result and the new position in the source are stored in one transaction.
     */
    async planPage(input: { run: string }): Promise<PlanProgress> {
      const context = Context.current();
      const until = performance.now() + planMs;
      try {
        const planned = await planPages({ ...deps, memories }, input.run, {
          signal: context.cancellationSignal,
          more: () => performance.now() < until,
        });
        // PGlite has no autovacuum, so the space of the packed pages would never be freed.
        if (planned.done && db.kind === 'pglite') await db.query('vacuum plan_pages');
        return planned.done ? { ...planned, totals: await totalsOf(db, input.run) } : planned;
      } catch (error) {
        if (error instanceof MappingStoppedError)
          throw ApplicationFailure.nonRetryable(error.message, 'MAPPING_STOPPED');
        throw sourceFailure(error);
      }
    },

    /**
     * Takes records back from a batch that ended without a result. None of its attempts makes a call any more.
     * @returns counts of the records that its attempts have ended
     */
    async takeBackRecords(input: { run: string; batch: string }): Promise<EndCounts> {
      return await takeBack(db, input.run, holdersOf(input.batch));
    },

    /** What the planned run still has to do. */
    async countWork(input: { run: string }): Promise<RunWork> {
      const run = await getRun(db, input.run);
      const work = await countTodo(db, input.run, {
        lookup: STEP_BITS.lookup,
        tags: STEP_BITS.setTags,
        cards: STEP_BITS.createCard | STEP_BITS.moveStage,
      });
      const { blind, finds } = await countUnknown(db, run);
      const reads = readsContacts({ lookups: work.lookups, blind });
      return {
        ...work,
        blind,
        readsContacts: reads,
        finds,
        missingTags: (await missingTags(db, run)).length,
      };
    },

    /** Runs after the account's tags were read. Records whose people wait for a tag that exists now get it. */
    async reviveTags(input: { run: string }): Promise<{ revived: number }> {
      return await db.transaction(async (tx) => {
        const run = await lockRun(tx, input.run);
        const catalog = (await readCatalog(tx, run.account, 'tags')) ?? [];
        const names = (await missingTags(tx, run)).filter((name) => pick(catalog, name) !== null);
        const bits = STEP_BITS.upsertContact | STEP_BITS.setTags;
        return { revived: names.length === 0 ? 0 : await reviveForTags(tx, run, names, bits) };
      });
    },

    async closeRun(input: {
      run: string;
      status: 'finished' | 'cancelled' | 'failed';
      stopped: number;
      error?: string;
    }): Promise<RunReport> {
      memories.delete(input.run);
      const report = await db.transaction((tx) => closeRun(tx, input.run, input));
      const run = await getRun(db, input.run);
      const { announce } = run.spec.options;
      deps.outcomes?.runEnded(
        { account: run.account, sync: run.sync, status: input.status },
        outcomesOf(report),
      );
      if (announce !== undefined) await wake([announce]);
      // What earlier runs left is deleted now. Without autovacuum its space would be lost.
      if (db.kind === 'pglite') await db.query('vacuum run_records, plan_pages, sync_members');
      return report;
    },
  };

  async function paceOf({ budget, account }: Deps, name: string): Promise<number> {
    return await budget.pace(account(name).tokens.map(({ key }) => key));
  }
}

function outcomesOf({ created, updated, unchanged, merged, rejected, failed, unknown }: RunReport) {
  return { created, updated, unchanged, merged, rejected, failed, unknown };
}
