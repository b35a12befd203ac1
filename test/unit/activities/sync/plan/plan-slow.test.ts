// An expression that runs into its time limit costs its row; on the third row the plan stops.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { dryRun } from '../../../../../activities/sync/plan/plan-dry.ts';
import { createSyncPlanActivities } from '../../../../../activities/sync/sync-plan.ts';
import type { Source } from '../../../../../src/core/source.ts';
import type { RunSpec } from '../../../../../src/jobs/sync/contract/run.ts';
import { openRun } from '../../../../../src/jobs/sync/store/runs.ts';
import { compileMapping } from '../../../../../src/mapping/index.ts';
import { testDeps } from '../../../../support/activities/deps.ts';
import { testLedger } from '../../../../support/postgres/ledger.ts';
import { freshAccount, specOf } from '../../../core/sql/support.ts';

const db = await testLedger();

const STUCK = 'stuck';

/** Pages of rows, of which those with this name never end. */
function sourceOf(pages: readonly (readonly string[])[]): Source {
  return {
    async read(cursor) {
      const page = Number(cursor?.page ?? 0);
      const before = pages.slice(0, page).flat().length;
      const rows = (pages[page] ?? []).map((name, n) => ({
        row: before + n + 1,
        values: { phone: `+55119876500${10 + before + n}`, name },
      }));
      return { rows, next: page + 1 < pages.length ? { page: page + 1 } : null, progress: null };
    },
  };
}

function specWith(): RunSpec {
  const spec = specOf(freshAccount());
  const contact = {
    number: 'phone',
    name: `=name = "${STUCK}" ? ($f := function($n){$f($n + 1)}; $f(1)) : name`,
  };
  return { ...spec, mapping: { ...spec.mapping, contact } };
}

const makersOf = (pages: readonly (readonly string[])[]) => ({
  openSource: () => sourceOf(pages),
  compileMapping,
});

const MESSAGE =
  'the JSONata expression of contact.name ran into its time limit on 3 rows (2, 4, 5): correct it in the mapping; the rows after them were not read';

it('two slow rows are rejected, and a dry run continues', async () => {
  const makers = makersOf([
    ['aa', STUCK],
    ['aa', STUCK, 'aa'],
  ]);
  const plan = await dryRun(db, {
    spec: specWith(),
    makers,
    samples: 0,
    callsPerMinute: 120,
    onProgress() {},
  });
  expect(plan).toMatchObject({ read: 5, create: 3, rejected: 2 });
});

it('a dry run stops at the third, whichever pages they are on', async () => {
  const makers = makersOf([
    ['aa', STUCK],
    ['aa', STUCK, STUCK, STUCK],
  ]);
  const options = { spec: specWith(), makers, samples: 0, callsPerMinute: 120, onProgress() {} };
  await expect(dryRun(db, options)).rejects.toMatchObject({ name: 'MappingStoppedError', message: MESSAGE });
});

it('a run stops at the third, even after a restart, and is not retried', async () => {
  const spec = specWith();
  const run = await openRun(db, spec);
  const plan = (): Promise<unknown> => {
    const deps = testDeps({ db, ...makersOf([['aa', STUCK], ['aa', STUCK, STUCK], ['aa']]) });
    const { planPage } = createSyncPlanActivities(deps, { planMs: 0 });
    return new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(planPage, {
      run: run.id,
    });
  };
  expect(await plan()).toMatchObject({ read: 2, rejected: 1 });
  await expect(plan()).rejects.toMatchObject({
    type: 'MAPPING_STOPPED',
    nonRetryable: true,
    message: MESSAGE,
  });
});
