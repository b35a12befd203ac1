// What a run of a sync and a campaign need of the configuration, as separate copies.
import { UnknownNameError } from '../core/config/errors.ts';
import { suggestion } from '../core/suggest.ts';
import type { CampaignSpec } from '../jobs/campaigns/contract/batches.ts';
import type { RunSpec } from '../jobs/sync/contract/run.ts';
import type { ResolvedConfig } from './resolved-config.ts';

/** @throws UnknownNameError */
export function buildSpec(config: ResolvedConfig, sync: string): RunSpec {
  if (!Object.hasOwn(config.syncs, sync)) {
    throw new UnknownNameError('sync', sync, suggestion(sync, Object.keys(config.syncs), 'syncs'));
  }
  const options = config.syncs[sync]!;
  const source = config.sources[options.source]!;
  const mapping = config.mappings[options.mapping]!;
  return structuredClone({ account: options.account, sync, options, source, mapping });
}

/** @throws UnknownNameError */
export function buildCampaign(
  config: Pick<ResolvedConfig, 'accounts' | 'campaigns' | 'sources'>,
  name: string,
): CampaignSpec {
  if (!Object.hasOwn(config.campaigns, name)) {
    throw new UnknownNameError(
      'campaign',
      name,
      suggestion(name, Object.keys(config.campaigns), 'campaigns'),
    );
  }
  const campaign = config.campaigns[name]!;
  const account = config.accounts[campaign.account]!;
  const { numbers } = campaign.exclude;
  const used = new Set([
    ...campaign.audience.flatMap((part) => (part.from === 'source' ? [part.source] : [])),
    ...(numbers === undefined || Array.isArray(numbers) ? [] : [numbers.source]),
  ]);
  return structuredClone({
    account: campaign.account,
    campaign: name,
    config: campaign,
    sources: Object.fromEntries([...used].map((source) => [source, config.sources[source]!])),
    // A configuration is refused if an account with campaigns has no time zone.
    timeZone: account.timeZone ?? 'UTC',
    optOut: account.optOut,
  });
}
