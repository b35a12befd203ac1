// What is known about the call of a row whose outcome is unknown, in words.
import { formatMany } from '../../../cli/lib/terminal/format.ts';
import type { SyncRow } from '../contract/runs.ts';

type Hints = NonNullable<SyncRow['hints']>;

/** One line: what was sent, how often and when, and what Sluice knows since. */
export function describeHints(hints: Hints): string {
  const { sends, sentAt, contact, contactSeenAt } = hints;
  const times = sends === 0 ? 'not sent since the last retry' : `sent ${formatMany(sends, 'time')}`;
  const last = sentAt === null ? '' : `, last at ${sentAt}`;
  const seen = contactSeenAt === null ? '' : `, seen at ${contactSeenAt}`;
  const person = contact === null ? 'no contact is known' : `contact ${contact}${seen}`;
  return `${sentOf(hints)}: ${times}${last}; ${person}; ${cardOf(hints)}`;
}

function sentOf({ effect, target }: Hints): string {
  if (effect === 'contact') return 'contact written';
  return `${effect === 'card' ? 'card created in' : 'card moved to'} ${target ?? 'a place that is not known'}`;
}

function cardOf({ card }: Hints): string {
  if (card === null) return 'no card is known';
  const { id, since, inTarget } = card;
  const stage = inTarget === null ? '' : inTarget ? ' in that stage' : ' in another stage';
  return `card ${id}${stage}, stored ${since ? 'after' : 'before'} the call`;
}
