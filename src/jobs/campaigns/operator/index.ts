// Campaigns as operators see and steer them.

import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { CAMPAIGN_DRAFTS } from '../contract/campaign-drafts.ts';
import type { CAMPAIGN_MEMBERS } from '../contract/campaign-members.ts';
import type { CAMPAIGNS } from '../contract/campaigns.ts';
import { approvalHandlers } from './approval.ts';
import { changeHandlers } from './changes.ts';
import { commandHandlers } from './commands.ts';
import { draftHandlers } from './drafts.ts';
import { createFigures } from './figures.ts';
import { memberHandlers } from './members.ts';
import { progressHandlers } from './now.ts';
import { overTimeHandlers } from './over-time.ts';
import { planningHandlers } from './planning.ts';
import { readHandlers } from './read.ts';
import { sourceHandlers } from './source.ts';
import { startHandlers } from './start.ts';

export function campaignHandlers(
  deps: OperatorDeps,
): Handlers<keyof typeof CAMPAIGNS | keyof typeof CAMPAIGN_DRAFTS | keyof typeof CAMPAIGN_MEMBERS> {
  const figures = createFigures(deps);
  return {
    ...readHandlers(deps, figures),
    ...approvalHandlers(deps),
    ...changeHandlers(deps),
    ...progressHandlers(deps),
    ...overTimeHandlers(deps),
    ...memberHandlers(deps),
    ...draftHandlers(deps),
    ...sourceHandlers(deps),
    ...planningHandlers(deps),
    ...startHandlers(deps, figures),
    ...commandHandlers(deps, figures),
  };
}
