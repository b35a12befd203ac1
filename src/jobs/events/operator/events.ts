// Incoming events as operators see and retry them.
import { randomUUID } from 'node:crypto';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { retrySignal } from '../../../../workflows/messages.ts';
import { leadIntakeIdentity, leadIntakeWorkflowId, OWN_ROUTE_SIGNS } from '../../../core/ids.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { maskRequest } from '../../../operator/service/masking.ts';
import { badCursor, beforeId } from '../../../operator/service/page.ts';
import { isRunning } from '../../../operator/service/workflows.ts';
import type { EVENTS, EventFilter } from '../contract/events.ts';
import type { LeadIntakeInput } from '../contract/intake.ts';
import { listDeliveries } from '../store/delivery-queries.ts';
import {
  callsOfEvent,
  findEvent,
  hasRetryable,
  listEvents,
  openEvents,
  type ReopenedEvents,
  readEventValues,
  reopenEvents,
  type StoredEvent,
} from '../store/event-queries.ts';
import { resolveUnknownEvents } from '../store/resolve-unknown.ts';

/** Calls and messages of one event, at most. */
const HISTORY = 100;

export function eventHandlers(deps: OperatorDeps): Handlers<keyof typeof EVENTS> {
  const { db } = deps;
  return {
    'GET /events': async ({ limit, before, ...filter }) =>
      await listEvents(db, filter, { limit, before: beforeId(before) }),

    'GET /event-values': () => readEventValues(db),

    'GET /events/{event}': async ({ event: id, unmask }) => {
      const event = await findEvent(db, id);
      if (event === null) throw noEvent([id]);
      const { messages } = await listDeliveries(db, { event: id }, { limit: HISTORY });
      const { request } = event;
      return {
        ...event,
        request: request === null || unmask ? request : maskRequest(request),
        calls: await callsOfEvent(db, id, HISTORY),
        canCorrect: canCorrect(event),
        messages,
      };
    },

    'POST /events/retry': async (input, { identity }) => {
      const { limit, reason: _, ...filter } = input;
      await requireAll(deps, filter);
      const nothing = { retried: [], continued: [], workflows: 0, left: [...(filter.ids ?? [])] };
      if (!(await hasRetryable(db, filter))) return nothing;
      const client = await deps.temporal();
      const { gone, continued, workflows } = await wakeBlocked(deps, client, filter, limit);
      const key = `retry-${randomUUID()}`;
      const routes = await db.transaction((tx) =>
        reopenEvents(tx, filter, {
          limit,
          gone,
          workflowOf: (account, route) => leadIntakeWorkflowId(account, route, key),
        }),
      );
      const retried = routes.flatMap(({ events }) => events);
      deps.log.warn({ by: identity, events: retried.length, workflows }, 'an operator retries events');
      for (const route of routes) await startIntake(deps, client, key, route);
      const again = new Set([...retried, ...continued]);
      const left = (filter.ids ?? []).filter((id) => !again.has(id));
      return { retried, continued, workflows, left };
    },

    'POST /events/resolve': async ({ ids }, { identity }) => {
      await requireAll(deps, { ids });
      const resolved = await resolveUnknownEvents(db, ids);
      deps.log.warn({ by: identity, events: resolved.length }, 'an operator resolves events');
      return { resolved };
    },

    'GET /deliveries': async ({ limit, before, ...filter }) => {
      if (before !== undefined && !/^\d{4}-[\d\-T:.]+Z_[0-9a-f]{32}$/.test(before)) throw badCursor();
      return await listDeliveries(db, filter, { limit, before: before ?? null });
    },
  };
}

const canCorrect = ({ outcome, request, replacedBy, route }: StoredEvent) =>
  outcome === 'failed' &&
  request !== null &&
  replacedBy === null &&
  !OWN_ROUTE_SIGNS.some((sign) => route.startsWith(sign));

export function noEvent(ids: readonly string[]): OperatorError {
  return new OperatorError(
    'notFound',
    `there is no event ${ids.map((id) => `"${id}"`).join(', ')}; the 202 gave its id, and so does the list of events`,
    { code: 'NO_SUCH_EVENT' },
  );
}

/** @throws OperatorError when one of the ids does not exist */
async function requireAll({ db }: OperatorDeps, { ids }: EventFilter): Promise<void> {
  if (ids === undefined) return;
  const { events } = await listEvents(db, { ids }, { limit: ids.length });
  const known = new Set(events.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) throw noEvent(missing);
}

interface Woken {
  /** Workflows that ended, or were terminated, and left events open. */
  readonly gone: readonly string[];
  /** Ids of blocked events whose workflow was signaled to go on, and the number of these workflows. */
  readonly continued: string[];
  readonly workflows: number;
}

/** A workflow that still runs has its events: those that are blocked only wait for a signal. */
async function wakeBlocked(
  { db }: OperatorDeps,
  client: Client,
  filter: EventFilter,
  limit: number,
): Promise<Woken> {
  const gone: string[] = [];
  const continued: string[] = [];
  let workflows = 0;
  for (const { workflow, events, blocked } of await openEvents(db, filter, limit)) {
    const handle = client.workflow.getHandle(workflow);
    if (!(await isRunning(handle))) {
      gone.push(workflow);
    } else if (blocked) {
      await handle.signal(retrySignal);
      workflows += 1;
      continued.push(...events);
    }
  }
  return { gone, continued, workflows };
}

async function startIntake(
  { workQueue }: OperatorDeps,
  client: Client,
  key: string,
  { account, route, lane, events }: ReopenedEvents,
): Promise<void> {
  const input: LeadIntakeInput = { account, route, lane, events };
  try {
    await client.workflow.start('leadIntake', {
      ...leadIntakeIdentity(account, route, key),
      taskQueue: workQueue,
      args: [input],
    });
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    throw new OperatorError(
      'unavailable',
      `Temporal did not accept the retry: ${error.message}. Retry again; the events are open, and no workflow has them`,
      { code: 'TEMPORAL', cause: error },
    );
  }
}
