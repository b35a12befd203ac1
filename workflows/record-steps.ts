// The order of a record's steps, as bits. Values are those of STEP_BITS in src/contracts/run.ts, which
// workflow code may import as a type only; the type makes a difference a compile error.
import type { STEP_BITS, Step } from '../src/contracts/run.ts';

const BITS: { readonly [S in Step]: (typeof STEP_BITS)[S] } = {
  lookup: 1,
  readExtraInfo: 2,
  upsertContact: 4,
  setTags: 8,
  findCard: 16,
  createCard: 32,
  readBackCard: 64,
  moveStage: 128,
  readBackStage: 256,
};
const ORDER = Object.keys(BITS) as Step[];

/** Without access to cards none of these can be done. */
export const CARD_STEPS = ['findCard', 'createCard', 'readBackCard', 'moveStage', 'readBackStage'] as const;

export function stepBits(steps: readonly Step[]): number {
  return steps.reduce((bits, step) => bits | BITS[step], 0);
}

/** The first step in `todo` that is not stopped; null when none is left. */
export function nextStep(todo: number, stopped: number): Step | null {
  return ORDER.find((step) => (todo & ~stopped & BITS[step]) !== 0) ?? null;
}
