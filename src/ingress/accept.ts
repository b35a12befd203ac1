// Accepts events. It writes an event to the ledger, then starts a workflow, and only then answers the sender.

import type { Client } from '@temporalio/client';
import { durationMs } from '../contracts/config/config-base.ts';
import { NO_TRACING, type Tracing } from '../contracts/tracing.ts';
import type { EventDraft, EventState } from '../contracts/wire/intake.ts';
import { type Database, LedgerError } from '../ledger/database.ts';
import { addEvents, markAccepted } from '../ledger/events/events.ts';
import { type IntakeSpec, openIntakeRun } from '../ledger/events/intake-runs.ts';
import { shortHash } from '../ledger/short-hash.ts';
import { type Batcher, createBatcher } from './batcher.ts';
import { createCapacity } from './capacity.ts';
import { eachInOrder } from './in-order.ts';
import { type Acceptance, type Accepted, NotAcceptedError, type Route } from './intake.ts';
import { createQueue, MOST_WAIT_MS } from './queue.ts';
import { createStarts, STARTS } from './starts.ts';

const READY_MS = 2000;
/** When a sender is asked to retry. */
const REST_MS = 1000;
/** Maximum number of rows in one ledger statement, for senders that arrive at the same time. */
const ROWS = 256;
/** How long the first of them waits for others while Temporal is busy. */
const GATHER_MS = 25;
/** Maximum number of groups of a route in progress at once, where it batches. */
const GROUPS = 4;

export interface AcceptanceOptions {
  readonly client: Client;
  readonly db: Database;
  readonly taskQueue: string;
  readonly maxOpen: number;
  readonly maxDelayMs: number;
  callsPerMinute(account: string): number;
  /** What the steps of this route's events need to know. */
  specOf(route: Route): IntakeSpec;
  /** @default nothing is traced */
  readonly tracing?: Tracing;
}

export interface OwnedAcceptance extends Acceptance {
  /** A reload has replaced these routes. What they have accepted so far goes on. */
  forget(routes: readonly Route[]): void;
}

export function createAcceptance(options: AcceptanceOptions): OwnedAcceptance {
  const { client, db } = options;
  const capacity = createCapacity(options);
  const queue = createQueue({ concurrency: STARTS });
  const runs = new Map<Route, Promise<string>>();
  const starts = createStarts({
    client,
    taskQueue: options.taskQueue,
    tracing: options.tracing ?? NO_TRACING,
    took: queue.took,
  });
  /** While starts wait for each other anyway, every saved commit gives Temporal more disk time. */
  const gatherMs = () => (starts.isFull() ? GATHER_MS : 0);
  /**
   * One statement serves all senders that arrive while another is in progress. Alone, each would wait for its own
   * commit.
   */
  const writers = new Map<Route, Batcher<EventDraft, EventState>>();
  const marker = createBatcher<string, undefined>({
    max: ROWS,
    waitMs: gatherMs,
    groups: 1,
    handOn: async (ids) => {
      await markAccepted(db, ids);
      return ids.map(() => undefined);
    },
  });
  const batchers = new Map<Route, Batcher<EventDraft, Accepted>>();
  /** Events whose start is in progress. A duplicate that arrives meanwhile waits for the same answer. */
  const starting = new Map<string, Promise<unknown>>();
  const underWay = new Set<Promise<unknown>>();
  let closing = false;

  /** Opened at the first event, so that an unavailable ledger does not keep the process from starting. */
  function runOf(route: Route): Promise<string> {
    const known = runs.get(route);
    if (known !== undefined) return known;
    const opened = openIntakeRun(db, options.specOf(route));
    runs.set(route, opened);
    opened.catch(() => runs.delete(route));
    return opened;
  }

  function write(route: Route, drafts: readonly EventDraft[]): Promise<EventState[]> {
    let writer = writers.get(route);
    if (writer === undefined) {
      writer = createBatcher({
        max: ROWS,
        waitMs: gatherMs,
        groups: 1,
        handOn: async (group) => await addEvents(db, await runOf(route), group),
      });
      writers.set(route, writer);
    }
    return writer.add(drafts);
  }

  /**
   * Writes the events down, starts their workflows and marks them: one start for all, or one each.
   * @param until `performance.now()` after which no start begins
   */
  async function take(
    route: Route,
    drafts: readonly EventDraft[],
    { together, until }: { readonly together: boolean; readonly until?: number },
  ): Promise<Accepted[]> {
    const seen = new Set<string>();
    const unique = drafts.filter(({ id }) => !seen.has(id) && seen.add(id));
    const states = await ledger(() => write(route, unique));
    const fresh = unique.filter((_, n) => states[n] === 'received');
    let failure: { error: unknown } | null = null;
    let begun: readonly EventDraft[] = fresh;
    if (fresh.length > 0 && together) {
      const ids = fresh.map(({ id }) => id);
      const key = ids.length === 1 ? (ids[0] as string) : hashOf(ids);
      await starts.start(route, key, fresh as [EventDraft, ...EventDraft[]]);
    } else {
      const each = await eachInOrder(
        fresh,
        ({ subject }) => subject,
        STARTS,
        (event) => starts.start(route, event.id, [event], until),
      );
      begun = each.done;
      failure = each.failure;
    }
    if (begun.length > 0) await ledger(() => marker.add(begun.map(({ id }) => id)));
    if (failure !== null) throw failure.error;
    return answersOf(drafts, unique, states);
  }

  async function acceptNow(route: Route, drafts: readonly EventDraft[], waits: boolean): Promise<Accepted[]> {
    const { batch } = route.config;
    // Events of one delivery wait for one another, so `STARTS` of them wait at the same time at most.
    const leave = queue.enter(
      batch === undefined ? Math.min(drafts.length, STARTS) : drafts.length / batch.max,
      waits,
    );
    try {
      if (batch !== undefined) return await batcherOf(route, batch).add(drafts);
      // A repeated batch continues where it stopped, so only a single event gives up its place.
      const until = waits || drafts.length > 1 ? undefined : performance.now() + MOST_WAIT_MS;
      return await take(route, drafts, { together: false, ...(until !== undefined && { until }) });
    } finally {
      leave();
    }
  }

  function batcherOf(
    route: Route,
    batch: NonNullable<Route['config']['batch']>,
  ): Batcher<EventDraft, Accepted> {
    let batcher = batchers.get(route);
    if (batcher === undefined) {
      const { max } = batch;
      batcher = createBatcher({
        max,
        waitMs: () => durationMs(batch.wait),
        groups: GROUPS,
        handOn: async (group) => {
          const answers: Accepted[] = [];
          for (let from = 0; from < group.length; from += max)
            answers.push(...(await take(route, group.slice(from, from + max), { together: true })));
          return answers;
        },
      });
      batchers.set(route, batcher);
    }
    return batcher;
  }

  async function accept(route: Route, drafts: readonly EventDraft[], waits: boolean): Promise<Accepted[]> {
    if (drafts.length === 0) return [];
    if (closing) throw new NotAcceptedError('CLOSING', REST_MS, 'this process is shutting down');
    await ledger(() => capacity.requireOpenCapacity(route.config.account));
    const [only] = drafts;
    if (drafts.length > 1 || only === undefined) return await acceptNow(route, drafts, waits);
    // Impatient senders repeat an event in a burst. Such a burst costs one start.
    const same = starting.get(only.id);
    if (same !== undefined) {
      await same;
      return [{ id: only.id, duplicate: true }];
    }
    const accepted = acceptNow(route, drafts, waits);
    starting.set(only.id, accepted);
    try {
      return await accepted;
    } finally {
      starting.delete(only.id);
    }
  }

  return {
    async accept(route, drafts, { waits = false } = {}) {
      const work = accept(route, drafts, waits);
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
    forget(routes) {
      for (const route of routes) {
        runs.delete(route);
        writers.delete(route);
        // The events in it wait for their group, and a request in progress may add one more.
        void batchers.get(route)?.flush();
        batchers.delete(route);
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
