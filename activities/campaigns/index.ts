// All campaign activities.
import type { Deps } from '../shared/deps.ts';
import { createAudienceActivities } from './audience/pages.ts';
import { createForecastActivities } from './forecast.ts';
import { createCampaignPlanActivities } from './plan.ts';
import { createTriggerBatchActivities } from './trigger/batch.ts';
import { createCampaignRunActivities } from './waves/run.ts';

/** Activities of the work queue. */
export function createCampaignLedgerActivities(deps: Deps) {
  return {
    ...createCampaignPlanActivities(deps),
    ...createForecastActivities(deps),
    ...createCampaignRunActivities(deps),
  };
}

/** Activities of the API queue. */
export function createCampaignApiActivities(deps: Deps) {
  return { ...createAudienceActivities(deps), ...createTriggerBatchActivities(deps) };
}
