// The lanes of the budget. Workflows and the console import this file, so it imports nothing.

/** Lanes, most urgent first. A smaller number has priority; it is also Temporal's priority key. */
export const LANES = { reply: 1, lead: 2, poll: 3, campaign: 4, backfill: 5 } as const;
export type LaneName = keyof typeof LANES;
export const LANE_NAMES = Object.keys(LANES) as LaneName[];

/** Name of a lane's number. */
export function laneName(lane: number): LaneName {
  return LANE_NAMES[lane - 1] ?? 'backfill';
}

/** Slots are this factor wider than a minute divided by the limit, so that no minute has a call too many. */
export const SPACING = 1.005;
