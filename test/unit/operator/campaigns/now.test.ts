// What a run does now: its counts are those of the ledger, which the report and the chart of the run show too.
import type { Client } from '@temporalio/client';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { MEMBER_STATES } from '../../../../src/jobs/campaigns/constants.ts';
import { createCampaignNow } from '../../../../src/jobs/campaigns/operator/now.ts';
import type { OverviewDeps } from '../../../../src/operator/service/deps.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { campaignRows, RUN, t } from '../../jobs/campaigns/store/rows.ts';

beforeAll(async () => void (await testLedger()), 90_000);

/** A workflow that counted before its last batch, which has ended since. */
function workflow(counted: { readonly waiting: number; readonly triggered: number }, isPaused: boolean) {
  const none = Object.fromEntries(MEMBER_STATES.map((state) => [state, 0]));
  const paused = isPaused ? { by: 'ana', reason: 'wait' } : null;
  const progress = {
    run: RUN,
    phase: 'running',
    paused,
    wave: 1,
    waiting: null,
    batches: 0,
    pacePerMinute: 10,
  };
  const handle = {
    describe: async () => ({ status: { name: 'RUNNING' }, raw: { pendingActivities: [] } }),
    client: { options: {} },
    query: async () => ({ ...progress, counts: { ...none, ...counted } }),
  };
  return {
    workflow: { getHandle: () => handle },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
  } as unknown as Client;
}

async function nowOf(db: Database, client: Client) {
  const deps = { db, runningTemporal: async () => client, now: async () => t(60).getTime() };
  return await createCampaignNow(deps as unknown as OverviewDeps)('spring');
}

it.each([
  ['running', false],
  ['paused', true],
])(
  'a run that is %s has triggered what the ledger has, not what its workflow counted before',
  async (_, paused) => {
    const db = await testLedger();
    const rows = campaignRows(() => db);
    await rows.run();
    await db.query('update campaigns set started_at = $1', [t(0)]);
    await rows.member({ count: 4 });
    await rows.member({ state: 'skipped', code: 'WINDOW_CLOSED', key: '5511987650101' });
    await rows.member({ state: 'waiting', key: '5511987650102', count: 20 });
    await rows.member({ state: 'excluded', code: 'OPTED_OUT', key: '5511987650103' });
    const now = await nowOf(db, workflow({ waiting: 24, triggered: 1 }, paused));
    expect(now).toMatchObject({
      done: 5,
      total: 25,
      progress: { counts: { triggered: 4, skipped: 1, waiting: 20, excluded: 1, sending: 0 } },
    });
  },
);
