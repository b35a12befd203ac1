// Migration 3: slots by lane, corrected by what other programs spend.

export const BUDGET_TABLES: readonly string[] = [];
