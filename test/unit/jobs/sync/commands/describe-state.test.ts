// What `sluice sync status` adds to the counts of a run: whether it has ended, and rows that needed nothing.
import { expect, it } from 'vitest';
import { describeState } from '../../../../../src/jobs/sync/commands/describe-run.ts';
import type { SyncProgress } from '../../../../../src/jobs/sync/contract/runs.ts';

const REPORT = { unchanged: 0, created: 0, updated: 0, failed: 0, unknown: 0, cards: 0 };

function finished(report: Partial<typeof REPORT>): SyncProgress {
  const end = { status: 'finished', message: null, type: null, report: { ...REPORT, ...report } };
  return { state: 'finished', sync: 'leads', eta: null, end } as unknown as SyncProgress;
}

it.each<[string, SyncProgress, string[]]>([
  [
    'nothing had changed: it says so',
    finished({ unchanged: 2000 }),
    ['  nothing has changed since the run before: 2,000 rows are unchanged, so nothing was sent'],
  ],
  [
    'something had changed: the rest is counted',
    finished({ unchanged: 1, updated: 3 }),
    ['  1 row is unchanged since the run before, so nothing was sent for it'],
  ],
  ['every row was new', finished({ created: 5 }), []],
])('a finished run in which %s', (_, progress, lines) => {
  expect(describeState(progress)).toEqual(lines);
});
