// Plans a run page by page. Each page and its position in the source are stored in one transaction. The worker and
// the dry run of `sluice sync plan` both use it.

import type { Database, Queryable } from '../../../src/core/sql/database.ts';
import { findPeople } from '../../../src/core/store/people.ts';
import type { ProblemTotal } from '../../../src/jobs/sync/contract/run.ts';
import { addMembers } from '../../../src/jobs/sync/store/members.ts';
import { findCarried } from '../../../src/jobs/sync/store/plan/carried.ts';
import { dropClaims } from '../../../src/jobs/sync/store/plan/claims.ts';
import { addPage, catchUp, dropPages, type PlanMemory } from '../../../src/jobs/sync/store/plan/pages.ts';
import { BARRED, STAGED } from '../../../src/jobs/sync/store/plan/seen-keys.ts';
import { findWatermark } from '../../../src/jobs/sync/store/plan/watermarks.ts';
import { addIdentities } from '../../../src/jobs/sync/store/row-identities.ts';
import { addRowProblems, findProblems } from '../../../src/jobs/sync/store/row-problems.ts';
import { addWarning } from '../../../src/jobs/sync/store/run-warnings.ts';
import { advanceRun, getRun, lockRun, type RunRow } from '../../../src/jobs/sync/store/runs.ts';
import { stageRecords } from '../../../src/jobs/sync/store/staged-records.ts';
import { EXPRESSION_TIMEOUT } from '../../../src/mapping/index.ts';
import { pipelineName, planSteps } from '../../records/record-diff.ts';
import type { Newcomers } from './plan-newcomers.ts';
import { type MappedPage, NOTHING_PACKED, type PageTools } from './plan-page.ts';
import { openPageReader } from './plan-reader.ts';
import { SLOW_ROWS } from './plan-slow.ts';
import { stagePage } from './plan-stage.ts';
import { isIncremental, type Makers, pageTools } from './plan-tools.ts';
import { stageVanished } from './plan-vanished.ts';

/** Rows per transaction: about 0.1 s of work and 1 MB of text. */
const PAGE_ROWS = 4000;

export interface PlanProgress {
  readonly read: number;
  readonly rejected: number;
  readonly merged: number;
  readonly share: number | null;
  readonly done: boolean;
  /** Row problems counted by reason, once all rows are read. */
  readonly totals?: readonly ProblemTotal[];
}

export interface PlanDeps extends Makers {
  readonly db: Pick<Database, 'query' | 'transaction'>;
  /** The configuration's folder. When set, files of several pages are mapped in a separate thread. */
  readonly baseDir?: string | undefined;
  /** What each run has seen so far, kept between calls. */
  readonly memories: Map<string, PlanMemory>;
  /** Set in a dry run: counts people that the ledger does not know instead of staging them. */
  readonly newcomers?: Newcomers;
}

export interface PlanOptions {
  readonly signal?: AbortSignal | undefined;
  /** Runs after each page. Returns whether this call plans the next page too. */
  more(progress: PlanProgress): boolean;
}

/**
 * Plans pages of a run until the source ends or `more` returns false.
 * @throws SourceError when the source cannot be read; MappingStoppedError when an expression takes too long on too
 *   many rows
 */
export async function planPages(deps: PlanDeps, runId: string, options: PlanOptions): Promise<PlanProgress> {
  let run = await getRun(deps.db, runId);
  if (run.status !== 'planning') return progressOf(run, null);
  const slow = run.pages === 0 ? [] : await findProblems(deps.db, runId, EXPRESSION_TIMEOUT, SLOW_ROWS);
  const tools = pageTools(run.spec, deps, slow);
  const since = isIncremental(run.spec.source) ? await findWatermark(deps.db, run.spec) : null;
  const { cursor, spec } = run;
  const { signal } = options;
  const reader = openPageReader({
    spec,
    tools,
    cursor,
    since,
    limit: PAGE_ROWS,
    signal,
    baseDir: deps.baseDir,
  });
  try {
    for (let going = true; ; ) {
      const seen = run;
      const page = await reader.next(going && options.more(progressOf(run, null)));
      signal?.throwIfAborted();
      const planned = await deps.db.transaction(async (tx) => {
        const locked = await lockRun(tx, runId);
        // Another attempt at the same page was faster, and its result is kept.
        if (JSON.stringify(locked.cursor) !== JSON.stringify(seen.cursor) || locked.status !== 'planning')
          return null;
        const memory = await catchUp(tx, locked, deps.memories.get(runId));
        remember(deps.memories, runId, memory);
        return await planPage(tx, locked, memory, page, tools, deps.newcomers ?? null);
      });
      run = planned ?? (await getRun(deps.db, runId));
      const progress = progressOf(run, page.progress);
      if (progress.done) deps.memories.delete(runId);
      going = planned !== null && !progress.done && options.more(progress);
      if (!going) return progress;
    }
  } finally {
    await reader.close();
  }
}

/** Maximum number of runs in memory. A run that another process continued is dropped eventually. */
const MEMORIES = 8;

function remember(memories: Map<string, PlanMemory>, runId: string, memory: PlanMemory): void {
  memories.delete(runId);
  memories.set(runId, memory);
  const [oldest] = memories.keys();
  if (memories.size > MEMORIES && oldest !== undefined) memories.delete(oldest);
}

function progressOf(run: RunRow, share: number | null): PlanProgress {
  const { rows_read: read, rows_rejected: rejected, rows_merged: merged, status } = run;
  return { read, rejected, merged, share, done: status !== 'planning' };
}

/** Plans one page in one transaction. Returns the run after the page. */
async function planPage(
  tx: Queryable,
  run: RunRow,
  memory: PlanMemory,
  page: MappedPage,
  tools: PageTools,
  newcomers: Newcomers | null,
): Promise<RunRow> {
  // From here on, the memory is ahead of the ledger. If the transaction fails, catchUp detects it by this number.
  memory.pages = run.pages + 1;
  const carried = run.pages === 0 && isIncremental(run.spec.source) ? await carryOver(tx, run) : [];
  for (const key of carried) memory.seen.set(key, STAGED);
  const staged = await stagePage(tx, run, memory, page.good, { rules: tools.unite, newcomers });
  const { merged, refused, same, places } = staged;
  const rejected = page.rejected + refused;
  const added = new Map([...carried.map((key) => [key, STAGED] as const), ...places]);
  const mirror = run.spec.options.mode === 'mirror';
  if (mirror && run.kind !== 'plan') await addMembers(tx, run, run.seq, [...places.keys()]);
  for (const key of page.rejectedKeys) if (!added.has(key) && !memory.seen.has(key)) added.set(key, BARRED);
  for (const [key, place] of added) memory.seen.set(key, place);
  await addRowProblems(tx, run.id, page.findings);
  await addIdentities(tx, run, page.identities);
  for (const note of page.notes) await addWarning(tx, run.id, { step: 'source', subject: '', ...note });
  if (page.found !== null) await warnOfMissingColumns(tx, run.id, tools.mapping.missing(page.found), page);
  const last = page.next === null;
  if (last && mirror && run.spec.partial !== true && !isIncremental(run.spec.source)) {
    const read = run.rows_read + page.read;
    const good = read - run.rows_rejected - rejected;
    const unreadable = run.rows_unreadable + page.unreadable;
    await stageVanished(tx, run, memory, { good, unreadable });
  }
  if (last) {
    await dropPages(tx, run.id);
    await dropClaims(tx, run.id);
  } else {
    // A page whose people are all staged or refused is never read back, so its records are not stored.
    const needed = [...places.values()].some((place) => place >= 0);
    await addPage(tx, run.id, memory.pages, added, needed ? page.packed : NOTHING_PACKED);
  }
  return await advanceRun(tx, run.id, {
    cursor: page.next,
    progress: page.progress,
    read: page.read + carried.length,
    rejected,
    merged,
    same,
    carried: carried.length,
    unreadable: page.unreadable,
    watermark: page.watermark,
    file: page.file,
  });
}

const CARRIED_BATCH = 2000;

/**
 * Stages what the previous run left undone before the first page is read: an incremental source would never return
 * those rows again. A newer row of the same person is merged over it.
 * @returns the people's keys
 */
async function carryOver(tx: Queryable, run: RunRow): Promise<string[]> {
  const carried = await findCarried(tx, run);
  const pipeline = pipelineName(run.spec);
  for (let from = 0; from < carried.length; from += CARRIED_BATCH) {
    const batch = carried.slice(from, from + CARRIED_BATCH);
    const people = await findPeople(
      tx,
      run.account,
      batch.map(({ key }) => key),
      pipeline,
    );
    const staged = batch.map(({ key, row, record }) => ({
      key,
      row,
      record,
      todo: planSteps(record, people.get(key) ?? null, run.spec.options, run.sync),
    }));
    await stageRecords(tx, run.id, staged, { carried: true });
  }
  return carried.map(({ key }) => key);
}

/** A column that no row has is more often a typo in the mapping than an empty export. */
async function warnOfMissingColumns(
  tx: Queryable,
  runId: string,
  missing: readonly string[],
  { found, read }: MappedPage,
): Promise<void> {
  if (found === null || found.length === 0) return;
  for (const column of missing) {
    await addWarning(tx, runId, {
      step: 'mapping',
      subject: column,
      code: 'NO_SUCH_COLUMN',
      reason: `the mapping reads "${column}", which ${read === 1 ? 'the first row lacks' : `none of the first ${read} rows has`}`,
    });
  }
}
