// Gives each activity a span. The activity of an event continues the trace that the ledger has for the event; any other
// activity begins a trace, so that the trace of a batch stays as small as a minute of calls.
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { ActivityLog } from '../activities/shared/deps.ts';
import type { Queryable } from '../src/core/sql/database.ts';
import type { SpanAttributes, SpanDraft, Tracing } from '../src/core/tracing.ts';
import { tracedEvent } from '../src/jobs/events/store/events.ts';

/** Fields of inputs that are names of the configuration or ids. */
const SHOWN = new Set(['account', 'sync', 'run', 'campaign', 'poller', 'sink', 'event']);

export interface TracedActivitiesOptions {
  readonly tracing: Tracing;
  readonly db: Queryable;
  readonly log: ActivityLog;
}

export function tracedActivities({ tracing, db, log }: TracedActivitiesOptions): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const { activityType, workflowType, workflowExecution, attempt, taskQueue } = info;
        const [first] = input.args;
        const given = inputAttributes(first);
        const attributes: SpanAttributes = {
          ...given,
          'temporal.activity': activityType,
          'temporal.workflow': workflowType,
          'temporal.workflow_id': workflowExecution?.workflowId,
          'temporal.run_id': workflowExecution?.runId,
          'temporal.attempt': attempt,
          'temporal.task_queue': taskQueue,
        };
        const event = activityType === 'workEvent' ? given['sluice.event'] : undefined;
        const draft = typeof event === 'string' ? await draftOf(event, attributes) : null;
        return await tracing.within(
          draft ?? { name: activityType, parent: null, attributes },
          async (span) => {
            const result: unknown = await next(input);
            span.set(resultAttributes(result));
            return result;
          },
        );
      },
    },
  });

  async function draftOf(event: string, attributes: SpanAttributes): Promise<SpanDraft | null> {
    try {
      const found = await tracedEvent(db, event);
      if (found === null) return null;
      const { route, action, trace, ageMs } = found;
      return {
        name: `event ${route}`,
        kind: 'consumer',
        parent: trace,
        attributes: {
          ...attributes,
          'sluice.route': route,
          'sluice.action': action,
          'sluice.event_age_ms': Math.round(ageMs),
        },
      };
    } catch (error) {
      // The activity itself fails, or waits, if the ledger stays away.
      log.warn({ err: error, event }, 'the trace of an event could not be read; its work begins a new one');
      return null;
    }
  }
}

function inputAttributes(input: unknown): SpanAttributes {
  if (typeof input !== 'object' || input === null) return {};
  const fields = Object.entries(input).filter(([name, value]) => SHOWN.has(name) && isName(value));
  return Object.fromEntries(fields.map(([name, value]) => [`sluice.${name}`, value as string]));
}

const isName = (value: unknown) => typeof value === 'string' && value.length <= 200;

/** How far an event, or a batch, got: `state` and `nextMs` of the result. */
function resultAttributes(result: unknown): SpanAttributes {
  if (typeof result !== 'object' || result === null) return {};
  const { state, nextMs } = result as { readonly state?: unknown; readonly nextMs?: unknown };
  return {
    'sluice.state': typeof state === 'string' ? state : undefined,
    'sluice.next_ms': typeof nextMs === 'number' ? nextMs : undefined,
  };
}
