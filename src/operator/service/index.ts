// The handlers of all endpoints.
import type { Route } from '../../contracts/operator/index.ts';
import { accountHandlers } from './accounts.ts';
import { campaignHandlers } from './campaigns/index.ts';
import { campaignTestHandlers } from './campaigns/test-send.ts';
import { codecHandlers } from './codec.ts';
import { conversationHandlers } from './conversations.ts';
import { eventCorrectionHandlers } from './dead-letters/event-corrections.ts';
import { refusalHandlers } from './dead-letters/index.ts';
import { createDeadLetters } from './dead-letters/letters.ts';
import { refusedRequestHandlers } from './dead-letters/refused-requests.ts';
import type { Handlers, OperatorDeps } from './deps.ts';
import { eventHandlers } from './events.ts';
import { identityHandlers } from './identity/index.ts';
import { ledgerHandlers } from './ledger.ts';
import { messageHandlers } from './messages.ts';
import { createOperatorEvents } from './operator-events.ts';
import { outboxHandlers } from './outbox.ts';
import { overviewHandlers } from './overview/index.ts';
import { defaultProbes } from './overview/probes.ts';
import { peopleHandlers } from './people/index.ts';
import { pollerHandlers } from './pollers/index.ts';
import { scheduleHandlers } from './schedules/index.ts';
import { settingsHandlers } from './settings.ts';
import { correctionHandlers } from './syncs/corrections.ts';
import { definitionHandlers } from './syncs/definitions.ts';
import { firstSyncHandlers } from './syncs/first-sync.ts';
import { syncHandlers } from './syncs/index.ts';
import { planHandlers } from './syncs/plans.ts';

export function createHandlers(deps: OperatorDeps): Handlers<Route> {
  const letters = createDeadLetters(deps);
  const events = createOperatorEvents(deps);
  return {
    ...accountHandlers(deps),
    ...campaignHandlers(deps),
    ...campaignTestHandlers(deps, events),
    ...codecHandlers(deps),
    ...conversationHandlers(deps),
    ...correctionHandlers(deps),
    ...eventHandlers(deps),
    ...eventCorrectionHandlers(deps),
    ...firstSyncHandlers(deps),
    ...identityHandlers(deps),
    ...ledgerHandlers(deps),
    ...messageHandlers(deps, events),
    ...outboxHandlers(deps),
    ...overviewHandlers(deps, defaultProbes(deps, letters)),
    ...peopleHandlers(deps),
    ...pollerHandlers(deps),
    ...refusalHandlers(deps, letters),
    ...refusedRequestHandlers(deps),
    ...settingsHandlers(deps),
    ...planHandlers(deps),
    ...scheduleHandlers(deps),
    ...definitionHandlers(deps),
    ...syncHandlers(deps),
  };
}
