// Names and numbers of syncs. Workflows and the console import this file, so it imports nothing.

/** `merged`: another row already represents the row's person. */
export const OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'merged',
  'rejected',
  'failed',
  'unknown',
] as const;
export type Outcome = (typeof OUTCOMES)[number];
/** Possible outcomes of a row that has its own record. */
export type RecordOutcome = Exclude<Outcome, 'merged' | 'rejected'>;

/**
 * Steps of one record, in the order in which they run; each is one API call. A record stores the steps that remain as
 * bits, and every step returns the bits that remain after it.
 */
export const STEP_BITS = {
  /** Checks whether the service already has the person, under either form of a Brazilian number. */
  lookup: 1,
  /** Reads extra info that others wrote, so that writing the whole list keeps it. */
  readExtraInfo: 2,
  upsertContact: 4,
  setTags: 8,
  /** Checks whether the contact already has a card in the pipeline. */
  findCard: 16,
  createCard: 32,
  /** Checks whether the card exists, after the response to its creation was lost. */
  readBackCard: 64,
  moveStage: 128,
  /** Checks the card's stage, after the response to a move was lost. */
  readBackStage: 256,
} as const;
export type Step = keyof typeof STEP_BITS;

export const RUN_PHASES = ['opening', 'planning', 'preparing', 'syncing', 'closing', 'ended'] as const;
export type RunPhase = (typeof RUN_PHASES)[number];

/** Code of warnings about a tag that rows ask for and the account lacks. They quote values of the source. */
export const UNKNOWN_TAG = 'UNKNOWN_TAG';
