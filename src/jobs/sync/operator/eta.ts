// When a run of a sync will end. The page of the sync, the overview and the command line show this estimate.

import { LATEST_MINUTES, PACE_MINUTES, type RunningRow } from '../../../operator/store/overview/work.ts';
import type { Eta } from '../contract/runs.ts';

/** A shorter time says nothing about the pace. After the longer one there is a whole minute to count. */
const [LEAST_SECONDS, YOUNG_SECONDS] = [10, 120];

/** Calls per minute: of the last ten minutes, or since the start while there are no whole minutes yet. 0: nothing moves. */
export function callsPerMinuteOf({ calls, recentCalls, ageSeconds }: RunningRow): number {
  if (recentCalls > 0) return recentCalls / minutesOf(PACE_MINUTES, ageSeconds);
  return ageSeconds < LEAST_SECONDS || ageSeconds > YOUNG_SECONDS ? 0 : (calls * 60) / ageSeconds;
}

/**
 * As many calls for each record that is left as for each one that is done. The range is that of the pace of the last
 * ten and of the last three minutes.
 * @returns null while it is not known
 */
export function syncEta(row: RunningRow): Eta | null {
  const { total, pending, calls, planningCalls, same, ageSeconds, latestCalls } = row;
  if (total === null) return null;
  if (pending === 0) return { seconds: 0, minSeconds: 0, maxSeconds: 0 };
  const worked = total - pending - same;
  const pace = callsPerMinuteOf(row);
  if (worked <= 0 || pace <= 0) return null;
  const left = (pending * Math.max(0, calls - planningCalls)) / worked;
  const latest = latestCalls === 0 ? pace : latestCalls / minutesOf(LATEST_MINUTES, ageSeconds);
  const seconds = (perMinute: number) => Math.round((left * 60) / perMinute);
  return {
    seconds: seconds(pace),
    minSeconds: seconds(Math.max(pace, latest)),
    maxSeconds: seconds(Math.min(pace, latest)),
  };
}

/** A run younger than the window has made its calls in its own time. */
function minutesOf(window: number, ageSeconds: number): number {
  return Math.min(window, Math.max(1, ageSeconds / 60));
}
