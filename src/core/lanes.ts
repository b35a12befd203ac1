/** Lanes of the budget. A smaller number has priority. */
export const LANES = { reply: 1, lead: 2, poll: 3, campaign: 4, backfill: 5 } as const;
