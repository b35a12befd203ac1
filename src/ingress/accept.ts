// Accepts events. It writes an event to the ledger, then starts a workflow, and only then answers the sender.

import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import pLimit from 'p-limit';
import { durationMs } from '../contracts/config/config-base.ts';
import { leadIntakeIdentity } from '../contracts/ids.ts';
import {
  type EventDraft,
  type EventState,
  eventLane,
  type LeadIntakeInput,
} from '../contracts/wire/intake.ts';
import { type Database, LedgerError } from '../ledger/database.ts';
import { addEvents, markAccepted } from '../ledger/events/events.ts';
import { type IntakeSpec, openIntakeRun } from '../ledger/events/intake-runs.ts';
import { shortHash } from '../ledger/short-hash.ts';
import { type Batcher, createBatcher } from './batcher.ts';
import { createCapacity } from './capacity.ts';
import { eachInOrder } from './in-order.ts';
import { type Acceptance, type Accepted, NotAcceptedError, type Route } from './intake.ts';

/**
 * A start without an answer after this time is given up. A repeated start finds the workflow that the first one
 * created.
 */
const START_MS = 5000;
const READY_MS = 2000;
/** After a failed start, other senders are refused at once for this time. Then Temporal is asked again. */
const REST_MS = 1000;
/**
 * Maximum number of starts in progress per process. Temporal's rate does not rise beyond it, and each start has
 * `START_MS`.
 */
const STARTS = 16;
/** Maximum number of rows in one ledger statement, for senders that arrive at the same time. */
const ROWS = 256;
/** How long the first of them waits for others while Temporal is busy. */
const GATHER_MS = 25;
/** Maximum number of groups of a route in progress at once, where it batches. */
const GROUPS = 4;
/** Tasks of these workflows take precedence over those of syncs. */
const PRIORITY = { priorityKey: 2 };

export interface AcceptanceOptions {
  readonly client: Client;
  readonly db: Database;
  readonly taskQueue: string;
  readonly maxOpen: number;
  readonly maxDelayMs: number;
  callsPerMinute(account: string): number;
  /** What the steps of this route's events need to know. */
  specOf(route: Route): IntakeSpec;
}

export function createAcceptance(options: AcceptanceOptions): Acceptance {
  const { client, db } = options;
  const capacity = createCapacity(options);
  const runs = new Map<string, Promise<string>>();
  const starts = pLimit(STARTS);
  /** While starts wait for each other anyway, every saved commit gives Temporal more disk time. */
  const gatherMs = () => (starts.activeCount === STARTS ? GATHER_MS : 0);
  /**
   * One statement serves all senders that arrive while another is in progress. Alone, each would wait for its own
   * commit.
   */
  const writers = new Map<string, Batcher<EventDraft, EventState>>();
  const marker = createBatcher<string, undefined>({
    max: ROWS,
    waitMs: gatherMs,
    groups: 1,
    handOn: async (ids) => {
      await markAccepted(db, ids);
      return ids.map(() => undefined);
    },
  });
  const batchers = new Map<string, Batcher<EventDraft, Accepted>>();
  /** Events whose start is in progress. A duplicate that arrives meanwhile waits for the same answer. */
  const starting = new Map<string, Promise<unknown>>();
  const underWay = new Set<Promise<unknown>>();
  let restUntil = 0;
  let closing = false;

  /** Opened at the first event, so that an unavailable ledger does not keep the process from starting. */
  function runOf(route: Route): Promise<string> {
    const known = runs.get(route.name);
    if (known !== undefined) return known;
    const opened = openIntakeRun(db, options.specOf(route));
    runs.set(route.name, opened);
    opened.catch(() => runs.delete(route.name));
    return opened;
  }

  function write(route: Route, drafts: readonly EventDraft[]): Promise<EventState[]> {
    let writer = writers.get(route.name);
    if (writer === undefined) {
      writer = createBatcher({
        max: ROWS,
        waitMs: gatherMs,
        groups: 1,
        handOn: async (group) => await addEvents(db, await runOf(route), group),
      });
      writers.set(route.name, writer);
    }
    return writer.add(drafts);
  }

  const start = (account: string, route: Route, key: string, events: readonly string[]) =>
    starts(() => startNow(account, route, key, events));

  async function startNow(
    account: string,
    { name: route, config }: Route,
    key: string,
    events: readonly string[],
  ) {
    if (performance.now() < restUntil)
      throw new NotAcceptedError('TEMPORAL', REST_MS, 'Temporal did not answer a moment ago');
    const input: LeadIntakeInput = { account, route, lane: eventLane(config.action.type, route), events };
    try {
      await client.connection.withDeadline(Date.now() + START_MS, () =>
        client.workflow.start('leadIntake', {
          ...leadIntakeIdentity(account, route, key),
          taskQueue: options.taskQueue,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          priority: PRIORITY,
        }),
      );
    } catch (error) {
      // An earlier attempt whose answer was lost, or another process, started it. That is the desired outcome.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      // Not by wall-clock time: a clock set back would refuse everybody.
      restUntil = performance.now() + REST_MS;
      const message = `Temporal did not accept a start: ${(error as Error).message}`;
      throw new NotAcceptedError('TEMPORAL', REST_MS, message, { cause: error });
    }
  }

  /** Writes the events down, starts their workflows and marks them: one start for all, or one each. */
  async function take(route: Route, drafts: readonly EventDraft[], together: boolean): Promise<Accepted[]> {
    const seen = new Set<string>();
    const unique = drafts.filter(({ id }) => !seen.has(id) && seen.add(id));
    const states = await ledger(() => write(route, unique));
    const fresh = unique.filter((_, n) => states[n] === 'received');
    const account = fresh[0]?.account ?? '';
    let failure: { error: unknown } | null = null;
    let begun: readonly EventDraft[] = fresh;
    if (fresh.length > 0 && together) {
      const ids = fresh.map(({ id }) => id);
      await start(account, route, ids.length === 1 ? (ids[0] as string) : hashOf(ids), ids);
    } else {
      const each = await eachInOrder(
        fresh,
        ({ subject }) => subject,
        STARTS,
        ({ id }) => start(account, route, id, [id]),
      );
      begun = each.done;
      failure = each.failure;
    }
    if (begun.length > 0) await ledger(() => marker.add(begun.map(({ id }) => id)));
    if (failure !== null) throw failure.error;
    return answersOf(drafts, unique, states);
  }

  function acceptNow(route: Route, drafts: readonly EventDraft[]): Promise<Accepted[]> {
    const { batch } = route.config;
    if (batch === undefined) return take(route, drafts, false);
    let batcher = batchers.get(route.name);
    if (batcher === undefined) {
      const { max } = batch;
      batcher = createBatcher({
        max,
        waitMs: () => durationMs(batch.wait),
        groups: GROUPS,
        handOn: async (group) => {
          const answers: Accepted[] = [];
          for (let from = 0; from < group.length; from += max)
            answers.push(...(await take(route, group.slice(from, from + max), true)));
          return answers;
        },
      });
      batchers.set(route.name, batcher);
    }
    return batcher.add(drafts);
  }

  async function accept(route: Route, drafts: readonly EventDraft[]): Promise<Accepted[]> {
    if (drafts.length === 0) return [];
    if (closing) throw new NotAcceptedError('CLOSING', REST_MS, 'this process is shutting down');
    await ledger(() => capacity.requireOpenCapacity(route.config.account));
    const [only] = drafts;
    if (drafts.length > 1 || only === undefined) return await acceptNow(route, drafts);
    // Impatient senders repeat an event in a burst. Such a burst costs one start.
    const same = starting.get(only.id);
    if (same !== undefined) {
      await same;
      return [{ id: only.id, duplicate: true }];
    }
    const accepted = acceptNow(route, drafts);
    starting.set(only.id, accepted);
    try {
      return await accepted;
    } finally {
      starting.delete(only.id);
    }
  }

  return {
    async accept(route, drafts) {
      const work = accept(route, drafts);
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
      }
    },
    requireCapacity: (account) => ledger(() => capacity.requireTime(account)),
    loads: () => ledger(() => capacity.loads()),
    async ready() {
      await ledger(() => db.query('select 1'));
      try {
        await client.connection.withDeadline(Date.now() + READY_MS, () =>
          client.workflowService.describeNamespace({ namespace: client.options.namespace }),
        );
      } catch (error) {
        const message = `Temporal does not answer: ${(error as Error).message}`;
        throw new NotAcceptedError('TEMPORAL', REST_MS, message, { cause: error });
      }
    },
    async close() {
      closing = true;
      await Promise.all([...batchers.values()].map((batcher) => batcher.flush()));
      await Promise.allSettled(underWay);
    },
  };
}

async function ledger<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw new NotAcceptedError('LEDGER', REST_MS, error.message, { cause: error });
  }
}

/** One name for a set of events, whatever else the workflow is started with. */
function hashOf(ids: readonly string[]): string {
  return shortHash(ids.join(' '));
}

function answersOf(
  drafts: readonly EventDraft[],
  unique: readonly EventDraft[],
  states: readonly EventState[],
): Accepted[] {
  const known = new Map(unique.map(({ id }, n) => [id, states[n] !== 'received']));
  return drafts.map(({ id }) => {
    const duplicate = known.get(id) as boolean;
    known.set(id, true);
    return { id, duplicate };
  });
}
