// What calls were spent on, for runs that the ledger does not know.
import { expect, it } from 'vitest';
import { draftRunId, operatorRunId } from '../../../../src/core/ids.ts';
import { sumSpending } from '../../../../src/operator/service/overview/jobs.ts';

it.each([
  [operatorRunId('acme'), 'command', 'commands of operators'],
  [draftRunId('acme'), 'preview', 'previews of audiences'],
  // A dry run leaves no row, and a run may be older than the ledger keeps.
  ['acme/leads/plan-now', 'sync', 'leads'],
  ['acme/+spring/7', 'campaign', 'spring'],
  ['acme/operators/3', 'sync', 'operators'],
  // Of another account, or no run at all.
  ['beta/operators', 'other', 'beta/operators'],
  ['acme/a/b/c', 'other', 'acme/a/b/c'],
  ['acme', 'other', 'acme'],
])('calls of the run %s belong to the %s %s', (run, kind, name) => {
  const row = { account: 'acme', sync: null, run, lane: 2, calls: 3, limited: 0, failed: 0, waitMs: 0 };
  expect(sumSpending([row], 'job', {})).toMatchObject([{ kind, name, calls: 3, share: 1 }]);
});
