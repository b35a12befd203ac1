// All activities of campaigns.
import type { Deps } from '../deps.ts';
import { createAudienceActivities } from './audience.ts';
import { createCampaignDeskActivities } from './desk.ts';
import { createForecastActivities } from './forecast.ts';
import { createCampaignPlanActivities } from './plan.ts';
import { createTriggerBatchActivities } from './trigger-batch.ts';
import { createTurnActivities } from './turn.ts';

/** Activities of the work queue. */
export function createCampaignLedgerActivities(deps: Deps) {
  return {
    ...createCampaignPlanActivities(deps),
    ...createForecastActivities(deps),
    ...createTurnActivities(deps),
    ...createCampaignDeskActivities(deps),
  };
}

/** Activities of the API queue. */
export function createCampaignApiActivities(deps: Deps) {
  return { ...createAudienceActivities(deps), ...createTriggerBatchActivities(deps) };
}
