// Starts the workflows of accepted events.
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import pLimit from 'p-limit';
import { leadIntakeIdentity } from '../../../core/ids.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';
import type { Tracing } from '../../../core/tracing.ts';
import { type EventDraft, eventLane, type LeadIntakeInput } from '../contract/intake.ts';
import type { Arrival } from './deadline.ts';
import { NotAcceptedError, type Route } from './intake.ts';

/**
 * A start without an answer after this time is given up. A repeated start finds the workflow that the first one
 * created. Shorter than `ANSWER_MS`, so that the sender and the log hear that it was Temporal.
 */
const START_MS = 4000;
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
   * Starts one workflow for those events whose deadline has not passed when their turn comes. A workflow that exists
   * already is the desired outcome.
   * @returns the events that it was started for
   * @throws NotAcceptedError `TEMPORAL`
   */
  start(route: Route, arrivals: readonly [Arrival, ...Arrival[]]): Promise<readonly EventDraft[]>;
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
    arrivals: readonly Arrival[],
  ): Promise<readonly EventDraft[]> {
    const begun = performance.now();
    if (begun < restUntil)
      throw new NotAcceptedError('TEMPORAL', REST_MS, 'Temporal did not answer a moment ago');
    const drafts = arrivals.filter(({ deadline }) => deadline.begin()).map(({ draft }) => draft);
    const [first] = drafts;
    if (first === undefined) return [];
    const { account } = first;
    const events = drafts.map(({ id }) => id);
    // One name for a set of events, whatever else the workflow is started with.
    const key = drafts.length === 1 ? first.id : shortHash(events.join(' '));
    const input: LeadIntakeInput = { account, route, lane: eventLane(config.action.type, route), events };
    try {
      await answered(
        client.connection.withDeadline(Date.now() + START_MS, () =>
          client.workflow.start('leadIntake', {
            ...leadIntakeIdentity(account, route, key),
            taskQueue,
            args: [input],
            // The ledger knows what has ended. Temporal may still have a closed workflow of an event that a restored
            // ledger has forgotten.
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            priority: PRIORITY,
          }),
        ),
      );
    } catch (error) {
      // An earlier attempt whose answer was lost, or another process, started it, and it runs. That is the goal.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return drafts;
      // Not by wall-clock time: a clock set back would refuse everybody.
      restUntil = performance.now() + REST_MS;
      const { message: what, cause } = error as Error;
      // "Failed to start Workflow" alone does not say why.
      const why = cause instanceof Error ? `: ${cause.message}` : '';
      const message = `Temporal did not accept a start: ${what}${why}`;
      throw new NotAcceptedError('TEMPORAL', REST_MS, message, { cause: error, mayTakeEffect: true });
    } finally {
      took(performance.now() - begun);
    }
    return drafts;
  }

  /** The start of several events belongs to none of their traces, so it links to each of them. */
  function traced<T>(
    route: Route,
    arrivals: readonly [Arrival, ...Arrival[]],
    work: () => Promise<T>,
  ): Promise<T> {
    const [{ draft: first }, ...others] = arrivals;
    const isOne = others.length === 0;
    return tracing.within(
      {
        name: 'start leadIntake',
        kind: 'producer',
        parent: isOne ? (first.trace ?? null) : null,
        links: isOne ? [] : arrivals.flatMap(({ draft: { trace } }) => trace ?? []),
        attributes: {
          'sluice.account': first.account,
          'sluice.route': route.name,
          'sluice.events': arrivals.length,
        },
      },
      work,
    );
  }

  return {
    start(route, arrivals) {
      const start = () => starts(() => startNow(route, arrivals));
      return tracing.isOn ? traced(route, arrivals, start) : start();
    },
    isFull: () => starts.activeCount === STARTS,
  };
}

/** The first connection has a longer limit of its own, which no deadline of a call shortens. */
async function answered<T>(start: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${START_MS / 1000} s`)), START_MS);
  });
  try {
    return await Promise.race([start, late]);
  } finally {
    clearTimeout(timer);
  }
}
