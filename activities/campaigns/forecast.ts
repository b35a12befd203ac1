// Activity that makes the plan of a campaign: how many calls it costs, and when it ends.

import { ApplicationFailure } from '@temporalio/activity';
import { toJson } from '../../src/core/json/stored-json.ts';
import { SPACING } from '../../src/core/lanes.ts';
import type { Queryable } from '../../src/core/sql/database.ts';
import { readCatalog } from '../../src/core/store/catalog.ts';
import type { CampaignRunName } from '../../src/jobs/campaigns/contract/batches.ts';
import type { CampaignPlan, PlanNote } from '../../src/jobs/campaigns/contract/plan.ts';
import { compileCalendar } from '../../src/jobs/campaigns/rules/calendar.ts';
import { daysOf } from '../../src/jobs/campaigns/rules/days.ts';
import {
  type Forecast,
  forecast,
  paceNeeded,
  type ZoneGroup,
} from '../../src/jobs/campaigns/rules/forecast.ts';
import { type PlanFacts, problemsOf, warningsOf } from '../../src/jobs/campaigns/rules/plan-notes.ts';
import { zonesOfText } from '../../src/jobs/campaigns/rules/zones.ts';
import { progressOf } from '../../src/jobs/campaigns/store/audience.ts';
import { campaignNews } from '../../src/jobs/campaigns/store/campaign-news.ts';
import {
  type CampaignRow,
  getCampaign,
  lockCampaign,
  moveCampaign,
} from '../../src/jobs/campaigns/store/campaigns.ts';
import {
  countMembers,
  countZones,
  type StateCount,
  underWayBeside,
  type ZoneCount,
} from '../../src/jobs/campaigns/store/plan-facts.ts';
import { listWarnings } from '../../src/jobs/sync/store/run-warnings.ts';
import type { Deps } from '../shared/deps.ts';
import { configured } from '../shared/failures.ts';
import { wakeSinks } from '../shared/wake.ts';
import { missingNames, pollerStates, tokenRefused } from './plan-checks.ts';

/** Maximum number of waves and of days that a plan lists; it only counts the others. */
const LISTED = 200;
/** The forecast ends after 5 years. */
const HORIZON_MS = 5 * 365 * 86_400_000;

export function createForecastActivities(deps: Deps, { wake = wakeSinks } = {}) {
  const { db } = deps;
  return {
    /**
     * Makes the plan of a run, stores it and sets the run to `planned`. It reads only the ledger. A repeated call
     * returns the plan that was made first.
     */
    async planCampaign({ run }: CampaignRunName): Promise<CampaignPlan> {
      const row = await getCampaign(db, run);
      if (row.plan !== null) return row.plan;
      const plan = await makePlan(row);
      const at = new Date(await deps.clock.now());
      const stored = await db.transaction(async (tx) => {
        const { plan: made } = await lockCampaign(tx, run);
        if (made !== null) return { plan: made, sinks: [] };
        await tx.query('update campaigns set plan = $2 where run_id = $1', [run, toJson(plan)]);
        if (await moveCampaign(tx, run, ['planning'], 'planned', at)) {
          const news = campaignNews(row, deps.announce(row.account));
          news.changed('planned', { at, by: row.planned_by });
          return { plan, sinks: await news.publish(tx) };
        }
        const message = `the plan ${run} is no longer being made: a newer plan replaced it, or it failed`;
        throw ApplicationFailure.nonRetryable(message, 'PLAN_OVER');
      });
      await wake(stored.sinks);
      return stored.plan;
    },
  };

  async function makePlan(row: CampaignRow): Promise<CampaignPlan> {
    const { run_id: run, account: name, spec } = row;
    const { config } = spec;
    const account = configured(() => deps.account(name));
    const nowMs = await deps.clock.now();
    const tokens = account.tokens.map(({ key }) => key);
    const callsPerMinute = await deps.budget.pace(tokens);
    const counts = await countMembers(db, run);
    if (counts.some(({ state }) => state === 'found'))
      throw new Error(`the audience of ${run} is not frozen yet, so it can't be planned`);
    const zones = await countZones(db, run);
    const sums = sumUp(counts);
    const byId = account.tokens[0]?.client.flows.contactIdentity === 'id';
    const calls = callsOf(row, zones, byId);
    const { triggers, rechecks, lookups, after } = calls;
    const callsPerMember = triggers === 0 ? 1 : (triggers + rechecks + lookups + after) / triggers;
    const pacePerMinute = Math.min(
      config.waves.callsPerMinute ?? Number.POSITIVE_INFINITY,
      callsPerMinute / callsPerMember,
    );
    const startMs = Math.max(nowMs, config.start === undefined ? 0 : Date.parse(config.start));
    const endMs = config.end === undefined ? null : Date.parse(config.end);
    const groups: ZoneGroup[] = zones.map((each) => ({
      ...each,
      zones: zonesOfText(each.zones, spec.timeZone),
    }));
    const horizonMs = startMs + HORIZON_MS;
    // No member starts at the end time itself.
    const by = endMs === null ? horizonMs : endMs - 1;
    const field = {
      groups,
      calendar: compileCalendar(config.windows),
      waves: config.waves,
      startMs,
      horizonMs,
    };
    const found = forecast({
      ...field,
      pacePerMinute: pacePerMinute / SPACING,
      byMs: by,
    });
    const waves = { ...config.waves, size: Math.max(1, sums.eligible), canary: undefined };
    const oneWave = forecast({ ...field, waves, pacePerMinute: pacePerMinute / SPACING });
    const late = found.finishMs === null ? found.never.length === 0 : found.finishMs > by;
    const needed = late && by > startMs ? paceNeeded(field, by) : null;
    const facts: PlanFacts = {
      account: name,
      config,
      timeZone: spec.timeZone,
      nowMs,
      horizonMs,
      callsPerMinute,
      optOut: spec.optOut,
      connections: await readCatalog(db, name, 'connections'),
      ...sums,
      forecast: found,
      pacePerMinute,
      callsPerMember,
      startMs,
      oneWaveMs: oneWave.finishMs,
      paceNeeded: needed === null ? null : Math.ceil(needed * SPACING),
      pollers: await pollerStates(deps, spec, nowMs),
      beside: await underWayBeside(db, name, run),
      tokenRefused: await tokenRefused(deps, account),
      missing: await missingNames(deps, spec),
    };
    const parts = config.audience.map(({ from }, part) => ({
      from,
      found: progressOf(row.parts, part)?.found ?? 0,
    }));
    const rows = parts.reduce((sum, { found }) => sum + found, 0);
    return {
      account: name,
      campaign: row.campaign,
      run,
      plannedBy: row.planned_by,
      plannedAt: (row.planned_at ?? new Date(nowMs)).toISOString(),
      found: rows,
      audience: sums.audience,
      merged: Math.max(0, rows - sums.audience),
      parts,
      excluded: excludedBy(counts),
      holdout: sums.holdout,
      eligible: sums.eligible,
      zones: groups.map(({ zones, members }) => ({ zones, members })),
      calls,
      pacePerMinute: Math.round(pacePerMinute * 100) / 100,
      callsPerMinute,
      ...listed(found, spec.timeZone, pacePerMinute / SPACING),
      problems: problemsOf(facts),
      // Warnings about reading come first: people may be missing from the audience, or from the exclusions.
      warnings: [...(await readingNotes(db, run)), ...warningsOf(facts)],
      approval: config.approval,
    };
  }
}

async function readingNotes(db: Queryable, run: string): Promise<PlanNote[]> {
  return (await listWarnings(db, run)).map(({ code, reason }) => ({ code, reason }));
}

type Listed = Pick<CampaignPlan, 'waves' | 'moreWaves' | 'timeZone' | 'days' | 'moreDays' | 'finishAt'>;

function listed({ waves, stretches, finishMs }: Forecast, timeZone: string, pacePerMinute: number): Listed {
  const iso = (ms: number) => new Date(ms).toISOString();
  const days = daysOf(stretches, 60_000 / pacePerMinute, timeZone);
  return {
    timeZone,
    days: days.slice(0, LISTED).map(({ day, members, firstMs, lastMs }) => ({
      day,
      members,
      startsAt: iso(firstMs),
      endsAt: iso(lastMs),
    })),
    moreDays: Math.max(0, days.length - LISTED),
    waves: waves.slice(0, LISTED).map(({ wave, kind, size, startsMs, endsMs, heldUp }) => ({
      wave,
      kind,
      size,
      startsAt: iso(startsMs),
      endsAt: iso(endsMs),
      heldUp,
    })),
    moreWaves: Math.max(0, waves.length - LISTED),
    finishAt: finishMs === null ? null : iso(finishMs),
  };
}

function sumUp(counts: readonly StateCount[]) {
  const of = (...states: readonly string[]) =>
    counts.reduce((sum, { state, members }) => sum + (states.includes(state) ? members : 0), 0);
  const [excluded, holdout, eligible] = [of('excluded'), of('holdout'), of('waiting')];
  return { excluded, holdout, eligible, audience: excluded + holdout + eligible };
}

function excludedBy(counts: readonly StateCount[]): Record<string, number> {
  const left = counts.filter(({ state }) => state === 'excluded');
  return Object.fromEntries(left.map(({ code, members }) => [code ?? 'OTHER', members]));
}

/**
 * Maximum number of calls that the members take. A member found by its card has that card moved directly; for the
 * others Sluice searches for the card by contact and pipeline first. Tags are read before they are written
 * (activities/events/effects).
 */
function callsOf(
  { calls, spec: { config } }: CampaignRow,
  zones: readonly ZoneCount[],
  byId: boolean,
): CampaignPlan['calls'] {
  const sum = (of: (zone: ZoneCount) => number) => zones.reduce((total, zone) => total + of(zone), 0);
  const triggers = sum(({ members }) => members);
  const { stage, tags } = config.after;
  const moves = stage === undefined ? 0 : triggers + 2 * sum(({ cardless }) => cardless);
  return {
    planning: calls,
    triggers,
    rechecks: config.recheck === 'api' ? triggers : 0,
    lookups: byId ? sum(({ unnamed }) => unnamed) : 0,
    after: moves + (tags === undefined ? 0 : 2 * triggers),
  };
}
