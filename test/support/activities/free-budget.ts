// Budgets that hardly make a caller wait, for tests of what the calls do.
import type { Budget } from '../../../src/service/budget/slots.ts';

export const freeBudget = (callsPerMinute: number): Budget => ({
  reserve: async ([token]) => ({
    token: token as string,
    number: 1,
    marked: false,
    takenAt: 0,
    dueAt: 0,
    toleranceMs: Number.POSITIVE_INFINITY,
  }),
  observe: async () => undefined,
  block: async () => undefined,
  refused: async () => false,
  accepted: async () => undefined,
  pace: async () => callsPerMinute,
  snapshot: async () => [],
});

/** The same budget, whose blocks after a 429 are over at once. */
export const withShortBlocks = (budget: Budget): Budget => ({
  ...budget,
  block: (token) => budget.block(token, 5),
});
