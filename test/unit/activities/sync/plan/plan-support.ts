// A run whose source is a list of pages of records, planned as the worker plans it, page by page.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createSyncPlanActivities, type PlanProgress } from '../../../../../activities/sync/sync-plan.ts';
import type { CrmRecord, RowProblem } from '../../../../../src/core/record.ts';
import type { Source, SourceCursor, SourceRow } from '../../../../../src/core/source.ts';
import type { Database } from '../../../../../src/core/sql/database.ts';
import type { RunSpec } from '../../../../../src/jobs/sync/contract/run.ts';
import type { Mapping } from '../../../../../src/mapping/index.ts';
import { testAccount, testDeps, testLog } from '../../../../support/activities/deps.ts';
import { freeBudget } from '../../../../support/activities/free-budget.ts';

/** A record; a number whose row is rejected; or a row that can't be read at all. */
export type Row = CrmRecord | { readonly bad: string } | null;

export interface PagesSource extends Source {
  /** What each read was asked for as `since`. */
  readonly since: (SourceCursor | null | undefined)[];
}

export function sourceOf(pages: readonly (readonly Row[])[], watermark?: SourceCursor): PagesSource {
  const since: (SourceCursor | null | undefined)[] = [];
  return {
    since,
    async read(cursor, options) {
      since.push(options.since);
      const page = Number(cursor?.page ?? 0);
      const before = pages.slice(0, page).flat().length;
      const rows = (pages[page] ?? []).map((row, n): SourceRow => {
        const values = row === null ? null : { row };
        return { row: before + n + 1, values };
      });
      const next = page + 1 < pages.length ? { page: page + 1 } : null;
      return {
        rows,
        next,
        progress: (page + 1) / Math.max(1, pages.length),
        ...(next === null && watermark !== undefined ? { watermark } : {}),
      };
    },
  };
}

const PROBLEM: RowProblem = { field: 'card.stage', code: 'invalid_type', reason: 'not this way' };

/** A mapping of rows that are records already; the one for numbers alone has no tags. */
export function mappingOf(config: RunSpec['mapping']): Mapping {
  const numberOnly = config.card === undefined && config.tags.length === 0;
  return {
    columns: [],
    numberColumns: [],
    missing: () => [],
    scan: () => null,
    apply({ row }) {
      const found = row as Exclude<Row, null>;
      if (!('bad' in found)) return { ok: true, record: found, warnings: [] };
      if (!numberOnly)
        return { ok: false, problems: [PROBLEM], identity: { name: null, email: null, number: found.bad } };
      const record = { key: found.bad, contact: { number: found.bad }, extraInfo: [], tags: [] };
      return { ok: true, record, warnings: [] };
    },
  };
}

/** Activities over these pages; made anew, they remember nothing, as after a restart. */
export function planner(db: Database, source: Source, spec: RunSpec) {
  const deps = testDeps({
    db,
    log: testLog(),
    spec: () => spec,
    account: () => testAccount(),
    budget: freeBudget(120),
    openSource: () => source,
    compileMapping: mappingOf,
  });
  const activities = createSyncPlanActivities(deps, { planMs: 0 });
  const run = async <I, O>(work: (input: I) => Promise<O>, input: I): Promise<O> => {
    const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
    return await environment.run<[I], O, typeof work>(work, input);
  };
  return {
    open: async () => (await run(activities.openRun, { account: spec.account, sync: spec.sync })).run,
    page: (id: string): Promise<PlanProgress> => run(activities.planPage, { run: id }),
    close: (id: string, status: 'finished' | 'cancelled' | 'failed' = 'finished') =>
      run(activities.closeRun, { run: id, status, stopped: 0 }),
  };
}

/** Plans a whole run and answers its id. */
export async function planAll(db: Database, source: Source, spec: RunSpec): Promise<string> {
  const { open, page } = planner(db, source, spec);
  const id = await open();
  while (!(await page(id)).done);
  return id;
}
