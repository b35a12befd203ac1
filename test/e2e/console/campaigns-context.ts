// Campaigns for the tests of their screen: the configuration, and what the ledger has of them.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import { CampaignConfig } from '../../../src/jobs/campaigns/config.ts';
import { digestOfSpec } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { daily } from '../../support/campaigns/windows.ts';
import { campaignRows } from '../../unit/jobs/campaigns/store/rows.ts';

export const RAW = {
  account: 'acme',
  flow: 7,
  connection: 1,
  variables: { name: 'contact.name' },
  audience: [{ from: 'cards', status: ['lost'] }],
  windows: { days: daily('09:00-18:00') },
  waves: { size: 400, canary: 50, callsPerMinute: 60 },
  stop: { failed: 0.1, optOut: 0.05 },
  approval: 'second-person',
};
const CONFIG = CampaignConfig.parse(RAW);
const specOf = (campaign: string) => ({
  account: 'acme',
  campaign,
  config: CONFIG,
  sources: {},
  timeZone: 'America/Sao_Paulo',
  optOut: { tags: [], words: [] },
});
export const LOADED = {
  file: join(tmpdir(), `sluice-campaigns-${process.pid}.yaml`),
  config: {
    campaigns: { spring: CONFIG, '<script>alert(1)</script>': CONFIG, autumn: CONFIG },
    accounts: { acme: { timeZone: 'America/Sao_Paulo' } },
    sources: {},
    syncs: {},
  },
  campaign: specOf,
  reload: async () => LOADED,
} as unknown as LoadedConfig;

export const RUN = 'acme/+spring/2';
export const PLANNED = 'acme/+autumn/1';

const iso = (ms: number) => new Date(ms).toISOString();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function planOf(run: string, campaign: string, startMs: number) {
  return {
    account: 'acme',
    campaign,
    run,
    plannedAt: iso(startMs - HOUR),
    plannedBy: 'user:ana',
    found: 1700,
    audience: 1500,
    merged: 200,
    parts: [{ from: 'cards', found: 1700 }],
    excluded: { OPTED_OUT: 120, CONTACTED_LATELY: 60, VARIABLE_MISSING: 20 },
    holdout: 0,
    eligible: 1300,
    zones: [{ zones: ['America/Sao_Paulo'], members: 1300 }],
    calls: { planning: 17, triggers: 1300, rechecks: 0, lookups: 0, after: 0 },
    pacePerMinute: 60,
    callsPerMinute: 120,
    waves: [],
    moreWaves: 0,
    timeZone: 'America/Sao_Paulo',
    days: [0, 1, 2].map((n) => ({
      day: iso(startMs + n * DAY).slice(0, 10),
      members: [540, 540, 220][n],
      startsAt: iso(startMs + n * DAY),
      endsAt: iso(startMs + n * DAY + 9 * HOUR),
    })),
    moreDays: 0,
    finishAt: iso(startMs + 2 * DAY + 4 * HOUR),
    problems: [],
    warnings: [{ code: 'NO_POLLER', reason: 'no poller reads the conversations of acme' }],
    approval: 'second-person',
  };
}

/** A run in progress, an earlier one with replies, and a plan that waits for its approval. */
export async function fillCampaigns(db: Database): Promise<void> {
  const rows = campaignRows(() => db);
  const startMs = Date.now() - 3 * HOUR;
  for (const run of ['acme/+spring/1', RUN]) await rows.run(run);
  await rows.run(PLANNED, { state: 'planned' });
  for (const [run, campaign] of [
    ['acme/+spring/1', 'spring'],
    [RUN, 'spring'],
    [PLANNED, 'autumn'],
  ] as const) {
    const spec = specOf(campaign);
    await db.query('update runs set spec = $2::jsonb where id = $1', [run, JSON.stringify(spec)]);
    await db.query(
      "update campaigns set plan = $2::jsonb, digest = $3, planned_by = 'user:ana' where run_id = $1",
      [run, JSON.stringify(planOf(run, campaign, startMs)), digestOfSpec(spec)],
    );
  }
  await db.query(
    "update campaigns set state = 'finished', started_at = $1, ended_at = $2 where run_id = 'acme/+spring/1'",
    [new Date(startMs - 30 * DAY), new Date(startMs - 28 * DAY)],
  );
  await db.query(
    "update campaigns set started_at = $2, approved_by = 'user:bia', started_by = 'user:ana' where run_id = $1",
    [RUN, new Date(startMs)],
  );
  await rows.member({ run: RUN, key: '551198765', count: 600, wave: 1 });
  await rows.member({
    run: RUN,
    key: '551198766',
    count: 9,
    wave: 1,
    state: 'failed',
    code: 'ERR_CONTACT_INVALID',
  });
  await rows.member({
    run: RUN,
    key: '551198767',
    count: 40,
    wave: 2,
    state: 'skipped',
    code: 'HUMAN_SERVICE',
  });
  await rows.member({ run: RUN, key: '551198768', count: 3, wave: 2, state: 'unknown', code: 'ANSWER_LOST' });
  await rows.member({ run: RUN, key: '551198769', count: 648, wave: null, state: 'waiting', place: 1 });
  await rows.member({
    run: RUN,
    key: '551198770',
    count: 200,
    wave: null,
    state: 'excluded',
    code: 'OPTED_OUT',
  });
  await rows.member({ run: PLANNED, key: '551198771', count: 1300, wave: null, state: 'waiting', place: 1 });
  await db.query(
    `update campaign_members set triggered_at = $1::timestamptz + id * interval '14 seconds',
            ended_at = $1::timestamptz + id * interval '14 seconds',
            delivered_at = case when id % 10 < 9 then $1::timestamptz end,
            replied_at = case when id % 7 = 0 then $1::timestamptz + id * interval '11 minutes' end
      where state in ('triggered', 'failed', 'skipped', 'unknown')`,
    [new Date(startMs)],
  );
  // Numbers of 13 digits; each stands in the ledger once.
  await db.query("update campaign_members set key = rpad(key, 13, '0') || id, number = rpad(key, 13, '0')");
  await db.query("update campaign_members set zones = 'America/Sao_Paulo' where state = 'waiting'");
  // One conversation changed right after a trigger whose answer was lost.
  await db.query(`update campaign_members set sent_at = ended_at where state = 'unknown'`);
  await db.query(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item)
     select 'acme', 4711, 'inbox', 1, 'waba', key, sent_at + interval '20 seconds', 'f', '{}'
       from campaign_members where state = 'unknown' order by id limit 1`,
  );
  for (const [wave, kind] of [
    [1, 'canary'],
    [2, 'wave'],
  ] as const)
    await db.query(
      `insert into campaign_waves (run_id, wave, kind, size, started_at, ended_at, judged_at, broken)
       values ($1, $2, $3, 600, $4, $5, $5, '[]')`,
      [RUN, wave, kind, new Date(startMs + wave * HOUR), wave === 1 ? new Date(startMs + 2 * HOUR) : null],
    );
  await db.query(
    `insert into campaign_audit (run_id, id, at, by, action, reason, details, members)
     values ($1, 'plan', $2, 'user:ana', 'plan', '', '{}', 0), ($1, 'rate', $2, 'user:bia', 'rate', '=HYPERLINK("http://evil.example")', '{"callsPerMinute": 60}', 0)`,
    [RUN, new Date(startMs)],
  );
}
