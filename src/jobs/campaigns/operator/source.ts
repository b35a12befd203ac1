// Campaigns as they are written in sluice.yaml.

import { OperatorError } from '../../../operator/error.ts';
import { isAllowed } from '../../../operator/service/caller.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { CAMPAIGNS } from '../contract/campaigns.ts';
import { openRun } from '../store/campaigns.ts';

type Routes = Extract<keyof typeof CAMPAIGNS, `${string} /campaigns/{campaign}/source`>;

export function sourceHandlers({ db, tools }: OperatorDeps): Handlers<Routes> {
  return {
    'GET /campaigns/{campaign}/source': ({ campaign }) => tools.campaignFile.read(campaign),
    // The whole file is checked twice, in a thread and here.
    'PUT /campaigns/{campaign}/source': ({ campaign, yaml, isNew, hash }, caller) =>
      tools.expensive.run(caller.identity, () =>
        tools.campaignFile.write({ campaign, yaml, isNew, hash, mayStart: isAllowed(caller, 'operator') }),
      ),
    'DELETE /campaigns/{campaign}/source': async ({ campaign, hash }, { identity }) => {
      const open = await openRun(db, campaign);
      if (open !== null)
        throw new OperatorError(
          'conflict',
          `the run ${open.run} of "${campaign}" is ${open.state}; cancel it, or wait until it has ended`,
          { code: 'RUN_OPEN' },
        );
      return await tools.expensive.run(identity, () => tools.campaignFile.remove({ campaign, hash }));
    },
  };
}
