// Workflows for operator queries about campaigns, and for commands on runs without a workflow. A worker reads the
// ledger.

import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { campaignRoute } from '../src/contracts/ids.ts';
import type {
  CampaignAuditEntry,
  CampaignCommandResult,
  CampaignListInput,
  CampaignOperatorCommandInput,
  CampaignPlan,
  CampaignRunName,
} from '../src/contracts/wire/campaign.ts';
import type { CampaignReport } from '../src/contracts/wire/campaign-report.ts';
import { LEDGER_OPTIONS } from './policies.ts';
import { answer } from './shared/answer.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

/** Newest first. */
export async function listCampaignRuns(input: CampaignListInput): Promise<CampaignReport[]> {
  return await ledger.listCampaigns(input);
}

/** Null if there is no such run. */
export async function campaignRunReport(input: CampaignRunName): Promise<CampaignReport | null> {
  return await ledger.campaignReport(input);
}

/** Null if the run has no plan. */
export async function campaignRunPlan(input: CampaignRunName): Promise<CampaignPlan | null> {
  return await ledger.campaignPlanOf(input);
}

export async function campaignRunAudit(input: CampaignRunName): Promise<CampaignAuditEntry[]> {
  return await ledger.campaignAudit(input);
}

/** A command that needs no workflow of the run: on a plan, or on a run that has ended. */
export async function campaignOperatorCommand({
  account,
  campaign,
  ...command
}: CampaignOperatorCommandInput): Promise<CampaignCommandResult> {
  const result = await ledger.campaignCommand({ ...command, withoutWorkflow: true });
  await answer(account, campaignRoute(campaign), result.after ?? [], { lane: 'campaign' });
  return result;
}
