// Measures what operators' reads of a campaign with 100,000 members take, on PostgreSQL and on PGlite. Each read is
// measured cold: the service keeps figures for a moment, and here it has kept none.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedConfig } from '../src/config/load.ts';
import { type Database, openPglite, openPostgres } from '../src/core/sql/database.ts';
import { migrate } from '../src/core/sql/migrations/migrations.ts';
import { CAMPAIGN_MEMBERS } from '../src/jobs/campaigns/contract/campaign-members.ts';
import { CAMPAIGNS } from '../src/jobs/campaigns/contract/campaigns.ts';
import { campaignHandlers } from '../src/jobs/campaigns/operator/index.ts';
import type { OperatorDeps } from '../src/operator/service/deps.ts';
import { startPostgres } from '../test/support/postgres/postgres.ts';
import type { BenchResult } from './bench.ts';
import { MEMBERS, PLAN, RUN, SPEC, START } from './support/campaign-data.ts';
import { round } from './support/log.ts';

const TIMES = 40;
const WARM_UPS = 5;
const ENDPOINTS = { ...CAMPAIGNS, ...CAMPAIGN_MEMBERS } as const;
type BenchRoute = keyof typeof ENDPOINTS;

export async function members(say: (line: string) => void): Promise<BenchResult> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-members-'));
  const postgres = await startPostgres();
  try {
    const onPostgres = await measure(await openPostgres(postgres.url, console.error), say);
    const onPglite = await measure(await openPglite(join(dir, 'ledger')), say);
    const figures = { members: MEMBERS, ...onPostgres, ...onPglite };
    const timed = Object.keys(figures).filter((name) => name.endsWith('p95, ms'));
    return { figures, goals: Object.fromEntries(timed.map((name) => [name, { max: 200 }])) };
  } finally {
    await postgres.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function measure(db: Database, say: (line: string) => void): Promise<Record<string, number>> {
  try {
    await migrate(db);
    await fill(db);
    say(`${db.kind}: the ledger is filled`);
    const reads: readonly (readonly [string, BenchRoute, object])[] = [
      ['list', 'GET /campaigns', {}],
      ['runs', 'GET /campaign-runs', {}],
      ['report', 'GET /campaigns/{campaign}/report', { campaign: RUN }],
      ['progress', 'GET /campaigns/{campaign}/progress', { campaign: RUN }],
      ['burn-down', 'GET /campaigns/{campaign}/burn-down', { campaign: RUN }],
      ['replies', 'GET /campaigns/{campaign}/replies', { campaign: RUN }],
      ['members, first page', 'POST /campaigns/{campaign}/members', { campaign: RUN, limit: 200 }],
      ['members, last page', 'POST /campaigns/{campaign}/members', { campaign: RUN, after: MEMBERS - 200 }],
      ['members, failed', 'POST /campaigns/{campaign}/members', { campaign: RUN, states: ['failed'] }],
      [
        'members, number',
        'POST /campaigns/{campaign}/members',
        { campaign: RUN, search: '+55 11 91234-5601' },
      ],
    ];
    const figures: Record<string, number> = {};
    for (const [name, route, input] of reads) {
      const times: number[] = [];
      for (let n = -WARM_UPS; n < TIMES; n++) {
        const handler = campaignHandlers(depsOf(db))[route] as (input: unknown) => Promise<unknown>;
        const startedMs = performance.now();
        ENDPOINTS[route].output.parse(await handler(ENDPOINTS[route].input.parse(input)));
        if (n >= 0) times.push(performance.now() - startedMs);
      }
      times.sort((a, b) => a - b);
      const at = (part: number) => round(times[Math.floor(times.length * part)] ?? Number.NaN, 1);
      figures[`${db.kind}: ${name}: p50, ms`] = at(0.5);
      figures[`${db.kind}: ${name}: p95, ms`] = at(0.95);
      say(`  ${name}: ${at(0.5)} / ${at(0.95)} ms`);
    }
    return figures;
  } finally {
    await db.close();
  }
}

function depsOf(db: Database): OperatorDeps {
  const config = {
    config: { campaigns: { spring: SPEC.config }, accounts: { acme: { timeZone: SPEC.timeZone } } },
    campaign: () => SPEC,
  } as unknown as LoadedConfig;
  return {
    db,
    config: () => config,
    runningTemporal: async () => null,
    now: async () => Date.parse(START) + 8 * 3_600_000,
  } as unknown as OperatorDeps;
}

/** A run in progress: a third was triggered, some failed or were skipped, the others wait. */
async function fill(db: Database): Promise<void> {
  await db.query(
    `insert into runs (id, account, sync, seq, spec, kind, status) values ($1, 'acme', '+spring', 1, $2::jsonb, 'campaign', 'syncing')`,
    [RUN, JSON.stringify(SPEC)],
  );
  await db.query(
    `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, planned_at, started_at, plan)
     values ($1, 'acme', 'spring', 'digest', 'running', $2, 'user:ana', $2, $2, $3::jsonb)`,
    [RUN, START, JSON.stringify(PLAN)],
  );
  await db.query(
    `insert into campaign_members (run_id, key, number, part, state, code, wave, place, zones, triggered_at, ended_at, replied_at)
     select $1, '55119' || lpad(n::text, 8, '0'), '55119' || lpad(n::text, 8, '0'), 0, state,
            case state when 'failed' then 'ERR_CONTACT_INVALID' when 'skipped' then 'HUMAN_SERVICE' end,
            case when state <> 'waiting' then n / 500 + 1 end, n, 'America/Sao_Paulo',
            case state when 'triggered' then $2::timestamptz + n * interval '0.5 seconds' end,
            case when state <> 'waiting' then $2::timestamptz + n * interval '0.5 seconds' end,
            case when state = 'triggered' and n % 9 = 0 then $2::timestamptz + n * interval '2 seconds' end
       from (select n, case when n > $3::int / 3 then 'waiting' when n % 50 = 0 then 'failed' when n % 20 = 0 then 'skipped'
                            else 'triggered' end as state
               from generate_series(1, $3::int) n) members`,
    [RUN, START, MEMBERS],
  );
  await db.query('analyze campaign_members');
}
