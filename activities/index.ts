// Creates all activities from their dependencies. Workflows import only their type.
import { createCampaignApiActivities, createCampaignLedgerActivities } from './campaigns/index.ts';
import { createPollControlActivities, createPollingActivities } from './conversations/index.ts';
import { createDeliveryActivities, createDeliveryLedgerActivities } from './events/delivery.ts';
import { createIntakeActivities } from './events/intake.ts';
import { createEventActivities } from './events/work-event.ts';
import { createOutboxActivities } from './outbox/outbox.ts';
import { createCatalogActivities } from './records/catalog.ts';
import type { Deps } from './shared/deps.ts';
import { withHeartbeats } from './shared/heartbeats.ts';
import { createSnapshotActivities } from './sync/snapshot.ts';
import { createSettlementActivities } from './sync/snapshot-settle.ts';
import { createSyncBatchActivities } from './sync/sync-batch.ts';
import { createSyncPlanActivities } from './sync/sync-plan.ts';

export { createEventActivities };

/** Activities of the work queue: the ledger, the sources and the sinks. */
export function createLedgerActivities(deps: Deps) {
  const activities = {
    ...createSyncPlanActivities(deps),
    ...createSettlementActivities(deps),
    ...createOutboxActivities(deps),
    ...createIntakeActivities(deps),
    ...createDeliveryLedgerActivities(deps),
    ...createPollControlActivities(deps),
    ...createCampaignLedgerActivities(deps),
  };
  return around(activities, (work) => withHeartbeats(work));
}

/** Activities of the API queue. */
export function createApiActivities(deps: Deps) {
  const activities = {
    ...createCatalogActivities(deps),
    ...createSnapshotActivities(deps),
    ...createSyncBatchActivities(deps),
    ...createPollingActivities(deps),
    ...createDeliveryActivities(deps),
    ...createCampaignApiActivities(deps),
  };
  // Writes the counted calls to the ledger before an activity ends, so that the run's report has all of them.
  const counted = around(activities, (work) => withHeartbeats(work).finally(() => deps.calls.flush()));
  return counted;
}

/** Returns the same activities, each run through `run`. */
function around<A extends object>(activities: A, run: <T>(work: () => Promise<T>) => Promise<T>): A {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    (...input: unknown[]) => run(() => (activity as (...input: unknown[]) => Promise<unknown>)(...input)),
  ]);
  return Object.fromEntries(wrapped) as A;
}

export type Activities = ReturnType<typeof createLedgerActivities> &
  ReturnType<typeof createApiActivities> &
  ReturnType<typeof createEventActivities>;
