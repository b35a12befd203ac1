// What a plan will cost, and when it will be done.
import type { CampaignPlan, CampaignRunName } from '../../src/contracts/campaign.ts';
import type { Deps } from '../deps.ts';

const notBuilt = () => new Error('not built yet');

export function createForecastActivities(_deps: Deps) {
  return {
    /** The plan as operators see it, kept with the run; reads nothing but the ledger. */
    async planCampaign(_input: CampaignRunName): Promise<CampaignPlan> {
      throw notBuilt();
    },
  };
}
