// Which things a command applies to: ids, or all that match filters, which needs --yes.
import { CliError, EXIT } from './exit.ts';

export interface FilterOptions {
  readonly route?: string;
  readonly code: readonly string[];
  readonly since?: Date;
  readonly limit?: number;
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
  ids: readonly string[],
  { route, code, since, limit, yes }: FilterOptions & { readonly yes: boolean },
  { harmless, many, list }: ChoiceRules,
): void {
  const filtered = route !== undefined || code.length > 0 || since !== undefined || limit !== undefined;
  if (ids.length > 0 && filtered)
    throw new CliError(EXIT.usage, 'name ids, or choose by --route, --code, --since and --limit; not both');
  if (ids.length > 0 || harmless || yes) return;
  if (!filtered)
    throw new CliError(EXIT.usage, `say which ${many}: ids, or filters with --yes; \`${list}\` shows them`);
  throw new CliError(
    EXIT.usage,
    `${many} chosen by filters need --yes; \`${list}\` with the same filters shows them`,
  );
}
