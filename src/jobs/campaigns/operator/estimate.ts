// Estimates of a run: its forecast as the plan was made, and when it ends from here.

import { SPACING } from '../../../core/lanes.ts';
import type { CampaignPlan } from '../contract/plan.ts';
import { compileCalendar } from '../rules/calendar.ts';
import { type Forecast, forecast, type ZoneGroup } from '../rules/forecast.ts';
import { zonesOfText } from '../rules/zones.ts';
import type { CampaignRow } from '../store/campaigns.ts';
import type { RunCounts } from '../store/timeline.ts';

/** Horizon of an estimate: 2 years. */
const HORIZON_MS = 2 * 365 * 86_400_000;

type Planned = Pick<CampaignRow, 'spec' | 'pace'>;

/** Calls that one member costs. */
function callsPerMember({ calls }: CampaignPlan): number {
  const { triggers, rechecks, lookups, after } = calls;
  return triggers === 0 ? 1 : (triggers + rechecks + lookups + after) / triggers;
}

/** Triggers per minute that the budget and the limit of the operator, else of the configuration, allow. */
function paceOf({ spec, pace }: Planned, plan: CampaignPlan): number {
  const own = pace === null ? spec.config.waves.callsPerMinute : pace === 0 ? undefined : pace;
  return Math.min(own ?? Number.POSITIVE_INFINITY, plan.callsPerMinute / callsPerMember(plan));
}

/** The forecast of the plan, as if it began at `startMs`. `share`: of the pace of the plan. */
export function plannedForecast(
  { spec }: Pick<Planned, 'spec'>,
  plan: CampaignPlan,
  { startMs, share }: { readonly startMs: number; readonly share: number },
): Forecast & { readonly pacePerMinute: number } {
  const pacePerMinute = (plan.pacePerMinute * share) / SPACING;
  const groups = plan.zones.filter(({ members }) => members > 0);
  return { ...foreseen(spec, { groups, pacePerMinute, startMs, waves: spec.config.waves }), pacePerMinute };
}

/** Time of the last trigger if the waiting members are triggered from `fromMs` on; null when it can't be known. */
export function endOf(
  row: Planned & Pick<CampaignRow, 'plan'>,
  zones: RunCounts['waiting'],
  fromMs: number,
): number | null {
  if (row.plan === null) return null;
  const groups = zones.map(({ zones, members }) => ({
    zones: zonesOfText(zones, row.spec.timeZone),
    members,
  }));
  if (groups.length === 0) return null;
  const pacePerMinute = paceOf(row, row.plan) / SPACING;
  // The canary is over, or is a part of what is left.
  const waves = { ...row.spec.config.waves, canary: undefined };
  return foreseen(row.spec, { groups, pacePerMinute, startMs: fromMs, waves }).finishMs;
}

function foreseen(
  { config }: CampaignRow['spec'],
  {
    groups,
    pacePerMinute,
    startMs,
    waves,
  }: {
    readonly groups: readonly ZoneGroup[];
    readonly pacePerMinute: number;
    readonly startMs: number;
    readonly waves: CampaignRow['spec']['config']['waves'];
  },
): Forecast {
  const nothing = { waves: [], stretches: [], finishMs: null, byThen: 0, never: [] };
  if (groups.length === 0 || !(pacePerMinute > 0)) return nothing;
  return forecast({
    groups,
    calendar: compileCalendar(config.windows),
    waves,
    pacePerMinute,
    startMs: Math.max(startMs, config.start === undefined ? 0 : Date.parse(config.start)),
    horizonMs: startMs + HORIZON_MS,
  });
}
