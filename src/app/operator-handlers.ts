// The handlers of all endpoints.

import { campaignHandlers } from '../jobs/campaigns/operator/index.ts';
import { campaignTestHandlers } from '../jobs/campaigns/operator/test-send.ts';
import { conversationHandlers } from '../jobs/conversations/operator/conversations.ts';
import { pollerHandlers } from '../jobs/conversations/operator/index.ts';
import { eventCorrectionHandlers } from '../jobs/events/operator/event-corrections.ts';
import { eventHandlers } from '../jobs/events/operator/events.ts';
import { refusalHandlers } from '../jobs/events/operator/index.ts';
import { createDeadLetters } from '../jobs/events/operator/letters.ts';
import { messageHandlers } from '../jobs/events/operator/messages.ts';
import { refusedRequestHandlers } from '../jobs/events/operator/refused-requests.ts';
import { outboxHandlers } from '../jobs/outbox/operator/index.ts';
import { correctionHandlers } from '../jobs/sync/operator/corrections.ts';
import { definitionHandlers } from '../jobs/sync/operator/definitions.ts';
import { firstSyncHandlers } from '../jobs/sync/operator/first-sync.ts';
import { syncHandlers } from '../jobs/sync/operator/index.ts';
import { planHandlers } from '../jobs/sync/operator/plans.ts';
import type { Route } from '../operator/contract/index.ts';
import { accountHandlers } from '../operator/service/accounts.ts';
import { codecHandlers } from '../operator/service/codec.ts';
import type { Handlers, OperatorDeps } from '../operator/service/deps.ts';
import { identityHandlers } from '../operator/service/identity/index.ts';
import { ledgerHandlers } from '../operator/service/ledger.ts';
import { noticeHandlers } from '../operator/service/notices.ts';
import { createOperatorEvents } from '../operator/service/operator-events.ts';
import { optOutHandlers } from '../operator/service/opt-outs/index.ts';
import { overviewHandlers } from '../operator/service/overview/index.ts';
import { defaultProbes } from '../operator/service/overview/probes.ts';
import { peopleHandlers } from '../operator/service/people/index.ts';
import { scheduleHandlers } from '../operator/service/schedules/index.ts';
import { settingsHandlers } from '../operator/service/settings.ts';

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
    ...optOutHandlers(deps),
    ...outboxHandlers(deps),
    ...noticeHandlers(deps),
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
