// The audit of a run: who did what, when and why.
import type { LastResume } from '../../../core/blocked-again.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { CampaignCommand } from '../contract/batches.ts';

/** Longer reasons are cut off. */
const REASON_MOST = 500;

export interface AuditLine {
  readonly id: string;
  readonly by: string;
  readonly action: CampaignCommand['action'] | 'start' | 'finish';
  readonly reason: string;
  /** No personal data. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Number of members affected. */
  readonly members?: number;
}

/** Adds an audit line, once. An existing line with the same id is kept. */
export async function addAudit(tx: Queryable, run: string, line: AuditLine, at: Date): Promise<void> {
  const { id, by, action, reason, details = {}, members = 0 } = line;
  await tx.query(
    `insert into campaign_audit (run_id, id, at, by, action, reason, details, members)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (run_id, id) do nothing`,
    [run, id, at, storable(by), action, storable(reason), toJson(details), members],
  );
}

/** Number of members that the command of this id affected; null when it has not run yet. */
export async function doneBefore(tx: Queryable, run: string, id: string): Promise<number | null> {
  const [row] = await tx.query<{ members: number }>(
    'select members from campaign_audit where run_id = $1 and id = $2',
    [run, id],
  );
  return row?.members ?? null;
}

/** Number of audit lines of the run with this action. */
export async function countAudit(tx: Queryable, run: string, action: AuditLine['action']): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    'select count(*)::int as n from campaign_audit where run_id = $1 and action = $2',
    [run, action],
  );
  return row?.n ?? 0;
}

/** Makes a text storable: the database accepts neither NUL nor half of a surrogate pair. */
export function storable(text: string): string {
  const whole = JSON.parse(toJson(text)) as string;
  return whole.length > REASON_MOST
    ? `${whole.slice(0, REASON_MOST - 1).replace(/[\ud800-\udbff]$/, '')}…`
    : whole;
}

/** The last resume that ended a pause, from the audit, which outlives a workflow that continues as new. */
export async function lastResume(tx: Queryable, run: string): Promise<LastResume | null> {
  const [row] = await tx.query<LastResume>(
    `select by, ${isoText('at')} as at, details->>'code' as code from campaign_audit
      where run_id = $1 and action = 'resume' and details->>'code' is not null order by seq desc limit 1`,
    [run],
  );
  return row ?? null;
}
