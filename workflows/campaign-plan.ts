// Workflow that plans a campaign: it reads the audience, decides who is excluded, and forecasts when the campaign
// ends. The people are in the ledger; this workflow handles only parts and pages.

import {
  CancellationScope,
  ContinueAsNew,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setHandler,
  setWorkflowOptions,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { apiQueue, SEARCH_KEYS } from '../src/core/ids.ts';
import { LANES } from '../src/core/lanes.ts';
import type {
  AudiencePage,
  CampaignPlanInput,
  CampaignPlanning,
  CampaignPlanProgress,
} from '../src/jobs/campaigns/contract/batches.ts';
import type { CampaignPlan } from '../src/jobs/campaigns/contract/plan.ts';
import { campaignPlanProgressQuery } from './messages.ts';
import { API_OPTIONS, callPriority, LEDGER_OPTIONS } from './policies.ts';
import { reasonOf } from './shared/refusals.ts';
import { pinned } from './versioning.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);

/** State that continue-as-new passes on. The ledger stores how many pages have been read. */
interface Carried {
  readonly planning: CampaignPlanning;
  readonly part: number;
}

export async function campaignPlan(
  input: CampaignPlanInput & { readonly carried?: Carried },
): Promise<CampaignPlan> {
  const { account, campaign, by, carried } = input;
  let { part } = carried ?? { part: 0 };
  let phase: CampaignPlanProgress['phase'] = 'opening';
  let found = 0;
  let parts = 0;
  setHandler(campaignPlanProgressQuery, () => ({ phase, part, parts, found }));

  const planning = carried?.planning ?? (await ledger.openCampaignPlan({ account, campaign, by }));
  const { run, lists } = planning;
  parts = planning.parts.length;
  const api = proxyActivities<Activities>({
    ...API_OPTIONS,
    taskQueue: apiQueue(workflowInfo().taskQueue),
    priority: callPriority(LANES.campaign, planning.tokenKey, planning.callsPerMinute),
  });
  upsertSearchAttributes([{ key: SEARCH_KEYS.run, value: run }]);

  const read = (how: 'api' | 'ledger'): Promise<AudiencePage> =>
    how === 'api' ? api.readAudiencePage({ run, part }) : ledger.readAudienceRows({ run, part });
  try {
    phase = 'reading';
    if (carried === undefined) for (const list of lists) await api.readCampaignList({ run, list });
    for (; part < parts; part++) {
      for (let done = false; !done; ) {
        ({ done, found } = await read(planning.parts[part] as 'api' | 'ledger'));
        if (!done && workflowInfo().continueAsNewSuggested)
          await continueAsNew<typeof campaignPlan>({ account, campaign, by, carried: { planning, part } });
      }
    }
    phase = 'deciding';
    await ledger.freezeAudience({ run });
    return await ledger.planCampaign({ run });
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    const reason = isCancellation(error) ? 'planning was cancelled' : reasonOf(error);
    await CancellationScope.nonCancellable(() => ledger.failCampaignPlan({ run, reason }));
    throw error;
  } finally {
    phase = 'ended';
  }
}
setWorkflowOptions(pinned, campaignPlan);
