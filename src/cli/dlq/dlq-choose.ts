// Chooses the dead letters of a command: by id, or by filters.
import type { Command } from 'commander';
import type { DeadLetter, FoundDeadLetter } from '../../ingress/kafka/index.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { type Box, type FilterOptions, matches, parseId, readBox, withFilterOptions } from './dlq-box.ts';

export interface ChoiceOptions extends FilterOptions {
  readonly yes: boolean;
}

export function withChoiceOptions(command: Command): Command {
  return withFilterOptions(command).option(
    '--yes',
    'apply the command to all dead letters that match the filters',
    false,
  );
}

/** Checks the options before anything is read. @throws CliError (usage) */
export function checkChoice(ids: readonly string[], options: ChoiceOptions, harmless: boolean): void {
  for (const id of ids) parseId(id);
  const { route, code, since, limit } = options;
  const filtered = route !== undefined || code.length > 0 || since !== undefined || limit !== undefined;
  if (ids.length > 0 && filtered)
    throw new CliError(EXIT.usage, 'name ids, or choose by --route, --code, --since and --limit; not both');
  if (ids.length > 0 || harmless) return;
  if (!filtered && !options.yes)
    throw new CliError(
      EXIT.usage,
      'say which dead letters: ids, or filters with --yes; `sluice dlq list` shows them',
    );
  if (!options.yes)
    throw new CliError(
      EXIT.usage,
      'dead letters chosen by filters need --yes; `sluice dlq list` with the same filters shows them',
    );
}

/**
 * Open dead letters, oldest first.
 * @throws CliError when an id names none (3), or one that was dealt with already (5)
 */
export async function chooseDeadLetters(
  box: Box,
  ids: readonly string[],
  options: ChoiceOptions & { readonly withValues: boolean },
  signal: AbortSignal,
): Promise<FoundDeadLetter[]> {
  const keepValue = (deadLetter: DeadLetter) => {
    const wanted = ids.length > 0 ? ids.includes(deadLetter.id) : matches(deadLetter, options);
    return options.withValues && wanted ? 'open' : false;
  };
  const foundLetters = await readBox(box, { keepValue, signal });
  const byAge = foundLetters.toSorted((a, b) => (a.failedAt < b.failedAt ? -1 : 1));
  if (ids.length === 0) {
    const open = byAge.filter((deadLetter) => deadLetter.resolution === null && matches(deadLetter, options));
    return open.slice(0, options.limit);
  }
  for (const id of ids) {
    const deadLetter = foundLetters.find((each) => each.id === id);
    if (deadLetter === undefined)
      throw new CliError(EXIT.notFound, `there is no dead letter ${id} in "${box.config.deadLetters}"`);
    const { resolution } = deadLetter;
    if (resolution !== null)
      throw new CliError(
        EXIT.conflict,
        `dead letter ${id} was ${resolution.how} already, by ${resolution.by} at ${resolution.at}`,
      );
  }
  return byAge.filter(({ id }) => ids.includes(id));
}
