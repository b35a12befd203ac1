// Reads the campaign or the run that a command names.

import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { parseCampaignRunId } from '../../../core/ids.ts';

/**
 * What the operator API takes: the id of the named run, with or without its campaign; else the name of the campaign.
 * @throws CliError (usage) when the run belongs to another campaign, or is not a run
 */
export function campaignOrRun(name: string, run: string | undefined): string {
  const named = run ?? name;
  if (run === undefined && parseCampaignRunId(name) === null) return name;
  const parsed = parseCampaignRunId(named);
  if (parsed === null)
    throw new CliError(
      EXIT.usage,
      `"${named}" is not a run id; write {account}/+{campaign}/{number}, see \`sluice campaign list\``,
    );
  if (parsed.campaign !== name && named !== name)
    throw new CliError(
      EXIT.usage,
      `${named} is a run of the campaign "${parsed.campaign}", not of "${name}"`,
    );
  return named;
}
