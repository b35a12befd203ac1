// The chart "calls per minute against the limit".
import { type LaneName, laneName } from '../../../core/lanes.ts';
import type { CallMinute } from '../../contract/overview.ts';
import type { MinuteRow } from '../../store/overview/tokens.ts';
import type { ConfiguredToken } from './tokens.ts';

/** Minutes of a step, and the longest period that it is used for: a chart has at most about 300 steps. */
const STEPS = [
  [1, 300],
  [5, 1440],
  [60, 14 * 1440],
  [1440, Infinity],
] as const;

export function stepOf(minutes: number): number {
  return (STEPS.find(([, most]) => minutes <= most) ?? STEPS[3])[0];
}

/**
 * All steps from the first to the last, those without calls too.
 * @param from start of the first step in epoch seconds; `to`: start of the last
 */
export function minutesOf(
  rows: readonly MinuteRow[],
  { from, to, stepMinutes }: { from: number; to: number; stepMinutes: number },
  tokens: readonly Pick<ConfiguredToken, 'token' | 'limit'>[],
): CallMinute[] {
  const stepS = stepMinutes * 60;
  const byStep = new Map<number, MinuteRow[]>();
  for (const row of rows) byStep.set(row.at, [...(byStep.get(row.at) ?? []), row]);
  const limits = new Map(tokens.map(({ token, limit }) => [token, limit]));
  const minutes: CallMinute[] = [];
  for (let at = from; at <= to; at += stepS) {
    const calls: Partial<Record<LaneName, number>> = {};
    const succeeded: Partial<Record<LaneName, number>> = {};
    const start = new Date(at * 1000).toISOString();
    const minute: CallMinute = { at: start, calls, succeeded, limited: 0, failed: 0, limit: 0 };
    for (const row of byStep.get(at) ?? []) {
      const lane = laneName(row.lane);
      calls[lane] = (calls[lane] ?? 0) + row.calls;
      succeeded[lane] = (succeeded[lane] ?? 0) + row.calls - row.limited - row.failed;
      minute.limited += row.limited;
      minute.failed += row.failed;
      // A token without calls in a step still has the limit that it had before.
      if (row.limit !== null) limits.set(row.token, row.limit);
    }
    for (const limit of limits.values()) minute.limit += limit * stepMinutes;
    minutes.push(minute);
  }
  return minutes;
}
