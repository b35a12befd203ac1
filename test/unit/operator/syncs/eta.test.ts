import { expect, it } from 'vitest';
import { syncEta } from '../../../../src/jobs/sync/operator/eta.ts';
import type { RunningRow } from '../../../../src/operator/store/overview/work.ts';

/** A run of 20 minutes: 100 of 200 records are done with 200 calls, at 10 calls a minute. */
const row = (over: Partial<RunningRow>): RunningRow => ({
  run: 'acme/leads/1',
  kind: 'sync',
  account: 'acme',
  sync: 'leads',
  state: 'syncing',
  lane: null,
  startedAt: '2026-11-27T00:00:00.000Z',
  ageSeconds: 1200,
  sourceProgress: null,
  total: 200,
  same: 0,
  pending: 100,
  exact: true,
  calls: 200,
  planningCalls: 0,
  recentCalls: 100,
  latestCalls: 30,
  paused: null,
  blocked: null,
  ...over,
});

it.each<[string, Partial<RunningRow>, [number, number, number] | null]>([
  ['an even pace', {}, [1200, 1200, 1200]],
  ['a pace that has doubled', { latestCalls: 60 }, [1200, 600, 1200]],
  ['a pace that has halved', { latestCalls: 15 }, [1200, 1200, 2400]],
  ['no call in the last three minutes', { latestCalls: 0 }, [1200, 1200, 1200]],
  ['records that had nothing to do from the start', { same: 50 }, [2400, 2400, 2400]],
  ['nothing left', { pending: 0 }, [0, 0, 0]],
  ['the first half minute', { ageSeconds: 30, calls: 50, recentCalls: 0, latestCalls: 0 }, [30, 30, 30]],
  ['the first seconds', { ageSeconds: 5, calls: 5, recentCalls: 0, latestCalls: 0 }, null],
  ['no record done', { pending: 200 }, null],
  ['no call in ten minutes', { recentCalls: 0, latestCalls: 0 }, null],
  ['planning', { total: null }, null],
])('%s', (_, over, expected) => {
  const eta = syncEta(row(over));
  expect(eta === null ? null : [eta.seconds, eta.minSeconds, eta.maxSeconds]).toEqual(expected);
});
