// Chooses the dead letters of a command: by id, or by filters.

import { OperatorError } from '../../../operator/error.ts';
import type { DeadLetterChoice } from '../contract/refusals.ts';
import type { DeadLetter, FoundDeadLetter } from '../ingress/kafka/index.ts';
import { type Box, readBox } from './box.ts';
import { matches } from './matches.ts';

/**
 * Open dead letters, oldest first.
 * @param limit of those that the filters choose
 * @throws OperatorError when an id names none (notFound), or one that was dealt with already (conflict)
 */
export async function chooseDeadLetters(
  box: Box,
  choice: DeadLetterChoice,
  { withValues }: { readonly withValues: boolean },
): Promise<FoundDeadLetter[]> {
  const { ids, limit } = choice;
  const keepValue = (deadLetter: DeadLetter) => {
    const wanted = ids !== undefined ? ids.includes(deadLetter.id) : matches(deadLetter, choice);
    return withValues && wanted ? 'open' : false;
  };
  const found = await readBox(box, { keepValue });
  const byAge = found.toSorted((a, b) => (a.failedAt < b.failedAt ? -1 : 1));
  if (ids === undefined) {
    const open = byAge.filter((deadLetter) => deadLetter.resolution === null && matches(deadLetter, choice));
    return open.slice(0, limit);
  }
  for (const id of ids) {
    const deadLetter = found.find((each) => each.id === id);
    if (deadLetter === undefined) throw noDeadLetter(box, id);
    const { resolution } = deadLetter;
    if (resolution !== null)
      throw new OperatorError(
        'conflict',
        `dead letter ${id} was ${resolution.how} already, by ${resolution.by} at ${resolution.at}`,
        { code: 'RESOLVED' },
      );
  }
  return byAge.filter(({ id }) => ids.includes(id));
}

export function noDeadLetter({ config }: Box, id: string): OperatorError {
  return new OperatorError('notFound', `there is no dead letter ${id} in "${config.deadLetters}"`, {
    code: 'NO_SUCH_DEAD_LETTER',
  });
}
