// Reads the audience of a campaign from the service, a page a call.
import type {
  AudiencePage,
  AudiencePageInput,
  CampaignList,
  CampaignRunName,
} from '../../src/contracts/campaign.ts';
import type { Deps } from '../deps.ts';

const notBuilt = () => new Error('not built yet');

export function createAudienceActivities(_deps: Deps) {
  return {
    /** GET /v1/tags, /v1/pipelines, /v1/lost-reasons or /v1/connections. */
    async readCampaignList(_input: CampaignRunName & { readonly list: CampaignList }): Promise<void> {
      throw notBuilt();
    },

    /** GET /v1/cards or /v1/contacts, one page. */
    async readAudiencePage(_input: AudiencePageInput): Promise<AudiencePage> {
      throw notBuilt();
    },
  };
}
