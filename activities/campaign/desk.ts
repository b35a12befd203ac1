// What operators ask of campaigns, out of the ledger.
import type {
  CampaignAuditEntry,
  CampaignListInput,
  CampaignPlan,
  CampaignReport,
  CampaignRunName,
} from '../../src/contracts/campaign.ts';
import type { Deps } from '../deps.ts';

const notBuilt = () => new Error('not built yet');

export function createCampaignDeskActivities(_deps: Deps) {
  return {
    /** Newest first. */
    async listCampaigns(_input: CampaignListInput): Promise<CampaignReport[]> {
      throw notBuilt();
    },

    /** Null: there is no such run. */
    async campaignReport(_input: CampaignRunName): Promise<CampaignReport | null> {
      throw notBuilt();
    },

    /** The plan of a run; null: there is none. */
    async campaignPlanOf(_input: CampaignRunName): Promise<CampaignPlan | null> {
      throw notBuilt();
    },

    async campaignAudit(_input: CampaignRunName): Promise<CampaignAuditEntry[]> {
      throw notBuilt();
    },
  };
}
