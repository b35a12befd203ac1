// All activities, built from what they depend on. Workflows import their type only.
import { createCampaignApiActivities, createCampaignLedgerActivities } from './campaign/index.ts';
import { createCardActivities } from './cards.ts';
import { createCatalogActivities } from './catalog.ts';
import { createContactActivities } from './contacts.ts';
import { createDeliveryActivities, createDeliveryLedgerActivities } from './delivery.ts';
import type { Deps } from './deps.ts';
import { createEffectActivities } from './effects/index.ts';
import { createIntakeActivities } from './intake.ts';
import { createOutboxActivities } from './outbox.ts';
import { createPollControlActivities } from './polling/control.ts';
import { createPollingActivities } from './polling/index.ts';
import { createSinkActivities } from './sinks.ts';
import { createSettlementActivities, createSnapshotActivities } from './snapshot.ts';
import { createSyncPlanActivities } from './sync-plan.ts';

/** Activities of the work queue: the ledger, the sources and the sinks. */
export function createLedgerActivities(deps: Deps) {
  return {
    ...createSyncPlanActivities(deps),
    ...createSettlementActivities(deps),
    ...createSinkActivities(deps),
    ...createOutboxActivities(deps),
    ...createIntakeActivities(deps),
    ...createDeliveryLedgerActivities(deps),
    ...createPollControlActivities(deps),
    ...createCampaignLedgerActivities(deps),
  };
}

/** Activities of the API queue: each is one call of the API. */
export function createApiActivities(deps: Deps) {
  return {
    ...createCatalogActivities(deps),
    ...createSnapshotActivities(deps),
    ...createContactActivities(deps),
    ...createCardActivities(deps),
    ...createEffectActivities(deps),
    ...createPollingActivities(deps),
    ...createDeliveryActivities(deps),
    ...createCampaignApiActivities(deps),
  };
}

export type Activities = ReturnType<typeof createLedgerActivities> & ReturnType<typeof createApiActivities>;
