// What operators ask of campaigns, and do to those that no workflow runs: the ledger answers through a worker.
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type {
  CampaignActInput,
  CampaignActResult,
  CampaignAuditEntry,
  CampaignListInput,
  CampaignPlan,
  CampaignRunName,
} from '../src/contracts/campaign.ts';
import type { CampaignReport } from '../src/contracts/campaign-report.ts';
import { answer } from './answer.ts';
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

/** An act that needs no workflow of the run: of a plan, or of a run that has ended. */
export async function campaignDeskAct(input: CampaignActInput): Promise<CampaignActResult> {
  const result = await ledger.campaignAct(input);
  // A run is named after its account and its route of events.
  const [account = '', route = ''] = input.run.split('/');
  await answer(account, route, result.after ?? [], { lane: 'campaign' });
  return result;
}
