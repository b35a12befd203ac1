// Options that the commands for dead letters share, and the choice that they make.
import { checkChoice } from '../../../../cli/lib/choice.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { WHEN } from '../../../../cli/lib/when.ts';
import type { Input } from '../../../../operator/contract/index.ts';
import { LetterId } from '../../contract/refusals.ts';

export const CLUSTER = {
  cluster: ['--cluster <name>', 'name from `ingress.kafka` (default: the only one)'],
} as const;
export const FILTER = {
  ...CLUSTER,
  route: ['--route <name>', 'only dead letters of this route'],
  codes: ['--code <code>', 'only dead letters with this code'],
  since: ['--since <when>', `only dead letters since: ${WHEN}`],
} as const;
export const CHOICE = { ...FILTER, limit: ['--limit <count>', 'maximum number of entries'] } as const;
export const IDS = ['ids', '[ids...]', 'ids of dead letters'] as const;
export const YES = 'apply the command to all dead letters that match the filters';

type Choice = Omit<Input<'POST /dead-letters/replay'>, 'rate'>;

/**
 * The dead letters of a command, checked before anything is opened.
 * @param harmless the command changes nothing, so it may apply to all
 * @throws CliError (usage)
 */
export function choiceOf(given: Choice, yes: boolean, harmless: boolean): Choice {
  given.ids?.forEach(checkId);
  checkChoice(given, yes, { harmless, many: 'dead letters', list: 'sluice dlq list' });
  return given;
}

/** @throws CliError (usage) when it is not an id */
export function checkId(id: string): string {
  if (LetterId.safeParse(id).success) return id;
  throw new CliError(
    EXIT.usage,
    `"${id}" is no id of a dead letter: ids look like 0-17, as \`sluice dlq list\` prints them`,
  );
}
