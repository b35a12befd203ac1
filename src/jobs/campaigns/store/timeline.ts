// How a campaign went over time: when members reached their outcomes, and when people replied.
import type { Queryable } from '../../../core/sql/database.ts';
import { MEMBER_STATES, type MemberState } from '../constants.ts';
import type { CampaignCounts } from '../contract/batches.ts';

/** States in which a member waits no longer. */
const DONE = "('triggered', 'skipped', 'failed', 'unknown', 'cancelled')";

export interface DoneStep {
  /** End of the step, in epoch milliseconds. */
  readonly atMs: number;
  /** Members that reached their outcome in the step. */
  readonly members: number;
}

/** Steps of `stepMs` from `fromMs` on; steps in which nothing happened are left out. */
export async function doneOverTime(
  db: Queryable,
  run: string,
  { fromMs, stepMs }: { readonly fromMs: number; readonly stepMs: number },
): Promise<DoneStep[]> {
  return await db.query(
    `select $2::float8 + (step + 1) * $3::float8 as "atMs", members from (
       select floor(greatest(0, extract(epoch from ended_at)::float8 * 1000 - $2) / $3) as step, count(*)::int as members
         from campaign_members where run_id = $1 and ended_at is not null and state in ${DONE}
        group by 1) steps
      order by 1`,
    [run, fromMs, stepMs],
  );
}

export interface RunCounts {
  /** Members by state. */
  readonly counts: CampaignCounts;
  /** Triggers since the given time. */
  readonly recent: number;
  /** Waiting members by the zones of their windows, joined by commas. */
  readonly waiting: readonly { readonly zones: string; readonly members: number }[];
}

/** What the progress of a run needs, in one pass. */
export async function countRun(db: Queryable, run: string, since: Date): Promise<RunCounts> {
  const rows = await db.query<{ state: MemberState; zones: string; members: number; recent: number }>(
    `select state, case when state = 'waiting' then zones else '' end as zones, count(*)::int as members,
            (count(*) filter (where state = 'triggered' and triggered_at > $2))::int as recent
       from campaign_members where run_id = $1
      group by 1, 2`,
    [run, since],
  );
  const counts = Object.fromEntries(MEMBER_STATES.map((state) => [state, 0])) as Record<MemberState, number>;
  for (const { state, members } of rows) counts[state] += members;
  return {
    counts,
    recent: rows.reduce((all, { recent }) => all + recent, 0),
    waiting: rows
      .filter(({ state }) => state === 'waiting')
      .map(({ zones, members }) => ({ zones, members })),
  };
}

export interface ReplyCell {
  /** 1 is Monday. */
  readonly weekday: number;
  readonly hour: number;
  readonly replies: number;
}

/** Replies by weekday and hour of a time zone: of one run, or of all runs of a campaign. */
export async function repliesByHour(
  db: Queryable,
  runs: readonly string[],
  timeZone: string,
): Promise<ReplyCell[]> {
  return await db.query(
    `select extract(isodow from at)::int as weekday, extract(hour from at)::int as hour, count(*)::int as replies
       from (select replied_at at time zone $2::text as at from campaign_members
              where run_id = any($1) and replied_at is not null) replied
      group by 1, 2 order by 1, 2`,
    [runs, timeZone],
  );
}
