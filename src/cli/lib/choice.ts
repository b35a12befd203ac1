// Which things a command applies to: ids, or all that match filters, which needs --yes.
import { CliError, EXIT } from './exit.ts';

/** What ids and filters gave, as the operator API takes them. */
export interface Given {
  readonly ids?: readonly string[] | undefined;
  readonly route?: string | undefined;
  readonly codes?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly limit?: number | undefined;
}

interface ChoiceRules {
  /** The command changes nothing, or asks, so it may apply to all. */
  readonly harmless: boolean;
  /** What is chosen: `dead letters`. */
  readonly many: string;
  /** Command that shows them. */
  readonly list: string;
}

/** @throws CliError (usage) for ids with filters, and for filters without --yes where nobody is asked */
export function checkChoice(
  { ids, route, codes, since, limit }: Given,
  yes: boolean,
  { harmless, many, list }: ChoiceRules,
): void {
  const filtered = [route, codes, since, limit].some((each) => each !== undefined);
  if (ids !== undefined && filtered)
    throw new CliError(EXIT.usage, 'name ids, or choose by --route, --code, --since and --limit; not both');
  if (ids !== undefined || harmless || yes) return;
  if (!filtered)
    throw new CliError(EXIT.usage, `say which ${many}: ids, or filters with --yes; \`${list}\` shows them`);
  throw new CliError(
    EXIT.usage,
    `${many} chosen by filters need --yes; \`${list}\` with the same filters shows them`,
  );
}
