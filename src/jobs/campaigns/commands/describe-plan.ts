// A campaign's plan as text: its audience, its cost, and its days.

import { formatMany, formatTime } from '../../../cli/lib/terminal/format.ts';
import { formatCount as n } from '../../../cli/lib/terminal/progress.ts';
import type { SampledMember } from '../contract/campaign-members.ts';
import type { CampaignPlan, PlannedDay, PlannedWave } from '../contract/plan.ts';

/** Cells of the bar of the busiest day. */
const BAR = 30;
/** Number of days shown; the rest is counted. */
const DAYS_SHOWN = 31;
/** Number of zones shown, largest first, and of zones shown for one number. */
const ZONES_SHOWN = 8;
const ZONES_TOGETHER = 3;

export function describeCampaignPlan(plan: CampaignPlan): string[] {
  const at = (text: string) => formatTime(new Date(text), plan.timeZone);
  return [
    `plan ${plan.run} of the campaign "${plan.campaign}", made by ${plan.plannedBy} at ${at(plan.plannedAt)}`,
    ...describeAudience(plan),
    ...describeCost(plan),
    ...describeDays(plan),
    ...plan.problems.map(({ code, reason }) => `  problem: ${reason} [${code}]`),
    ...plan.warnings.map(({ code, reason }) => `  warning: ${reason} [${code}]`),
  ];
}

function describeAudience(plan: CampaignPlan): string[] {
  const { found, audience, merged, eligible, excluded, holdout, parts } = plan;
  const left = Object.values(excluded).reduce((sum, count) => sum + count, 0);
  const again = merged === 0 ? '' : ` (${formatMany(merged, 'row is', 'rows are')} of people found before)`;
  const from = parts.map(({ from, found }) => `${from} ${n(found)}`).join(', ');
  return [
    `  ${formatMany(found, 'row')} found: ${from}; ${people(audience)}${again}`,
    `  ${n(eligible)} to be reached, ${n(left)} excluded, ${n(holdout)} in the control group`,
    ...(left === 0 ? [] : [`  excluded: ${byCount(excluded)}`]),
    ...describeZones(plan),
  ];
}

function describeZones({ zones, timeZone }: CampaignPlan): string[] {
  const [only] = zones;
  if (only === undefined || (zones.length === 1 && only.zones.join() === timeZone)) return [];
  const shown = zones.slice(0, ZONES_SHOWN).map(({ zones, members }) => `${together(zones)} ${n(members)}`);
  const rest = zones.length - shown.length;
  const more = rest === 0 ? '' : `, and ${n(rest)} more`;
  return [`  windows go by: ${shown.join(', ')}${more}`];
}

/** A number of the United States may be in any of 29 zones. */
function together(zones: readonly string[]): string {
  const more = zones.length - ZONES_TOGETHER;
  return more <= 1 ? zones.join(' + ') : `${zones.slice(0, ZONES_TOGETHER).join(' + ')} + ${more} more zones`;
}

function describeCost(plan: CampaignPlan): string[] {
  const { calls, pacePerMinute, callsPerMinute, finishAt, eligible } = plan;
  const { planning, triggers, rechecks, lookups, after } = calls;
  const kinds = [
    formatMany(triggers, 'trigger'),
    ...(rechecks === 0 ? [] : [formatMany(rechecks, 'recheck')]),
    ...(lookups === 0 ? [] : [formatMany(lookups, 'lookup of contacts', 'lookups of contacts')]),
    ...(after === 0 ? [] : [`up to ${n(after)} for cards and tags after them`]),
  ];
  const sum = triggers + rechecks + lookups + after;
  const finish =
    finishAt === null
      ? 'the end time is unknown'
      : `done ${formatTime(new Date(finishAt), plan.timeZone)}, if it starts now and nothing else uses the budget`;
  return [
    `  ${formatMany(sum, 'call')}: ${kinds.join(', ')}; the plan took ${n(planning)}`,
    ...(eligible === 0
      ? []
      : [
          `  ${formatMany(pacePerMinute, 'trigger')} a minute, of ${n(callsPerMinute)} calls a minute that the tokens allow: ${finish}`,
        ]),
  ];
}

function describeDays({ days, moreDays, waves, moreWaves, timeZone }: CampaignPlan): string[] {
  if (days.length === 0) return [];
  const most = Math.max(...days.map(({ members }) => members));
  const widest = Math.max(...days.map(({ members }) => n(members).length));
  const shown = days.slice(0, DAYS_SHOWN);
  const more = days.length - shown.length + moreDays;
  const count = waves.length + moreWaves;
  return [
    `  ${formatMany(count, 'wave')} (times in ${timeZone}):`,
    ...shown.map((day) => {
      const cells = Math.max(1, Math.round((day.members / most) * BAR));
      const bar = '#'.repeat(cells).padEnd(BAR);
      const times = `${clock(day.startsAt, timeZone)}-${clock(day.endsAt, timeZone)}`;
      const text = `${weekday(day)} ${day.day}  ${bar}  ${n(day.members).padStart(widest)}  ${times}`;
      return `    ${text}${wavesOf(day, waves, moreWaves)}`;
    }),
    ...(more === 0 ? [] : [`    and ${formatMany(more, 'more day')}`]),
  ];
}

/** Waves that are active on this day. Waves beyond the list are unknown. */
function wavesOf({ startsAt, endsAt }: PlannedDay, waves: readonly PlannedWave[], moreWaves: number): string {
  const on = waves.filter((wave) => wave.startsAt <= endsAt && wave.endsAt >= startsAt);
  const [first, last] = [on[0], on.at(-1)];
  if (first === undefined || last === undefined) return '';
  const name = ({ wave, kind }: PlannedWave) => (kind === 'canary' ? `${wave} (canary)` : String(wave));
  const open = moreWaves > 0 && last === waves.at(-1);
  if (first === last && !open) return `  wave ${name(first)}`;
  return `  waves ${name(first)}-${open ? '' : name(last)}`;
}

function weekday({ day }: PlannedDay): string {
  const noon = new Date(`${day}T12:00:00Z`);
  return new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' }).format(noon);
}

function clock(at: string, timeZone: string): string {
  // 2026-11-20 10:00:05 -03:00 → 10:00
  return formatTime(new Date(at), timeZone).slice(11, 16);
}

function byCount(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return entries.map(([code, count]) => `${code} ${n(count)}`).join(', ');
}

const people = (count: number) => formatMany(count, 'person', 'people');

export function describeSample(sample: readonly SampledMember[]): string[] {
  if (sample.length === 0) return [];
  return [
    '  variables of the first members (personal data):',
    ...sample.map(({ number, variables }) => {
      const values = Object.entries(variables).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      return `    ${number ?? 'no number'}: ${values.length === 0 ? 'none' : values.join(' ')}`;
    }),
  ];
}

/** Who has to approve a plan. Nobody made the plan of a schedule. */
export const approverOf = (plannedBy: string): string =>
  plannedBy === SCHEDULE ? 'a person' : `somebody else than ${plannedBy}`;

const SCHEDULE = 'schedule';
