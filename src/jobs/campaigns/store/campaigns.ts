// Campaign runs: the spec of each, and how far it is.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Pause } from '../../../core/pause.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';
import type { CampaignName, CampaignSpec, CampaignState } from '../contract/batches.ts';
import type { CampaignPlan, PlanNote } from '../contract/plan.ts';
import type { FirstVerified } from '../contract/report.ts';
import type { MemberName } from './members.ts';

export interface CampaignRow {
  readonly run_id: string;
  readonly account: string;
  readonly campaign: string;
  readonly digest: string;
  readonly state: CampaignState;
  /** Start of the periods before the plan. */
  readonly as_of: Date;
  readonly planned_by: string;
  readonly planned_at: Date | null;
  readonly approved_by: string | null;
  readonly approved_at: Date | null;
  readonly started_by: string | null;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly paused: Pause | null;
  /** Why the run waits although nobody paused it. */
  readonly blocked: PlanNote | null;
  readonly verified: FirstVerified | null;
  /** The member whose accepted trigger must be verified before anybody else is triggered. */
  readonly unverified: number | null;
  /** The refusal that paused the run, and the assumptions at the time. */
  readonly suspect: { readonly code: string; readonly assumed: string } | null;
  /** Triggers per minute that an operator set; 0 means no separate limit; null means as configured. */
  readonly pace: number | null;
  /** The reading progress of each part of the audience, by its index. */
  readonly parts: Readonly<Record<string, unknown>>;
  readonly plan: CampaignPlan | null;
  readonly reason: string | null;
  readonly spec: CampaignSpec;
  /** Number of API calls so far. */
  readonly calls: number;
}

/** A digest of a spec. An edit of the configuration changes it. */
export function digestOfSpec(spec: CampaignSpec): string {
  return shortHash(toJson(ordered(spec)));
}

/** The ledger stores an object's keys in a different order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, ordered(each)]),
  );
}

const SELECT = 'select c.*, r.spec, r.calls from campaigns c join runs r on r.id = c.run_id';

/** The run; null when there is none with this id. */
export async function findCampaign(db: Queryable, run: string): Promise<CampaignRow | null> {
  const [row] = await db.query<CampaignRow>(`${SELECT} where c.run_id = $1`, [run]);
  return row ?? null;
}

/** @throws Error when there is none with this id */
export async function getCampaign(db: Queryable, run: string): Promise<CampaignRow> {
  const row = await findCampaign(db, run);
  if (row === null) throw new Error(`the ledger has no run ${run} of a campaign`);
  return row;
}

/** Locks the run until the transaction ends. */
export async function lockCampaign(tx: Queryable, run: string): Promise<CampaignRow> {
  await tx.query('select 1 from campaigns where run_id = $1 for update', [run]);
  return await getCampaign(tx, run);
}

/** Records why the run triggers nobody although nobody paused it; null when it continues. */
export async function noteBlocked(tx: Queryable, run: string, blocked: PlanNote | null): Promise<void> {
  await tx.query(
    'update campaigns set blocked = $2 where run_id = $1 and blocked is distinct from $2::jsonb',
    [run, blocked === null ? null : toJson(blocked)],
  );
}

/** Records what confirmed that the first trigger had its effect. The first finding is kept. */
export async function noteVerified(tx: Queryable, run: string, verified: FirstVerified): Promise<void> {
  await tx.query(
    'update campaigns set verified = $2, unverified = null where run_id = $1 and verified is null',
    [run, toJson(verified)],
  );
}

/** This member's trigger was accepted and must be verified before anybody else is triggered. */
export async function noteUnverified(tx: Queryable, { run, id }: MemberName): Promise<void> {
  await tx.query('update campaigns set unverified = $2 where run_id = $1 and verified is null', [run, id]);
}

export interface RunFilter extends Partial<CampaignName> {
  readonly limit: number;
  /** Only runs older than this one. */
  readonly before?: string | undefined;
}

/** Newest first. */
export async function listRuns(
  db: Queryable,
  { account, campaign, limit, before }: RunFilter,
): Promise<CampaignRow[]> {
  return await db.query<CampaignRow>(
    `${SELECT} where ($1::text is null or c.account = $1) and ($2::text is null or c.campaign = $2)
        and ($4::text is null or (r.started_at, r.seq, r.id) < (select b.started_at, b.seq, b.id from runs b where b.id = $4))
      order by r.started_at desc, r.seq desc, r.id desc limit $3`,
    [account ?? null, campaign ?? null, limit, before ?? null],
  );
}

/** A run of the campaign that is being planned, waits for its start, or is active; null: none. */
export async function openRun(
  db: Queryable,
  campaign: string,
): Promise<{ readonly run: string; readonly state: CampaignState } | null> {
  const [row] = await db.query<{ run: string; state: CampaignState }>(
    `select run_id as run, state from campaigns
      where campaign = $1 and state in ('planning', 'planned', 'running')
      order by case state when 'running' then 0 else 1 end limit 1`,
    [campaign],
  );
  return row ?? null;
}

/**
 * Moves the run to a new state from one of these.
 * @returns false when its state has changed
 */
export async function moveCampaign(
  tx: Queryable,
  run: string,
  from: readonly CampaignState[],
  to: CampaignState,
  at: Date,
  reason: string | null = null,
): Promise<boolean> {
  const over = to === 'finished' || to === 'cancelled' || to === 'failed' || to === 'void';
  const rows = await tx.query(
    `update campaigns set state = $3, reason = coalesce($5, reason),
            ended_at = case when $4::boolean then $6::timestamptz end
      where run_id = $1 and state = any($2) returning 1`,
    [run, from, to, over, reason, at],
  );
  if (rows.length === 0) return false;
  await tx.query(
    `update runs set finished_at = case when $2::boolean then now() end,
            status = case when $2 then case $3 when 'finished' then 'finished' when 'failed' then 'failed' else 'cancelled' end
                     else case $3 when 'planning' then 'planning' else 'syncing' end end
      where id = $1`,
    [run, over, to],
  );
  return true;
}
