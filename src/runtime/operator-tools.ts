// Parts of the operator API that come from workers, the doctor and Kafka. Only a composition root may combine them.
import { createCommandActivities } from '../../activities/campaign/commands.ts';
import type { OperatorDeps, OperatorTools } from '../operator/service/deps.ts';

export function createTools({ db, config, now, log }: Omit<OperatorDeps, 'tools'>): OperatorTools {
  const { campaignCommand } = createCommandActivities({
    db,
    log,
    clock: { now },
    campaign: (account, name) => {
      const spec = config().campaign(name);
      if (spec.account === account) return spec;
      throw new Error(`the account "${account}" has no campaign "${name}" in ${config().file}`);
    },
  });
  return { campaignCommand };
}
