// Opens a plan, and freezes the audience that was read.
import type {
  AudiencePage,
  AudiencePageInput,
  CampaignPlanInput,
  CampaignPlanning,
  CampaignRunName,
} from '../../src/contracts/campaign.ts';
import type { Deps } from '../deps.ts';

const notBuilt = () => new Error('not built yet');

export function createCampaignPlanActivities(_deps: Deps) {
  return {
    /** Opens the plan of a campaign, in place of one that was not started; refused while a run of it is under way. */
    async openCampaignPlan(_input: CampaignPlanInput): Promise<CampaignPlanning> {
      throw notBuilt();
    },

    /** Rows of a source, or people of the ledger: some pages of a part of the audience. */
    async readAudienceRows(_input: AudiencePageInput): Promise<AudiencePage> {
      throw notBuilt();
    },

    /** Decides who is left out and why, and who is held out; nobody comes in after this. */
    async freezeAudience(_input: CampaignRunName): Promise<void> {
      throw notBuilt();
    },

    /** The plan can not be made: says why. */
    async failCampaignPlan(_input: CampaignRunName & { readonly reason: string }): Promise<void> {
      throw notBuilt();
    },
  };
}
