// Drafts of campaigns: what they may name, and the people that they would reach.
import type { CAMPAIGN_DRAFTS } from '../../../contracts/operator/campaign-drafts.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';

export function draftHandlers({ config, tools }: OperatorDeps): Handlers<keyof typeof CAMPAIGN_DRAFTS> {
  return {
    'GET /campaign-drafts/choices': async () => {
      const { accounts, sources, syncs, campaigns } = config().config;
      return {
        accounts: Object.entries(accounts).map(([account, { timeZone }]) => ({
          account,
          timeZone: timeZone ?? 'UTC',
        })),
        sources: Object.entries(sources).map(([source, { type }]) => ({ source, type })),
        syncs: Object.entries(syncs).map(([sync, { account }]) => ({ sync, account })),
        campaigns: Object.entries(campaigns).map(([campaign, { account }]) => ({ campaign, account })),
      };
    },
    'POST /campaign-drafts/audience': ({ campaign, config: draft }, { identity }) =>
      tools.campaignDraft.count({ campaign, config: draft, by: identity }),
  };
}
