// When a campaign would trigger whom, if nothing comes between: its waves played through on a calendar, in stretches of
// time in which the same windows are open, so that the cost goes with waves and windows and not with members.

import { durationMs } from '../contracts/config/config-base.ts';
import type { WavesConfig } from '../contracts/config/config-campaigns.ts';
import type { PlannedWave } from '../contracts/wire/campaign.ts';
import type { Calendar } from './calendar.ts';
import { waveOf } from './waves.ts';

/** Members whose windows are open when they are in all of these zones. */
export interface ZoneGroup {
  readonly zones: readonly string[];
  readonly members: number;
}

export interface ForecastInput {
  readonly waves: WavesConfig;
  readonly groups: readonly ZoneGroup[];
  readonly calendar: Pick<Calendar, 'at'>;
  /** Triggers a minute, above 0. */
  readonly pacePerMinute: number;
  /** Nothing is triggered earlier. */
  readonly startMs: number;
  /** Nobody looks farther ahead than this. */
  readonly horizonMs: number;
  /** Members triggered by then are counted. @default the horizon */
  readonly byMs?: number;
}

export interface ForecastWave extends Pick<PlannedWave, 'wave' | 'kind' | 'size'> {
  /** First and last trigger. */
  readonly startsMs: number;
  readonly endsMs: number;
}

/** Triggers one slot after the other. */
export interface Stretch {
  readonly startsMs: number;
  readonly members: number;
}

export interface Forecast {
  /** Those that are over within the horizon. */
  readonly waves: readonly ForecastWave[];
  readonly stretches: readonly Stretch[];
  /** Last trigger; null: not within the horizon, or never. */
  readonly finishMs: number | null;
  /** Members triggered at or before `byMs`. */
  readonly byThen: number;
  /** Zones whose windows never open again. */
  readonly never: readonly (readonly string[])[];
}

/** Slots whose distance is not a whole number of milliseconds may come out a hair too late. */
const HAIR = 1e-9;

/**
 * Members are spread evenly over the waves, by zones; zones that are open at the same time share the pace by the members
 * they have left. A wave begins with its first trigger: not before `every` after the beginning of the last one, nor
 * before `settle` after its last trigger.
 */
export function forecast(input: ForecastInput): Forecast {
  const { waves, groups, startMs, horizonMs, pacePerMinute } = input;
  if (!(pacePerMinute > 0)) throw new RangeError(`a pace is above 0 a minute, got ${pacePerMinute}`);
  const everyMs = durationMs(waves.every);
  const settleMs = durationMs(waves.settle);
  const played: ForecastWave[] = [];
  const stretches: Stretch[] = [];
  let left = groups.map(({ members }) => members);
  let byThen = 0;
  let from = startMs;
  for (let wave = 1; sum(left) > 0; wave++) {
    const { kind, size } = waveOf(waves, wave);
    const members = share(left, size);
    left = left.map((count, i) => count - (members[i] as number));
    const run = playWave(input, members, from, stretches);
    byThen += run.byThen;
    if (!run.done) return { waves: played, stretches, finishMs: null, byThen, never: run.never };
    const [startsMs, endsMs] = [Math.round(run.startsMs), Math.round(run.endsMs)];
    played.push({ wave, kind, size: sum(members), startsMs, endsMs });
    from = Math.max(run.startsMs + everyMs, run.endsMs + settleMs, run.endsMs + 60_000 / pacePerMinute);
    if (from > horizonMs && sum(left) > 0)
      return { waves: played, stretches, finishMs: null, byThen, never: [] };
  }
  return { waves: played, stretches, finishMs: played.at(-1)?.endsMs ?? null, byThen, never: [] };
}

/** As fast as any campaign can be: a service allows a token 120 calls a minute (API text, Limits). */
const FASTEST_PER_MINUTE = 1_000_000;

/** The fewest triggers a minute, in whole numbers, that end by `byMs`; null: no pace does. */
export function paceNeeded(input: Omit<ForecastInput, 'pacePerMinute'>, byMs: number): number | null {
  const ends = (pacePerMinute: number) => {
    const { finishMs } = forecast({ ...input, horizonMs: Math.min(input.horizonMs, byMs), pacePerMinute });
    return finishMs !== null && finishMs <= byMs;
  };
  let [low, high] = [0, FASTEST_PER_MINUTE];
  if (!ends(high)) return null;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (ends(middle)) high = middle;
    else low = middle;
  }
  return high;
}

interface PlayedWave {
  readonly startsMs: number;
  readonly endsMs: number;
  readonly byThen: number;
  readonly done: boolean;
  readonly never: readonly (readonly string[])[];
}

function playWave(
  { groups, calendar, pacePerMinute, horizonMs, byMs = horizonMs }: ForecastInput,
  members: readonly number[],
  from: number,
  stretches: Stretch[],
): PlayedWave {
  const gapMs = 60_000 / pacePerMinute;
  let left = [...members];
  let [startsMs, endsMs, byThen] = [Number.NaN, Number.NaN, 0];
  for (let now = from; sum(left) > 0; ) {
    const open = left.map(() => 0);
    const never: (readonly string[])[] = [];
    let change = Number.POSITIVE_INFINITY;
    for (const [i, { zones }] of groups.entries()) {
      if (left[i] === 0) continue;
      const at = calendar.at(zones, Math.floor(now));
      if (at.open) open[i] = left[i] as number;
      else if (at.opensMs === null) never.push(zones);
      change = Math.min(change, at.open ? at.closesMs : (at.opensMs ?? change));
    }
    const waiting = sum(open);
    if (waiting > 0) {
      const slots = Math.max(0, Math.ceil((change - now) / gapMs - HAIR));
      const taken = share(open, slots);
      const count = sum(taken);
      if (count > 0) {
        if (Number.isNaN(startsMs)) startsMs = now;
        endsMs = now + (count - 1) * gapMs;
        stretches.push({ startsMs: now, members: count });
        byThen += Math.min(count, Math.max(0, Math.floor((byMs - now) / gapMs + HAIR) + 1));
      }
      left = left.map((each, i) => each - (taken[i] as number));
      // Either the open windows are empty, or one of them changes: the next slot is not before that.
      now = count < waiting ? Math.max(now + count * gapMs, change) : now + count * gapMs;
    } else now = change;
    // Some may go on while others never can: those are told when nobody else is left.
    if (sum(left) > 0 && (now > horizonMs || (waiting === 0 && change === Number.POSITIVE_INFINITY)))
      return { startsMs, endsMs, byThen, done: false, never };
  }
  return { startsMs, endsMs, byThen, done: true, never: [] };
}

/** `size` of these counts, or all, in proportion: the largest fractions are rounded up. */
function share(counts: readonly number[], size: number): number[] {
  const all = sum(counts);
  if (size >= all) return [...counts];
  const exact = counts.map((count) => (count * size) / all);
  const parts = exact.map(Math.floor);
  const order = exact.map((each, i) => ({ i, rest: each - Math.floor(each) }));
  order.sort((a, b) => b.rest - a.rest || a.i - b.i);
  for (const { i } of order.slice(0, size - sum(parts))) parts[i] = (parts[i] as number) + 1;
  return parts;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
