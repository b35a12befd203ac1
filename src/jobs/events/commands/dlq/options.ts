// Options that the commands for dead letters share, and the choice that they make.
import type { Command } from 'commander';
import { collect, integer } from '../../../../cli/lib/arguments.ts';
import { checkChoice, type FilterOptions } from '../../../../cli/lib/choice.ts';
import { type SessionOptions, withSessionOptions } from '../../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { WHEN, when } from '../../../../cli/lib/when.ts';
import type { Input } from '../../../../operator/contract/index.ts';

export interface BoxOptions extends SessionOptions {
  readonly cluster?: string;
}

export interface ChoiceOptions extends BoxOptions, FilterOptions {
  readonly yes: boolean;
}

export function withBoxOptions(command: Command): Command {
  return withSessionOptions(command).option(
    '--cluster <name>',
    'name from `ingress.kafka` (default: the only one)',
  );
}

export function withFilterOptions(command: Command): Command {
  return command
    .option('--route <name>', 'only dead letters of this route')
    .option('--code <code>', 'only dead letters with this code; repeatable', collect, [])
    .option('--since <when>', `only dead letters since: ${WHEN}`, when)
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1 }));
}

export function withChoiceOptions(command: Command): Command {
  return withFilterOptions(command).option(
    '--yes',
    'apply the command to all dead letters that match the filters',
    false,
  );
}

/** The filters as the operator API takes them. */
export function filterOf({ cluster, route, code, since }: BoxOptions & FilterOptions) {
  return {
    cluster,
    route,
    codes: code.length === 0 ? undefined : code,
    since: since?.toISOString(),
  };
}

/**
 * The dead letters of a command, checked before anything is opened.
 * @param harmless the command changes nothing, so it may apply to all
 * @throws CliError (usage)
 */
export function choiceOf(
  ids: readonly string[],
  options: ChoiceOptions,
  harmless: boolean,
): Omit<Input<'POST /dead-letters/replay'>, 'rate'> {
  for (const id of ids) checkId(id);
  checkChoice(ids, options, { harmless, many: 'dead letters', list: 'sluice dlq list' });
  if (ids.length > 0) return { cluster: options.cluster, ids };
  return { ...filterOf(options), limit: options.limit };
}

/** @throws CliError (usage) when it is not an id */
export function checkId(id: string): void {
  if (/^(\d{1,9})-(\d{1,18})$/.test(id)) return;
  throw new CliError(
    EXIT.usage,
    `"${id}" is no id of a dead letter: ids look like 0-17, as \`sluice dlq list\` prints them`,
  );
}
