// Resolves the run that a reading command names. It needs no configuration.
import type { RunQuery } from '../../contracts/wire/campaign-people.ts';
import { CliError, EXIT } from '../lib/exit.ts';

const RUN = /^[^/]+\/\+([^/]+)\/\d+$/;

/**
 * The named run, with or without its campaign; else the newest run of the campaign.
 * @throws CliError (usage) when the run belongs to another campaign, or is not a run
 */
export function resolveRunQuery(name: string, run: string | undefined): RunQuery {
  const named = run ?? (RUN.test(name) ? name : undefined);
  if (named === undefined) return { campaign: name };
  const [, campaign] = RUN.exec(named) ?? [];
  if (campaign === undefined)
    throw new CliError(
      EXIT.usage,
      `"${named}" is not a run id; write {account}/+{campaign}/{number}, see \`sluice campaign list\``,
    );
  if (campaign !== name && named !== name)
    throw new CliError(EXIT.usage, `${named} is a run of the campaign "${campaign}", not of "${name}"`);
  return { run: named };
}

export function noSuchRun(query: RunQuery): CliError {
  const problem =
    'run' in query
      ? `the ledger has no run ${query.run}; \`sluice campaign list\` shows all`
      : `the campaign "${query.campaign}" has no run; make one with \`sluice campaign plan ${query.campaign}\`, or see \`sluice campaign list\``;
  return new CliError(EXIT.notFound, problem);
}
