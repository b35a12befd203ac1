// Which run of a campaign a command that only checks it means: no configuration is needed for what has been.
import type { RunQuery } from '../../contracts/wire/campaign-people.ts';
import { CliError, EXIT } from '../lib/exit.ts';

const RUN = /^[^/]+\/\+([^/]+)\/\d+$/;

/**
 * The run that is named, instead of the campaign or beside it; else the newest run of the campaign.
 * @throws CliError (usage) when the run is one of another campaign, or no run at all
 */
export function resolveRunQuery(name: string, run: string | undefined): RunQuery {
  const named = run ?? (RUN.test(name) ? name : undefined);
  if (named === undefined) return { campaign: name };
  const [, campaign] = RUN.exec(named) ?? [];
  if (campaign === undefined)
    throw new CliError(
      EXIT.usage,
      `"${named}" is no run: its id is {account}/+{campaign}/{number}, see \`sluice campaign list\``,
    );
  if (campaign !== name && named !== name)
    throw new CliError(EXIT.usage, `${named} is a run of the campaign "${campaign}", not of "${name}"`);
  return { run: named };
}

export function noSuchRun(query: RunQuery): CliError {
  const problem =
    'run' in query
      ? `the ledger has no run ${query.run}; \`sluice campaign list\` shows all`
      : `the campaign "${query.campaign}" has no run: \`sluice campaign plan ${query.campaign}\` makes one, \`sluice campaign list\` shows all`;
  return new CliError(EXIT.notFound, problem);
}
