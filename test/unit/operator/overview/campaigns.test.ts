// The overview shows the estimate that a campaign makes of itself.
import { expect, it } from 'vitest';
import type { CampaignNow } from '../../../../src/jobs/campaigns/contract/campaigns.ts';
import { readEstimates } from '../../../../src/operator/service/overview/campaigns.ts';
import { runningOf, waitingOf } from '../../../../src/operator/service/overview/work.ts';
import type { RunningRow } from '../../../../src/operator/store/overview/work.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const UNTIL = '2026-11-23T12:08:00.000Z';

const row = (over: Partial<RunningRow> = {}): RunningRow => ({
  run: 'acme/+spring/1',
  kind: 'campaign',
  account: 'acme',
  sync: '+spring',
  state: 'running',
  lane: null,
  startedAt: '2026-11-23T11:00:00.000Z',
  ageSeconds: 3600,
  sourceProgress: null,
  total: 100,
  same: 0,
  pending: 50,
  exact: true,
  calls: 80,
  planningCalls: 4,
  latestCalls: 0,
  recentCalls: 40,
  paused: null,
  blocked: null,
  ...over,
});

const nowOf = async (run: string) =>
  ({
    run,
    etaAt: '2026-11-23T12:30:00.000Z',
    progress: { waiting: { until: UNTIL, why: 'settle' } },
  }) as unknown as CampaignNow;

it('takes the forecast of the campaign, and what it waits for', async () => {
  const estimates = await readEstimates([row()], nowOf, NOW);
  expect(runningOf(row(), undefined, estimates.get('acme/+spring/1'))).toMatchObject({
    etaSeconds: 1800,
    waiting: { until: UNTIL, why: 'settle' },
  });
});

it('does not ask those that are paused, blocked or planned, nor syncs', async () => {
  const quiet = [
    row({ paused: { by: 'ana', reason: '' } }),
    row({ blocked: { code: 'X', reason: '' } }),
    row({ state: 'planned' }),
    row({ kind: 'sync', state: 'syncing' }),
  ];
  const estimates = await readEstimates(quiet, () => Promise.reject(new Error('asked')), NOW);
  expect(estimates.size).toBe(0);
});

it('without an estimate, the end of a campaign is not guessed from its calls', () => {
  expect(runningOf(row(), undefined, undefined)).toMatchObject({ etaSeconds: null, waiting: null });
});

it('in the line of an account the lane goes first, then the age; what stands still has no place', () => {
  const run = (over: Partial<RunningRow>) =>
    runningOf(row({ kind: 'sync', state: 'syncing', ...over }), undefined, undefined);
  const at = (minute: number) => `2026-11-23T11:0${minute}:00.000Z`;
  const line = waitingOf(
    [
      run({ sync: 'newer', startedAt: at(2) }),
      run({ sync: 'older', startedAt: at(1), lane: 'backfill' }),
      run({ sync: 'urgent', startedAt: at(3), lane: 'lead' }),
      run({ sync: 'stopped', startedAt: at(0), paused: { by: 'ana', reason: '' } }),
      run({ sync: 'elsewhere', startedAt: at(4), account: 'beta' }),
    ],
    [
      {
        kind: 'conversations',
        account: 'acme',
        name: 'chats',
        action: null,
        count: 1,
        exact: true,
        since: null,
        recent: 0,
      },
    ],
    [],
  );
  expect(line.map(({ account, name, lane, place }) => [account, name, lane, place])).toEqual([
    ['acme', 'urgent', 'lead', 1],
    ['acme', 'chats', 'poll', 2],
    ['acme', 'stopped', 'backfill', null],
    ['acme', 'older', 'backfill', 3],
    ['acme', 'newer', 'backfill', 4],
    ['beta', 'elsewhere', 'backfill', 1],
  ]);
});
