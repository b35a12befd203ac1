// Compares the configuration that a plan was made from with the file as it is now.

import { OperatorError } from '../../../operator/error.ts';
import type { OperatorDeps } from '../../../operator/service/deps.ts';
import { type CampaignRow, digestOfSpec } from '../store/campaigns.ts';

/**
 * A run keeps the configuration that its plan was made from, and would carry out what somebody has since changed.
 * @throws OperatorError (conflict) when the plan was made from another configuration than the file has now
 */
export async function requireSameConfig(
  { config }: Pick<OperatorDeps, 'config'>,
  { run_id: run, campaign, digest }: Pick<CampaignRow, 'run_id' | 'campaign' | 'digest'>,
): Promise<void> {
  const onDisk = await config().reload();
  if (digestOfSpec(onDisk.campaign(campaign)) === digest) return;
  throw new OperatorError(
    'conflict',
    `the plan ${run} was made with another configuration than ${onDisk.file} has now: the campaign, its sources, or the account's time zone or opt-outs were edited. Load it with \`sluice config reload\`, or wait until each process has done so, and plan again with \`sluice campaign plan ${campaign}\``,
    { code: 'PLAN_VOID' },
  );
}
