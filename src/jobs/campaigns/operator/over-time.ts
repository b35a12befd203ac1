// A run over time: what remains beside the forecast of its plan, and when people reply.

import { parseCampaignRunId } from '../../../core/ids.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { createMemo } from '../../../operator/service/memo.ts';
import type { BurnDown, BurnPoint, CAMPAIGNS, ReplyHours } from '../contract/campaigns.ts';
import type { Forecast } from '../rules/forecast.ts';
import { listRuns } from '../store/campaigns.ts';
import { doneOverTime, repliesByHour } from '../store/timeline.ts';
import { plannedForecast } from './estimate.ts';
import { findRun } from './target.ts';

/** Maximum number of points of a line. */
const POINTS = 150;
const LEAST_STEP_MS = 1000;
/** Runs whose replies are counted together. */
const RUNS = 100;
/** Pace of the slow edge of the band, as a share of the plan's. */
const SLOW = 0.5;

type Routes = Extract<keyof typeof CAMPAIGNS, `GET /campaigns/{campaign}/${'burn-down' | 'replies'}`>;

export function overTimeHandlers({ db, now }: OperatorDeps): Handlers<Routes> {
  const burnDowns = createMemo<BurnDown>();
  const hours = createMemo<ReplyHours>();

  async function burnDown(text: string): Promise<BurnDown> {
    const row = await findRun(db, text);
    const { run_id: run, plan, spec, started_at: startedAt } = row;
    const nowMs = await now();
    const startMs = startedAt?.getTime() ?? nowMs;
    const total = plan?.eligible ?? 0;
    const endMs = Math.max(startMs, row.ended_at?.getTime() ?? nowMs);
    const stepMs = Math.max(LEAST_STEP_MS, (endMs - startMs) / POINTS);
    const steps = startedAt === null ? [] : await doneOverTime(db, run, { fromMs: startMs, stepMs });
    const band = (share: number) => {
      if (plan === null) return [];
      const found = plannedForecast({ spec }, plan, { startMs, share });
      return thinned(planned(found, total, startMs));
    };
    let left = total;
    const done = steps.map(({ atMs, members }) => {
      left = Math.max(0, left - members);
      return point(Math.min(atMs, endMs), left);
    });
    return {
      run,
      timeZone: spec.timeZone,
      total,
      startedAt: startedAt?.toISOString() ?? null,
      done: startedAt === null ? [] : [point(startMs, total), ...done, point(endMs, left)],
      fast: band(1),
      slow: band(SLOW),
    };
  }

  async function replies(text: string): Promise<ReplyHours> {
    const { spec, campaign, account, run_id } = await findRun(db, text);
    const isRun = parseCampaignRunId(text) !== null;
    const runs = isRun
      ? [run_id]
      : (await listRuns(db, { account, campaign, limit: RUNS })).map((row) => row.run_id);
    const cells = await repliesByHour(db, runs, spec.timeZone);
    return {
      timeZone: spec.timeZone,
      run: isRun ? run_id : null,
      replies: cells.reduce((sum, cell) => sum + cell.replies, 0),
      cells,
    };
  }

  return {
    'GET /campaigns/{campaign}/burn-down': ({ campaign }) =>
      burnDowns.get(campaign, () => burnDown(campaign)),
    'GET /campaigns/{campaign}/replies': ({ campaign }) => hours.get(campaign, () => replies(campaign)),
  };
}

/** What remains at the beginning and the end of each series of triggers. */
function planned(
  { stretches, pacePerMinute }: Forecast & { readonly pacePerMinute: number },
  total: number,
  startMs: number,
): BurnPoint[] {
  const points = [point(startMs, total)];
  let left = total;
  for (const { startsMs, members } of stretches) {
    points.push(point(startsMs, left));
    left -= members;
    points.push(point(startsMs + (Math.max(0, members - 1) * 60_000) / pacePerMinute, Math.max(0, left)));
  }
  return points;
}

/** At most POINTS of them, with the first and the last. */
function thinned(points: readonly BurnPoint[]): BurnPoint[] {
  if (points.length <= POINTS) return [...points];
  const every = (points.length - 1) / (POINTS - 1);
  return Array.from({ length: POINTS }, (_, i) => points[Math.round(i * every)] as BurnPoint);
}

function point(atMs: number, left: number): BurnPoint {
  return { at: new Date(atMs).toISOString(), left: Math.round(left) };
}
