// Reports on campaign runs for operators: the state, and figures in total and by wave. No personal data.

import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { CampaignState } from '../contract/batches.ts';
import type { CampaignAuditEntry } from '../contract/campaigns.ts';
import type { PlanNote } from '../contract/plan.ts';
import type { CampaignFigures, CampaignReport, WaveResult } from '../contract/report.ts';
import { isLargeEnough, triedOf } from '../rules/waves.ts';
import { type CampaignRow, findCampaign, listRuns, type RunFilter } from './campaigns.ts';
import { type RunFigures, readRunFigures } from './figures.ts';

/** Maximum number of waves in a report: the newest. */
const MAX_WAVES = 2000;

/** Reads the figures of a run; the operator API keeps them for a moment. */
export type ReadFigures = (row: Pick<CampaignRow, 'run_id' | 'state'>) => Promise<RunFigures>;

/** The run and its newest `MAX_WAVES` waves, in order; null when there is no such run. */
export async function reportOf(
  db: Queryable,
  run: string,
  figuresOf: ReadFigures = ({ run_id }) => readRunFigures(db, run_id),
): Promise<CampaignReport | null> {
  const row = await findCampaign(db, run);
  if (row === null) return null;
  const polledAccounts = await accountsSeen(db);
  const kept = await keptReport(db, run);
  if (kept !== null) {
    // A report of an earlier release does not say it.
    const waves = kept.waves.map((wave) => ({
      ...wave,
      isEvaluated: wave.isEvaluated ?? isEvaluated(wave, triedOf(wave), row),
    }));
    return { ...outline(row, kept.total, polledAccounts), waves };
  }
  const { total, waves } = await figuresOf(row);
  return { ...outline(row, total, polledAccounts), waves: await wavesOf(db, row, waves) };
}

/** Runs without their waves, newest first. */
export async function listReports(
  db: Queryable,
  filter: RunFilter,
  figuresOf: ReadFigures = ({ run_id }) => readRunFigures(db, run_id),
): Promise<CampaignReport[]> {
  const rows = await listRuns(db, filter);
  const polledAccounts = await accountsSeen(db);
  const reports: CampaignReport[] = [];
  for (const row of rows) {
    const { total } = (await keptReport(db, row.run_id)) ?? (await figuresOf(row));
    reports.push({ ...outline(row, total, polledAccounts), waves: [] });
  }
  return reports;
}

interface KeptReport extends Pick<CampaignReport, 'total'> {
  readonly waves: readonly (Omit<WaveResult, 'isEvaluated'> & { readonly isEvaluated?: boolean })[];
}

/** The report that was stored when a run's members were deleted. */
async function keptReport(db: Queryable, run: string): Promise<KeptReport | null> {
  const [row] = await db.query<{ report: KeptReport | null }>(
    'select report from campaigns where run_id = $1',
    [run],
  );
  return row?.report ?? null;
}

const OPEN: ReadonlySet<CampaignState> = new Set(['planning', 'planned', 'running']);

function outline(
  row: CampaignRow,
  total: CampaignFigures,
  polledAccounts: ReadonlySet<string>,
): Omit<CampaignReport, 'waves'> {
  const { account, campaign, run_id: run, state, calls } = row;
  // The report of a finished run does not show its pause. The audit has it.
  const paused = OPEN.has(state) ? row.paused : null;
  const blocked = OPEN.has(state) ? row.blocked : null;
  return {
    account,
    campaign,
    run,
    state,
    paused,
    blocked,
    verified: row.verified,
    calls,
    total,
    timeZone: row.spec.timeZone,
    plannedAt: (row.planned_at ?? row.as_of).toISOString(),
    plannedBy: row.planned_by,
    approvedBy: row.approved_by,
    startedBy: row.started_by,
    approval: row.spec.config.approval,
    digest: row.digest,
    problems: row.plan?.problems ?? [],
    reason: row.reason,
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.ended_at?.toISOString() ?? null,
    pollerSees: polledAccounts.has(account),
    deliveries: deliveriesOf(total, polledAccounts.has(account)),
    replies:
      polledAccounts.has(account) || total.triggered === 0 || total.replied > 0 ? 'known' : 'no-poller',
  };
}

/** @param tried members of the wave that were due, with those that a later wave has retried */
function isEvaluated(
  { judgedAt }: Pick<WaveResult, 'judgedAt'>,
  tried: number,
  { spec }: CampaignRow,
): boolean {
  return judgedAt !== null && isLargeEnough(spec.config.stop, tried);
}

function deliveriesOf(
  { triggered, delivered, read }: CampaignFigures,
  pollerSees: boolean,
): CampaignReport['deliveries'] {
  if (triggered === 0 || delivered + read > 0) return 'known';
  return pollerSees ? 'not-reported' : 'no-poller';
}

/** Accounts that a poller has read completely within the last hour, by the database's clock. */
async function accountsSeen(db: Queryable): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ account: string }>(
    "select distinct account from pollers where complete_at > now() - interval '1 hour'",
  );
  return new Set(rows.map(({ account }) => account));
}

interface WaveRow {
  readonly wave: number;
  readonly kind: WaveResult['kind'];
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly judgedAt: string | null;
  readonly broken: readonly PlanNote[];
  /** Members that were due and have moved on to a later wave. */
  readonly movedOn: number;
}

async function wavesOf(
  db: Queryable,
  run: CampaignRow,
  figures: ReadonlyMap<number, CampaignFigures>,
): Promise<WaveResult[]> {
  const rows = await db.query<WaveRow>(
    `select wave, kind, ${isoText('started_at')} as "startedAt", ${isoText('ended_at')} as "endedAt",
            ${isoText('judged_at')} as "judgedAt", broken,
            (select coalesce(sum(value::int), 0)::int from jsonb_each_text(coalesce(moved_on, '{}'))
              where key in ('failed', 'unknown', 'humanService')) as "movedOn"
       from campaign_waves where run_id = $1 order by wave desc limit $2`,
    [run.run_id, MAX_WAVES],
  );
  return rows.toReversed().map(({ movedOn, ...row }) => {
    const wave = { ...(figures.get(row.wave) ?? NOBODY), ...row };
    return { ...wave, isEvaluated: isEvaluated(wave, triedOf(wave) + movedOn, run) };
  });
}

/** All members of such a wave have moved on to a later one. */
const NOBODY: CampaignFigures = {
  audience: 0,
  eligible: 0,
  found: 0,
  holdout: 0,
  excluded: {},
  waiting: 0,
  sending: 0,
  triggered: 0,
  delivered: 0,
  read: 0,
  replied: 0,
  optedOut: 0,
  moved: 0,
  tagged: 0,
  skipped: {},
  failed: {},
  unknown: 0,
  cancelled: 0,
};

/** The audit of a run, newest first. `before`: only entries before this one. */
export async function auditOf(
  db: Queryable,
  run: string,
  { limit, before }: { readonly limit: number; readonly before: number | null },
): Promise<CampaignAuditEntry[]> {
  return await db.query<CampaignAuditEntry>(
    `select seq::float8 as seq, ${isoText('at')} as at, by, action, reason,
            details || jsonb_build_object('members', members) as details
       from campaign_audit where run_id = $1 and ($3::bigint is null or seq < $3) order by seq desc limit $2`,
    [run, limit, before],
  );
}
