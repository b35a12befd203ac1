// Resolves an operator's name to a campaign and a run.
import type { Client } from '@temporalio/client';
import type { listCampaignRuns } from '../../../workflows/campaign-queries.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { parseCampaignRunId } from '../../contracts/ids.ts';
import type { CampaignName } from '../../contracts/wire/campaign.ts';
import type { CampaignReport } from '../../contracts/wire/campaign-report.ts';
import { digestOfSpec } from '../../ledger/campaigns/campaigns.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { queryOperator } from '../lib/operator-query.ts';
import { campaignRefusal } from './campaign-refused.ts';

/** A configured campaign, or the campaign in a run's id `{account}/+{campaign}/{number}`. */
export interface CampaignTarget extends CampaignName {
  /** Null: no run was named. */
  readonly run: string | null;
}

/** @throws UnknownNameError when it is neither a campaign of the configuration nor the id of a run */
export function resolveCampaign(config: Pick<LoadedConfig, 'campaign'>, text: string): CampaignTarget {
  const named = parseCampaignRunId(text);
  if (named !== null) return { account: named.account, campaign: named.campaign, run: text };
  return { account: config.campaign(text).account, campaign: text, run: null };
}

/** Runs of a campaign, newest first. */
export async function runsOf(
  client: Client,
  { account, campaign }: CampaignName,
  limit: number,
): Promise<CampaignReport[]> {
  const filter = { account, campaign, limit };
  return await queryOperator<typeof listCampaignRuns>(client, 'campaign', 'listCampaignRuns', [filter]).catch(
    (error: unknown) => {
      throw campaignRefusal(error);
    },
  );
}

/**
 * Compares a plan's configuration with this command's. Workers keep the configuration that they started with, and would
 * carry out what the operator has since changed.
 * @throws CliError (conflict) when the plan has another configuration than this command
 */
export function sameConfig(
  config: Pick<LoadedConfig, 'campaign'>,
  { run, campaign, digest }: Pick<CampaignReport, 'run' | 'campaign' | 'digest'>,
): void {
  if (digestOfSpec(config.campaign(campaign)) === digest) return;
  throw new CliError(
    EXIT.conflict,
    `the plan ${run} was made with another configuration than this command's: the campaign, its sources, or the account's time zone or opt-outs were edited. Restart \`sluice dev\` or the workers, so that they read it too, and plan again with \`sluice campaign plan ${campaign}\``,
  );
}
