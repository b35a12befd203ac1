// What a running campaign does next, and what operators do to it.
import type {
  CampaignActInput,
  CampaignActResult,
  CampaignInput,
  CampaignRunName,
  CampaignTurn,
  OpenedCampaign,
  TurnInput,
} from '../../src/contracts/campaign.ts';
import type { Deps } from '../deps.ts';

const notBuilt = () => new Error('not built yet');

export function createTurnActivities(_deps: Deps) {
  return {
    /** Takes up a run that was planned, or goes on with one. */
    async openCampaign(_input: CampaignInput): Promise<OpenedCampaign> {
      throw notBuilt();
    },

    async campaignTurn(_input: TurnInput): Promise<CampaignTurn> {
      throw notBuilt();
    },

    /** Writes down what an operator, or Sluice itself, does to a run, once. */
    async campaignAct(_input: CampaignActInput): Promise<CampaignActResult> {
      throw notBuilt();
    },

    /** Ends the run when every member has its outcome; answers false when some have not. */
    async closeCampaign(_input: CampaignRunName): Promise<boolean> {
      throw notBuilt();
    },
  };
}
