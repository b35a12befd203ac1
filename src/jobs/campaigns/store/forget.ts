// Deletes personal data of campaigns: variables when a run has ended, members later. The results stay, and so do
// opt-outs and the people that campaigns reached, because opt-out rules and frequency caps need them.

import { toJson } from '../../../core/json/stored-json.ts';
import type { Database, Queryable } from '../../../core/sql/database.ts';
import type { CampaignReport } from '../contract/report.ts';
import { reportOf } from './report.ts';
import { catchUp } from './results.ts';

/** An unused plan is deleted after this many days. */
const UNUSED_DAYS = 7;
/** Maximum number of days that a frequency cap or an exclusion looks back. */
const TOUCH_DAYS = 3650;
const ROWS = 5000;

const OVER = "state in ('finished', 'cancelled', 'failed', 'void')";

/**
 * Deletes the variables of members of ended runs, except `failed` and `unknown` members, which an operator may retry.
 * Also deletes the numbers that an audience had to leave out.
 * @returns the number of rows; a further call may find more
 */
export async function forgetVariables(db: Database, limit = ROWS): Promise<number> {
  const [run] = await db.query<{ run_id: string }>(
    `select run_id from campaigns where ${OVER} and stripped_at is distinct from coalesce(ended_at, as_of) limit 1`,
  );
  if (run === undefined) return 0;
  return await db.transaction(async (tx) => {
    if (!(await lockOver(tx, run.run_id))) return 1;
    const rows = await tx.query(
      `update campaign_members set variables = null where id in (
         select id from campaign_members
          where run_id = $1 and variables is not null and state not in ('failed', 'unknown') limit $2) returning 1`,
      [run.run_id, limit],
    );
    if (rows.length < limit) {
      // An aborted plan still has these.
      await tx.query('delete from campaign_barred where run_id = $1', [run.run_id]);
      await tx.query('delete from campaign_seen where run_id = $1', [run.run_id]);
      await tx.query('update campaigns set stripped_at = coalesce(ended_at, as_of) where run_id = $1', [
        run.run_id,
      ]);
    }
    return rows.length + 1;
  });
}

/**
 * Deletes the members of runs that ended more than `days` ago, and keeps the run's results. Members of a campaign's
 * last run stay, because the next audience may ask for them.
 * @param at time for the last results
 * @returns the number of rows; a further call may find more
 */
export async function forgetMembers(db: Database, days: number, at: Date, limit = ROWS): Promise<number> {
  const [run] = await db.query<{ run_id: string; kept: boolean }>(
    `select c.run_id, c.report is not null as kept from campaigns c
      where c.${OVER} and exists (select 1 from campaign_members m where m.run_id = c.run_id)
        and c.ended_at < now() - make_interval(secs => 86400 *
              case when c.state in ('finished', 'cancelled') then $1::float8 else least($1::float8, ${UNUSED_DAYS}) end)
        and (c.started_at is null or exists (
              select 1 from campaigns l where l.account = c.account and l.campaign = c.campaign and l.started_at > c.started_at))
      limit 1`,
    [days],
  );
  if (run === undefined) return 0;
  const { run_id, kept } = run;
  if (!kept) await catchUp(db, run_id, at);
  return await db.transaction(async (tx) => {
    if (!(await lockOver(tx, run_id))) return 1;
    if (!kept) await keepReport(tx, run_id, await reportOf(tx, run_id));
    const gone = await tx.query(
      `delete from campaign_members where id in (select id from campaign_members where run_id = $1 limit $2) returning 1`,
      [run_id, limit],
    );
    return gone.length + 1;
  });
}

async function keepReport(tx: Queryable, run: string, report: CampaignReport | null): Promise<void> {
  await tx.query('update campaigns set report = $2::jsonb where run_id = $1', [run, toJson(report)]);
}

/**
 * Locks the run.
 * @returns false when somebody has opened it again meanwhile
 */
async function lockOver(tx: Queryable, run: string): Promise<boolean> {
  const rows = await tx.query(`select 1 from campaigns where run_id = $1 and ${OVER} for update`, [run]);
  return rows.length > 0;
}

/**
 * Deletes reach records that are older than any cap looks back. It reads only the oldest rows.
 * @returns the number of rows; a further call may find more
 */
export async function forgetTouches(db: Queryable, limit = ROWS): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `with gone as (
       delete from campaign_touches where member_id in (
         select member_id from (select member_id, at from campaign_touches order by member_id limit $1) oldest
          where at < now() - make_interval(days => ${TOUCH_DAYS}))
       returning member_id, account, key
     ), reached as (
       delete from campaign_reached r using (select distinct account, key from gone) g
        where r.account = g.account and r.key = g.key
          and not exists (select 1 from campaign_touches t where t.account = r.account and t.key = r.key
                             and t.member_id not in (select member_id from gone)))
     select count(*)::int as n from gone`,
    [limit],
  );
  return row?.n ?? 0;
}
