// The handlers of all endpoints.
import type { Route } from '../../contracts/operator/index.ts';
import { accountHandlers } from './accounts.ts';
import { campaignHandlers } from './campaigns/index.ts';
import { refusalHandlers } from './dead-letters/index.ts';
import type { Handlers, OperatorDeps } from './deps.ts';
import { eventHandlers } from './events.ts';
import { firstSyncHandlers } from './first-sync.ts';
import { identityHandlers } from './identity.ts';
import { messageHandlers } from './messages.ts';
import { outboxHandlers } from './outbox.ts';
import { overviewHandlers } from './overview.ts';
import { peopleHandlers } from './people.ts';
import { planHandlers } from './plans.ts';
import { pollerHandlers } from './pollers/index.ts';
import { scheduleHandlers } from './schedules.ts';
import { settingsHandlers } from './settings.ts';
import { syncHandlers } from './syncs.ts';

export function createHandlers(deps: OperatorDeps): Handlers<Route> {
  return {
    ...accountHandlers(deps),
    ...campaignHandlers(deps),
    ...eventHandlers(deps),
    ...firstSyncHandlers(deps),
    ...identityHandlers(deps),
    ...messageHandlers(deps),
    ...outboxHandlers(deps),
    ...overviewHandlers(deps),
    ...peopleHandlers(deps),
    ...pollerHandlers(deps),
    ...refusalHandlers(deps),
    ...settingsHandlers(deps),
    ...planHandlers(deps),
    ...scheduleHandlers(deps),
    ...syncHandlers(deps),
  };
}
