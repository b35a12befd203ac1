// Starts the workflows of accepted events.
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import pLimit from 'p-limit';
import { leadIntakeIdentity } from '../contracts/ids.ts';
import type { Tracing } from '../contracts/tracing.ts';
import { type EventDraft, eventLane, type LeadIntakeInput } from '../contracts/wire/intake.ts';
import { NotAcceptedError, type Route } from './intake.ts';

/**
 * A start without an answer after this time is given up. A repeated start finds the workflow that the first one
 * created.
 */
const START_MS = 5000;
/** After a failed start, other senders are refused at once for this time. Then Temporal is asked again. */
const REST_MS = 1000;
/**
 * Maximum number of starts in progress per process. Temporal's rate does not rise beyond it, and each start has
 * `START_MS`.
 */
export const STARTS = 16;
/** Tasks of these workflows take precedence over those of syncs. */
const PRIORITY = { priorityKey: 2 };

export interface Starts {
  /**
   * Starts one workflow for these events. One that exists already is the desired outcome.
   * @param key identifies the workflow among those of the route
   * @param until `performance.now()` after which the start does not begin any more
   * @throws NotAcceptedError `TEMPORAL`; `BUSY` if it did not begin
   */
  start(
    route: Route,
    key: string,
    events: readonly [EventDraft, ...EventDraft[]],
    until?: number,
  ): Promise<void>;
  /** Whether further starts wait for one in progress. */
  isFull(): boolean;
}

export interface StartsOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly tracing: Tracing;
  /** Hears how many milliseconds each start took. */
  readonly took: (ms: number) => void;
}

export function createStarts({ client, taskQueue, tracing, took }: StartsOptions): Starts {
  const starts = pLimit(STARTS);
  let restUntil = 0;

  async function startNow(
    { name: route, config }: Route,
    key: string,
    [first, ...others]: readonly [EventDraft, ...EventDraft[]],
    until: number,
  ) {
    const begun = performance.now();
    if (begun > until)
      throw new NotAcceptedError(
        'BUSY',
        REST_MS,
        'the event waited too long for its start, which did not begin',
      );
    if (performance.now() < restUntil)
      throw new NotAcceptedError('TEMPORAL', REST_MS, 'Temporal did not answer a moment ago');
    const { account } = first;
    const events = [first, ...others].map(({ id }) => id);
    const input: LeadIntakeInput = { account, route, lane: eventLane(config.action.type, route), events };
    try {
      await client.connection.withDeadline(Date.now() + START_MS, () =>
        client.workflow.start('leadIntake', {
          ...leadIntakeIdentity(account, route, key),
          taskQueue,
          args: [input],
          // The ledger knows what has ended. Temporal may still have a closed workflow of an event that a restored
          // ledger has forgotten.
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          priority: PRIORITY,
        }),
      );
    } catch (error) {
      // An earlier attempt whose answer was lost, or another process, started it, and it runs. That is the goal.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      // Not by wall-clock time: a clock set back would refuse everybody.
      restUntil = performance.now() + REST_MS;
      const { message: what, cause } = error as Error;
      // "Failed to start Workflow" alone does not say why.
      const why = cause instanceof Error ? `: ${cause.message}` : '';
      const message = `Temporal did not accept a start: ${what}${why}`;
      throw new NotAcceptedError('TEMPORAL', REST_MS, message, { cause: error });
    } finally {
      took(performance.now() - begun);
    }
  }

  /** The start of several events belongs to none of their traces, so it links to each of them. */
  function traced(
    route: Route,
    events: readonly [EventDraft, ...EventDraft[]],
    work: () => Promise<void>,
  ): Promise<void> {
    const [first, ...others] = events;
    const isOne = others.length === 0;
    return tracing.within(
      {
        name: 'start leadIntake',
        kind: 'producer',
        parent: isOne ? (first.trace ?? null) : null,
        links: isOne ? [] : events.flatMap(({ trace }) => trace ?? []),
        attributes: {
          'sluice.account': first.account,
          'sluice.route': route.name,
          'sluice.events': events.length,
        },
      },
      work,
    );
  }

  return {
    start(route, key, events, until = Number.POSITIVE_INFINITY) {
      const start = () => starts(() => startNow(route, key, events, until));
      return tracing.isOn ? traced(route, events, start) : start();
    },
    isFull: () => starts.activeCount === STARTS,
  };
}
