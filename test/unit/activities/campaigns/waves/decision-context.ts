// A campaign in the ledger without a service: members inserted by SQL, a clock that the test sets, and outcomes that it chooses.
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { questionOf } from '../../../../../activities/campaigns/trigger/check.ts';
import { openNow } from '../../../../../activities/campaigns/waves/next-in-waves.ts';
import { createCampaignRunActivities } from '../../../../../activities/campaigns/waves/run.ts';
import type { Database } from '../../../../../src/core/sql/database.ts';
import { CampaignConfig } from '../../../../../src/jobs/campaigns/config.ts';
import type { MemberState } from '../../../../../src/jobs/campaigns/constants.ts';
import type {
  CampaignCommand,
  CampaignSpec,
  NextAction,
} from '../../../../../src/jobs/campaigns/contract/batches.ts';
import { compileCalendar } from '../../../../../src/jobs/campaigns/rules/calendar.ts';
import { digestOfSpec, getCampaign } from '../../../../../src/jobs/campaigns/store/campaigns.ts';
import { takeMembers } from '../../../../../src/jobs/campaigns/store/member-checks.ts';
import type { AnnounceRule } from '../../../../../src/jobs/outbox/contract/announce.ts';
import { testAccount, testDeps, testLog } from '../../../../support/activities/deps.ts';
import { freeBudget } from '../../../../support/activities/free-budget.ts';
import { ALL_DAY } from '../../../../support/campaigns/windows.ts';
import { freshAccount } from '../../../core/sql/support.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** A Monday, 12:00 UTC: 09:00 in São Paulo, 07:00 in New York. */
export const NOON = Date.parse('2026-11-16T12:00:00Z');

export interface ContextOptions {
  /** Zones of each member that waits, joined by a comma. */
  readonly members: readonly string[];
  readonly config?: object;
  readonly state?: string;
  readonly plan?: object | null;
  /** Members of other states. */
  readonly others?: readonly MemberState[];
  /** Rules for events of the account. */
  readonly announce?: readonly AnnounceRule[];
}

export interface Outcome {
  readonly state: MemberState;
  readonly code?: string;
  /** Comes again then. */
  readonly retryAt?: number;
  /** How long ago the right to trigger was taken, in seconds. */
  readonly sentAgo?: number;
}

/** @param number of the run among those of its campaign */
export async function decisionContext(
  db: Database,
  {
    members,
    config = {},
    state = 'planned',
    plan = { problems: [] },
    others = [],
    announce = [],
  }: ContextOptions,
  account = freshAccount(),
  number = 1,
) {
  const spec = specOf(account, config);
  const configured = { spec };
  const run = `${account}/+win/${number}`;
  const clock = { at: NOON };
  await db.query(
    `insert into runs (id, account, sync, seq, spec, kind, finished_at)
     values ($1, $2, '+win', $5, $3, 'campaign', case when $4 in ('planning', 'planned', 'running') then null else now() end)`,
    [run, account, JSON.stringify(spec), state, number],
  );
  await db.query(
    `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, planned_at, plan)
     values ($1, $2, 'win', $3, $4, $5, 'ana', $5, $6)`,
    [run, account, digestOfSpec(spec), state, new Date(NOON), plan && JSON.stringify(plan)],
  );
  // The order is the reverse of the ids, so that a test sees which of the two applies.
  await db.query(
    `insert into campaign_members (run_id, key, number, part, zones, state, place)
     select $1, '1555' || $2 || n, '1555' || $2 || n, 0, zones, 'waiting', ${members.length} + 1 - n
       from unnest($3::text[]) with ordinality as m(zones, n)`,
    [run, String(number), members],
  );
  for (const each of others)
    await db.query('insert into campaign_members (run_id, part, state) values ($1, 0, $2)', [run, each]);

  const deps = testDeps({
    db,
    log: testLog(),
    account: () => testAccount(undefined, { tokenKey: 'key' }),
    budget: freeBudget(120),
    campaign: () => configured.spec,
    clock: { now: async () => clock.at },
    announce: () => announce,
  });
  const woken: string[] = [];
  const activities = createCampaignRunActivities(deps, { wake: async (sinks) => void woken.push(...sinks) });
  const first = await db.query<{ id: number }>(
    'select min(id)::int as id from campaign_members where run_id = $1',
    [run],
  );
  const base = (first[0]?.id ?? 1) - 1;

  return {
    db,
    run,
    account,
    spec,
    clock,
    activities,
    deps,
    woken,
    /** Id of the n-th member, from 1. */
    id: (n: number) => base + n,
    /** Numbers of members, from 1, by their ids. */
    numbers: (ids: readonly number[]) => ids.map((id) => id - base),
    edit(over: object): void {
      configured.spec = specOf(account, { ...config, ...over });
    },
    open: (by = 'ana') => activities.openCampaign({ account, campaign: 'win', run, by }),
    next: (): Promise<NextAction> => activities.decideNext({ run }),
    /**
     * Leases members that are due, as a batch does.
     * @returns their ids, and when the first of their windows closes
     */
    async take({ limit = 500, seconds = 0 } = {}): Promise<{ members: number[]; closesMs: number }> {
      const campaign = await getCampaign(db, run);
      const calendar = compileCalendar(spec.config.windows);
      const { zones, closesMs } = await openNow({ tx: db, run: campaign, calendar, now: clock.at });
      const until = new Date(clock.at + seconds * 1000);
      const checks = await takeMembers(
        db,
        questionOf({ campaign }, clock.at),
        { zones, limit, at: new Date(clock.at) },
        { holder: randomUUID(), until },
      );
      return { members: checks.map(({ id }) => id), closesMs };
    },
    close: async () => (await activities.closeCampaign({ run })).closed,
    command: (command: CommandOf, id: string = randomUUID()) =>
      activities.campaignCommand({
        run,
        id,
        command: { by: 'ben', reason: 'because', ...command } as CampaignCommand,
      }),
    /** What triggering a member came to. */
    async outcome(id: number, { state, code, retryAt, sentAgo }: Outcome): Promise<void> {
      const rows = await db.query<{ key: string }>(
        `update campaign_members
            set state = $2, code = $3, not_before = $4::timestamptz, holder = null, due_at = null, sends = sends + case when $2 = 'waiting' then 0 else 1 end,
                tries = tries + case when $4::timestamptz is null then 0 else 1 end,
                sent_at = case when $5::float8 is null then sent_at else now() - make_interval(secs => $5) end,
                ended_at = case when $2 in ('waiting', 'sending') then null else $6::timestamptz end,
                triggered_at = case when $2 = 'triggered' then $6::timestamptz end
          where id = $1 and state in ('waiting', 'sending') returning key`,
        [id, state, code ?? null, retryAt ? new Date(retryAt) : null, sentAgo ?? null, new Date(clock.at)],
      );
      const key = rows[0]?.key ?? '';
      if (state === 'triggered' || state === 'unknown' || state === 'sending')
        await db.query(
          `insert into campaign_touches (member_id, account, key, campaign, run_id, at) values ($1, $2, $3, 'win', $4, $5)
           on conflict (member_id) do update set at = excluded.at`,
          [id, account, key, run, new Date(clock.at)],
        );
    },
    /** What a batch that is to be triggered now takes. */
    async batch(options: { limit?: number; seconds?: number } = {}) {
      const next = await this.next();
      if (next.do !== 'triggerBatch') throw new Error(`next is ${JSON.stringify(next)}`);
      return await this.take(options);
    },
    /** All members that are due come to the same. @returns their numbers */
    async all(outcome: Outcome = { state: 'triggered' }): Promise<number[]> {
      const { members } = await this.take();
      for (const id of members) await this.outcome(id, outcome);
      return this.numbers(members);
    },
    async states(): Promise<string[]> {
      const rows = await db.query<{ state: string; code: string | null }>(
        'select state, code from campaign_members where run_id = $1 order by id',
        [run],
      );
      return rows.map(({ state, code }) => (code === null ? state : `${state} ${code}`));
    },
    async waves(): Promise<WaveShown[]> {
      return await db.query<WaveShown>(
        `select wave, kind, size, (select count(*)::int from campaign_members m where m.run_id = w.run_id and m.wave = w.wave) as members,
                moved_on, started_at, ended_at, judged_at, broken from campaign_waves w where run_id = $1 order by wave`,
        [run],
      );
    },
    async audit(): Promise<
      { id: string; by: string; action: string; reason: string; members: number; details: object }[]
    > {
      return await db.query('select * from campaign_audit where run_id = $1 order by seq', [run]);
    },
    async row(): Promise<Record<string, unknown>> {
      const [row] = await db.query<Record<string, unknown>>('select * from campaigns where run_id = $1', [
        run,
      ]);
      return row as Record<string, unknown>;
    },
  };
}

export type DecisionContext = Awaited<ReturnType<typeof decisionContext>>;
type CommandOf = CampaignCommand extends infer Command
  ? Command extends CampaignCommand
    ? Omit<Command, 'by' | 'reason'> & { by?: string; reason?: string }
    : never
  : never;

export interface WaveShown {
  readonly wave: number;
  readonly kind: string;
  readonly size: number;
  readonly members: number;
  readonly moved_on: Readonly<Record<string, number>>;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly judged_at: Date | null;
  readonly broken: readonly { readonly code: string }[];
}

function specOf(account: string, config: object): CampaignSpec {
  return {
    account,
    campaign: 'win',
    sources: {},
    timeZone: 'America/Sao_Paulo',
    optOut: { tags: [], words: [] },
    config: CampaignConfig.parse({
      account,
      flow: 1,
      connection: 1,
      audience: [{ from: 'contacts' }],
      windows: { days: ALL_DAY },
      ...config,
    }),
  };
}

/** Type of the refusal, or what came instead. */
export async function refused(work: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work);
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || !error.nonRetryable) throw error;
    return String(error.type);
  }
}
