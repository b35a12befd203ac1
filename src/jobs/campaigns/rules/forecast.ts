// Forecast of a campaign: when each member would be triggered if nothing interferes. It simulates the waves on a
// calendar, in stretches of time in which the same windows are open. The cost depends on waves and windows, not on
// the number of members.

import { durationMs } from '../../../core/config/base.ts';
import type { WavesConfig } from '../config.ts';
import type { PlannedWave } from '../contract/plan.ts';
import type { Calendar } from './calendar.ts';
import { waveOf } from './waves.ts';

/** Members whose windows must be open in all of these zones. */
export interface ZoneGroup {
  readonly zones: readonly string[];
  readonly members: number;
}

export interface ForecastInput {
  readonly waves: WavesConfig;
  readonly groups: readonly ZoneGroup[];
  readonly calendar: Pick<Calendar, 'at'>;
  /** Triggers per minute, greater than 0. */
  readonly pacePerMinute: number;
  /** Time of the first trigger, at the earliest. */
  readonly startMs: number;
  /** End of the forecast. */
  readonly horizonMs: number;
  /** The forecast counts members triggered by this time. @default the horizon */
  readonly byMs?: number;
}

export interface ForecastWave extends Pick<PlannedWave, 'wave' | 'kind' | 'size'> {
  /** First and last trigger. */
  readonly startsMs: number;
  readonly endsMs: number;
  /** The few members that the wave waits for; null: none, or too little delay. */
  readonly heldUp: HeldUp | null;
}

/** A few members whose windows open late, so that the wave and what follows it wait for them. */
export interface HeldUp {
  readonly members: number;
  /** Their zones, the most members first. With several zones of one member: joined by "and". */
  readonly zones: readonly string[];
  /** Delay of the first trigger of the next wave; after the last wave, of the end. */
  readonly delayMs: number;
}

/** A series of triggers, one slot after another. */
export interface Stretch {
  readonly startsMs: number;
  readonly members: number;
}

export interface Forecast {
  /** Waves that end within the horizon. */
  readonly waves: readonly ForecastWave[];
  readonly stretches: readonly Stretch[];
  /** Time of the last trigger; null if it is after the horizon, or never. */
  readonly finishMs: number | null;
  /** Members triggered at or before `byMs`. */
  readonly byThen: number;
  /** Zones whose windows never open again. */
  readonly never: readonly (readonly string[])[];
}

/**
 * Tolerance for slots whose computed time is slightly too late, because their distance is not a whole number of
 * milliseconds.
 */
const EPSILON = 1e-9;
/** A wave is held up by at most this share of its members, for at least this time. */
const FEW = 0.05;
const LONG_MS = 3_600_000;

/**
 * Simulates a campaign. Members are distributed evenly over the waves, by zones. Zones that are open at the same time
 * share the pace in proportion to their remaining members. A wave begins with its first trigger, at least `every`
 * after the beginning of the previous wave and at least `settle` after its last trigger.
 */
export function forecast(input: ForecastInput): Forecast {
  const { waves, groups, startMs, horizonMs, pacePerMinute } = input;
  if (!(pacePerMinute > 0))
    throw new RangeError(`pacePerMinute must be greater than 0, got ${pacePerMinute}`);
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
    const nextFrom = (lastMs: number) =>
      Math.max(run.startsMs + everyMs, lastMs + settleMs, lastMs + 60_000 / pacePerMinute);
    const next = share(left, waveOf(waves, wave + 1).size);
    const heldUp = heldUpBy(input, run, (lastMs) =>
      sum(next) === 0 ? lastMs : playWave(input, next, nextFrom(lastMs), []).startsMs,
    );
    played.push({ wave, kind, size: sum(members), startsMs, endsMs, heldUp });
    from = nextFrom(run.endsMs);
    if (from > horizonMs && sum(left) > 0)
      return { waves: played, stretches, finishMs: null, byThen, never: [] };
  }
  return { waves: played, stretches, finishMs: played.at(-1)?.endsMs ?? null, byThen, never: [] };
}

/** Upper bound of the search, far above the 120 calls per minute that a token allows (API text, Limits). */
const FASTEST_PER_MINUTE = 1_000_000;

/** Lowest whole number of triggers per minute that ends by `byMs`; null if no pace does. */
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

/** @param nextMs when the next wave begins, or all has ended, if the wave ends at this time */
function heldUpBy(
  { groups }: ForecastInput,
  { rounds, endsMs }: PlayedWave,
  nextMs: (lastMs: number) => number,
): HeldUp | null {
  const size = rounds.reduce((total, { taken }) => total + sum(taken), 0);
  let late = groups.map(() => 0);
  let first = rounds.length;
  for (let n = rounds.length - 1; n > 0; n--) {
    const { taken } = rounds[n] as Round;
    const upToHere = late.map((count, i) => count + (taken[i] as number));
    if (sum(upToHere) > FEW * size) break;
    late = upToHere;
    first = n;
  }
  const before = rounds[first - 1];
  if (first === rounds.length || before === undefined || endsMs - before.endsMs < LONG_MS) return null;
  const delayMs = Math.round(nextMs(endsMs) - nextMs(before.endsMs));
  // Not a number: the next wave never begins.
  if (!(delayMs >= LONG_MS)) return null;
  const zones = groups
    .map(({ zones: all }, i) => ({ zone: all.join(' and '), count: late[i] as number }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  return { members: sum(late), zones: zones.map(({ zone }) => zone), delayMs };
}

/** Triggers between two changes of windows, by group. */
interface Round {
  readonly taken: readonly number[];
  readonly endsMs: number;
}

interface PlayedWave {
  readonly startsMs: number;
  readonly endsMs: number;
  readonly rounds: readonly Round[];
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
  const rounds: Round[] = [];
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
      const slots = Math.max(0, Math.ceil((change - now) / gapMs - EPSILON));
      const taken = share(open, slots);
      const count = sum(taken);
      if (count > 0) {
        if (Number.isNaN(startsMs)) startsMs = now;
        endsMs = now + (count - 1) * gapMs;
        stretches.push({ startsMs: now, members: count });
        rounds.push({ taken, endsMs });
        byThen += Math.min(count, Math.max(0, Math.floor((byMs - now) / gapMs + EPSILON) + 1));
      }
      left = left.map((each, i) => each - (taken[i] as number));
      // If members are left, all open windows are used up or one of them closes first, so wait for the next change.
      now = count < waiting ? Math.max(now + count * gapMs, change) : now + count * gapMs;
    } else now = change;
    // Zones that never open are reported only when no other members are left.
    if (sum(left) > 0 && (now > horizonMs || (waiting === 0 && change === Number.POSITIVE_INFINITY)))
      return { startsMs, endsMs, rounds, byThen, done: false, never };
  }
  return { startsMs, endsMs, rounds, byThen, done: true, never: [] };
}

/**
 * Distributes `size` members, or all if there are fewer, in proportion to the counts. The largest fractions are
 * rounded up.
 */
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
