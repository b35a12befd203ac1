// What operators ask of campaigns: results as of now, and nothing personal on its way through Temporal.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReportActivities } from '../../../../activities/campaign/reports.ts';
import type { Deps } from '../../../../activities/shared/deps.ts';
import type { Database } from '../../../../src/ledger/database.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { campaignRows, PERSON, RUN, t } from '../../ledger/campaigns/campaign-rows.ts';

let db: Database;
const CANARY = 'canary name';
const rows = campaignRows(() => db);
const queries = () =>
  createReportActivities({ db, clock: { now: async () => t(7200).getTime() } } as unknown as Deps);

beforeAll(async () => void (await testLedger()), 90_000);
beforeEach(async () => {
  db = await testLedger();
  await rows.run();
  await rows.member({ variables: { name: CANARY } });
  const chat = await rows.conversation();
  await rows.message(chat, t(1), { fromMe: true, status: 'read' });
  await rows.message(chat, t(60));
});

describe('the operator queries', () => {
  it('update the results by the clock of the workers before they report them', async () => {
    expect(await queries().campaignReport({ run: RUN })).toMatchObject({ total: { read: 1, replied: 1 } });
    expect(await db.query('select read_at, replied_at from campaign_members')).toEqual([
      { read_at: t(7200), replied_at: t(60) },
    ]);
  });

  it('FAULTS 50: report no personal data', async () => {
    await db.query(
      `insert into campaign_waves (run_id, wave, kind, size, started_at) values ($1, 1, 'wave', 1, $2)`,
      [RUN, t(0)],
    );
    const published = [
      await queries().campaignReport({ run: RUN }),
      await queries().listCampaigns({ limit: 10 }),
      await queries().campaignAudit({ run: RUN }),
      await queries().campaignPlanOf({ run: RUN }),
    ];
    expect(JSON.stringify(published)).not.toMatch(new RegExp(`${CANARY}|${PERSON}`));
  });

  it('return null for an unknown run, or a run without a plan', async () => {
    expect(await queries().campaignReport({ run: 'acme/+spring/9' })).toBeNull();
    expect(await queries().campaignPlanOf({ run: 'acme/+spring/9' })).toBeNull();
    expect(await queries().campaignPlanOf({ run: RUN })).toBeNull();
    expect(await queries().campaignAudit({ run: 'acme/+spring/9' })).toEqual([]);
  });

  it('limit a list to a size that Temporal accepts', async () => {
    for (let n = 2; n <= 4; n++) await rows.run(`acme/+spring/${n}`);
    expect(await queries().listCampaigns({ limit: 2 })).toHaveLength(2);
    expect(await queries().listCampaigns({ limit: 1e9 })).toHaveLength(4);
  });
});
