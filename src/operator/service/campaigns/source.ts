// Campaigns as they are written in sluice.yaml.
import type { CAMPAIGNS } from '../../../contracts/operator/campaigns.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';

type Routes = Extract<keyof typeof CAMPAIGNS, `${string} /campaigns/{campaign}/source`>;

export function sourceHandlers({ tools }: OperatorDeps): Handlers<Routes> {
  return {
    'GET /campaigns/{campaign}/source': ({ campaign }) => tools.campaignFile.read(campaign),
    'PUT /campaigns/{campaign}/source': ({ campaign, yaml, hash }) =>
      tools.campaignFile.write(campaign, yaml, hash),
  };
}
