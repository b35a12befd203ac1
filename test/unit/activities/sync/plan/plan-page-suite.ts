// Planning a page as the worker does it: however often an attempt is repeated or cut off, each row counts once.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { createSyncPlanActivities, type PlanProgress } from '../../../../../activities/sync/sync-plan.ts';
import type { Source, SourceRow } from '../../../../../src/core/source.ts';
import type { Database, Queryable } from '../../../../../src/core/sql/database.ts';
import { getRun, openRun } from '../../../../../src/jobs/sync/store/runs.ts';
import { compileMapping } from '../../../../../src/mapping/index.ts';
import { testDeps } from '../../../../support/activities/deps.ts';
import { freshAccount, type OpenDatabase, specOf } from '../../../core/sql/support.ts';

/**
 * Pages of phone numbers; a row without digits is rejected.
 * @param readers how many must ask for the first page before one of them gets it
 */
function sourceOf(pages: readonly (readonly string[])[], readers: number): Source {
  let waiting = readers;
  let open: () => void;
  const together = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    async read(cursor) {
      if (--waiting <= 0) open();
      await together;
      const page = Number(cursor?.page ?? 0);
      const before = pages.slice(0, page).flat().length;
      const rows = (pages[page] ?? []).map(
        (number, n): SourceRow => ({
          row: before + n + 1,
          values: { phone: number, name: `row ${before + n + 1}` },
        }),
      );
      const next = page + 1 < pages.length ? { page: page + 1 } : null;
      return { rows, next, progress: (page + 1) / pages.length };
    },
  };
}

/** The database, with a crash before the statement that `at` names. */
function crashing(db: Database, at: string): Database {
  const guard = (queries: Queryable): Queryable => ({
    query: async (sql, params) => {
      if (sql.includes(at)) throw new Error('crash');
      return await queries.query(sql, params);
    },
  });
  return { ...db, ...guard(db), transaction: (work) => db.transaction((tx) => work(guard(tx))) };
}

const A = '+5511987654321';
const A_SHORT = '+551187654321';
const B = '+5521998765432';
const C = '+5531997654321';

export function planPageSuite(database: OpenDatabase): void {
  async function planner(pages: readonly (readonly string[])[], readers = 1) {
    const source = sourceOf(pages, readers);
    const account = freshAccount();
    const base = specOf(account);
    const spec = { ...base, mapping: { ...base.mapping, contact: { number: 'phone', name: 'name' } } };
    const run = await openRun(database(), spec);
    const plan = (db: Database = database()): Promise<PlanProgress> => {
      // Planning makes no call.
      const deps = testDeps({ db, openSource: () => source, compileMapping });
      // One page a call.
      const { planPage } = createSyncPlanActivities(deps, { planMs: 0 });
      return new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(planPage, {
        run: run.id,
      }) as Promise<PlanProgress>;
    };
    const staged = async () =>
      await database().query(
        `select key, row_no, payload #>> '{contact,name}' as name from run_records where run_id = $1 order by row_no`,
        [run.id],
      );
    return { run, plan, staged };
  }
  const keyOf = (number: string) => number.slice(1);

  describe('planPage', () => {
    it('counts a page once if two attempts read it at the same time', async () => {
      const { run, plan, staged } = await planner([[A, B, 'letters'], [C]], 2);
      const both = await Promise.all([plan(), plan()]);
      for (const progress of both)
        expect(progress).toMatchObject({ read: 3, rejected: 1, merged: 0, done: false });
      expect(await getRun(database(), run.id)).toMatchObject({
        rows_read: 3,
        rows_rejected: 1,
        cursor: { page: 1 },
      });
      expect(await plan()).toMatchObject({ read: 4, rejected: 1, done: true });
      expect(await staged()).toHaveLength(3);
    });

    it('stays done after the last page, and reads nothing twice', async () => {
      const { plan } = await planner([[A]]);
      expect(await plan()).toMatchObject({ read: 1, done: true });
      expect(await plan()).toMatchObject({ read: 1, done: true });
    });

    it.each(['insert into run_records', 'insert into row_problems', 'update runs set cursor'])(
      'cut off before "%s" leaves nothing of the page; the next attempt counts it once',
      async (at) => {
        const { run, plan, staged } = await planner([[A, 'letters'], [B]]);
        await expect(plan(crashing(database(), at))).rejects.toThrow('crash');
        expect(await staged()).toEqual([]);
        const problems = () =>
          database().query('select row_no from row_problems where run_id = $1', [run.id]);
        expect(await problems()).toEqual([]);
        expect(await getRun(database(), run.id)).toMatchObject({
          rows_read: 0,
          rows_rejected: 0,
          cursor: null,
        });
        expect(await plan()).toMatchObject({ read: 2, rejected: 1 });
        expect(await problems()).toEqual([{ row_no: 2 }]);
      },
    );

    it('makes one record per person across pages and forms of the number, and counts the merged rows', async () => {
      const { plan, staged } = await planner([
        [A, B, A_SHORT],
        [A, C],
      ]);
      expect(await plan()).toMatchObject({ read: 3, merged: 1 });
      expect(await plan()).toMatchObject({ read: 5, merged: 2, done: true });
      expect(await staged()).toEqual([
        { key: keyOf(A), row_no: 1, name: 'row 1' },
        { key: keyOf(B), row_no: 2, name: 'row 2' },
        { key: keyOf(C), row_no: 5, name: 'row 5' },
      ]);
    });
  });
}
