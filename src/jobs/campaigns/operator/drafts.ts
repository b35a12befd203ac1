// Drafts of campaigns: what they may name, the people that they would reach, and what these would get.

import { maskPhone } from '../../../observe/masking.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { HIDDEN } from '../../../operator/service/masking.ts';
import type { CampaignConfig } from '../config.ts';
import type { CAMPAIGN_DRAFTS, DraftAudience } from '../contract/campaign-drafts.ts';

type Campaigns = Readonly<Record<string, CampaignConfig>>;
type Suggestion = {
  readonly account: string;
  readonly flow: CampaignConfig['flow'];
  readonly name: string;
  readonly expression: CampaignConfig['variables'][string];
  readonly campaigns: string[];
};

export function draftHandlers({ config, tools }: OperatorDeps): Handlers<keyof typeof CAMPAIGN_DRAFTS> {
  return {
    'GET /campaign-drafts/choices': async () => {
      const { accounts, sources, syncs, campaigns } = config().config;
      return {
        accounts: Object.entries(accounts).map(([account, { timeZone }]) => ({
          account,
          timeZone: timeZone ?? 'UTC',
        })),
        sources: await Promise.all(
          Object.entries(sources).map(async ([source, each]) => ({
            source,
            type: each.type,
            columns: each.type === 'csv' ? [...(await tools.firstSync.columns(each))] : [],
          })),
        ),
        syncs: Object.entries(syncs).map(([sync, { account }]) => ({ sync, account })),
        campaigns: Object.entries(campaigns).map(([campaign, { account }]) => ({ campaign, account })),
        needsApproval: Object.values(campaigns).some(({ approval }) => approval === 'second-person'),
        variables: variablesOfFlows(campaigns),
      };
    },
    'POST /campaign-drafts/audience': async ({ campaign, config: draft, unmask }, { identity }) => {
      const { problems, audience } = await tools.campaignDraft.count({
        campaign,
        config: draft,
        by: identity,
      });
      return { problems, audience: audience === null || unmask ? audience : masked(audience) };
    },
  };
}

/** The same variable with the same expression once, with the campaigns that send it. */
function variablesOfFlows(campaigns: Campaigns): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const [campaign, { account, flow, variables }] of Object.entries(campaigns))
    for (const [name, expression] of Object.entries(variables)) {
      const key = JSON.stringify([account, flow, name, expression]);
      const known = found.get(key);
      if (known === undefined) found.set(key, { account, flow, name, expression, campaigns: [campaign] });
      else known.campaigns.push(campaign);
    }
  return [...found.values()];
}

function masked(audience: DraftAudience): DraftAudience {
  const sample = audience.sample.map((member) => {
    const values = Object.keys(member.variables).map((name) => [name, HIDDEN] as const);
    return { ...member, number: maskPhone(member.number), variables: Object.fromEntries(values) };
  });
  return { ...audience, sample };
}
