// Failed events that operators correct and replay. Refused requests are replayed the same way, from their bodies.

import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { EVENT_CORRECTIONS } from '../contract/event-corrections.ts';
import type { EventDraft } from '../contract/intake.ts';
import type { Route } from '../ingress/intake.ts';
import { subjectOf } from '../rules/actions.ts';
import { findEvent, type StoredEvent } from '../store/event-queries.ts';
import {
  claimReplacement,
  releaseReplacement,
  replacementId,
  settleReplacement,
} from '../store/event-replacements.ts';
import { correct } from './correct-request.ts';
import { noEvent } from './events.ts';
import { acceptAgain, type ReadNow, shownOf } from './read-now.ts';

export function eventCorrectionHandlers(deps: OperatorDeps): Handlers<keyof typeof EVENT_CORRECTIONS> {
  const { db } = deps;

  /** @throws OperatorError unless the event has failed, and nothing has taken its place */
  async function failedEvent(id: string): Promise<StoredEvent> {
    const event = await findEvent(db, id);
    if (event === null) throw noEvent([id]);
    if (event.replacedBy !== null) throw replaced(id, event.replacedBy);
    if (event.outcome !== 'failed' || event.request === null) throw notFailed(event);
    return event;
  }

  async function routeOf({ route, account }: StoredEvent): Promise<Route | undefined> {
    const routes = await deps.tools.routes();
    return routes.find(({ name, config }) => name === route && config.account === account);
  }

  return {
    'POST /events/{event}/dry-run': async ({ event: id, request, unmask }, { identity }) =>
      await deps.tools.expensive.run(identity, async () => {
        const event = await failedEvent(id);
        const route = await routeOf(event);
        return { now: route === undefined ? noRoute(event) : shownOf(readAgain(event, request), unmask) };
      }),

    'POST /events/{event}/replay': async ({ event: id, request }) => {
      const event = await failedEvent(id);
      const route = await routeOf(event);
      if (route === undefined) return { result: { id, ...noRoute(event) } };
      const read = readAgain(event, request);
      if (read.outcome !== 'read') return { result: { id, ...read } };
      const [draft] = read.drafts as [EventDraft];
      if (!(await claimReplacement(db, id, draft.id))) throw inUse(id);
      const acceptance = await deps.tools.openAcceptance();
      try {
        const events = await acceptAgain(acceptance, route, { id, drafts: [draft] });
        await settleReplacement(db, id, draft.id);
        return { result: { id, outcome: 'accepted', events } };
      } catch (error) {
        await releaseReplacement(db, id, draft.id);
        throw error;
      } finally {
        await acceptance.close();
      }
    },
  };
}

/** The corrected event, in the order of the old one. */
function readAgain({ id, account, route, rank, request: stored }: StoredEvent, given: unknown): ReadNow {
  if (stored === null) throw new Error(`the event ${id} has no request`);
  const corrected = correct(stored, given);
  if (!corrected.ok) return { outcome: 'refused', code: 'SCHEMA', reason: corrected.reason };
  const { request } = corrected;
  const draft = {
    account,
    route,
    id: replacementId(id, request),
    subject: subjectOf(request),
    rank,
    request,
  };
  return { outcome: 'read', drafts: [draft] };
}

function noRoute({ route, account }: StoredEvent) {
  const reason = `the configuration has no route "${route}" for the account "${account}"; send what is missing another way`;
  return { outcome: 'no route', reason } as const;
}

function replaced(id: string, by: string): OperatorError {
  return new OperatorError(
    'conflict',
    `${id} was replaced by the event ${by}; correct that one if it failed`,
    {
      code: 'EVENT_REPLACED',
    },
  );
}

function inUse(id: string): OperatorError {
  return new OperatorError(
    'conflict',
    `another correction of ${id} is under way, or Temporal has not confirmed it; repeat that one, or wait a day`,
    { code: 'EVENT_REPLACED' },
  );
}

function notFailed({ id, outcome, state }: StoredEvent): OperatorError {
  const now = outcome ?? (state === 'received' ? 'not accepted yet' : 'open');
  return new OperatorError('conflict', `only a failed event can be corrected; ${id} is ${now}`, {
    code: 'EVENT_NOT_FAILED',
  });
}
