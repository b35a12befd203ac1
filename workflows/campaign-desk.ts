// What operators ask of campaigns, and do to those that no workflow runs: the ledger answers through a worker.
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type {
  CampaignActInput,
  CampaignActResult,
  CampaignAuditEntry,
  CampaignListInput,
  CampaignPlan,
  CampaignReport,
  CampaignRunName,
} from '../src/contracts/campaign.ts';
import { LEDGER_OPTIONS } from './policies.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

/** Newest first. */
export async function listCampaignRuns(input: CampaignListInput): Promise<CampaignReport[]> {
  return await ledger.listCampaigns(input);
}

/** Null: there is no such run. */
export async function campaignRunReport(input: CampaignRunName): Promise<CampaignReport | null> {
  return await ledger.campaignReport(input);
}

/** Null: there is none. */
export async function campaignRunPlan(input: CampaignRunName): Promise<CampaignPlan | null> {
  return await ledger.campaignPlanOf(input);
}

export async function campaignRunAudit(input: CampaignRunName): Promise<CampaignAuditEntry[]> {
  return await ledger.campaignAudit(input);
}

/** Approves a plan. */
export async function campaignDeskAct(input: CampaignActInput): Promise<CampaignActResult> {
  return await ledger.campaignAct(input);
}
