// What is known about a row whose outcome is unknown, as columns of a CSV file. The console has it too, so it imports
// types only.
import type { SyncRow } from './runs.ts';

type Hints = NonNullable<SyncRow['hints']>;
type Cell = string | number | boolean | null;

const CELLS = {
  /** What was sent: `card`, `stage` or `contact`, and the pipeline or stage that it names. */
  sentEffect: ({ effect }) => effect,
  sentTarget: ({ target }) => target,
  sentAt: ({ sentAt }) => sentAt,
  sends: ({ sends }) => sends,
  contact: ({ contact }) => contact,
  contactSeenAt: ({ contactSeenAt }) => contactSeenAt,
  card: ({ card }) => card?.id ?? null,
  /** Whether Sluice stored the card after the call, and of a move, whether the card is in that stage. */
  cardSince: ({ card }) => card?.since ?? null,
  cardInTarget: ({ card }) => card?.inTarget ?? null,
} as const satisfies Readonly<Record<string, (hints: Hints) => Cell>>;

export type HintCells = { readonly [name in keyof typeof CELLS]: Cell };
export const HINT_COLUMNS = Object.keys(CELLS) as readonly (keyof HintCells)[];

/** Empty for rows with another outcome. */
export function hintCells({ hints }: Pick<SyncRow, 'hints'>): HintCells {
  const cells = Object.entries(CELLS).map(([name, read]) => [name, hints === null ? null : read(hints)]);
  return Object.fromEntries(cells) as HintCells;
}
