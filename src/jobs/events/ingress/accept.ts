// Accepts events. It writes an event to the ledger, then starts a workflow, and only then answers the sender.

import type { Client } from '@temporalio/client';
import { durationMs } from '../../../core/config/base.ts';
import type { Database } from '../../../core/sql/database.ts';
import { NO_TRACING, type Tracing } from '../../../core/tracing.ts';
import type { EventDraft } from '../contract/intake.ts';
import type { IntakeSpec } from '../store/intake-runs.ts';
import { type Batcher, createBatcher } from './batcher.ts';
import { createCapacity } from './capacity.ts';
import {
  type Arrival,
  type Clock,
  type Deadline,
  lateError,
  MONOTONIC,
  noDeadline,
  startDeadline,
} from './deadline.ts';
import { createEventWriter, fromLedger } from './event-writer.ts';
import { type Acceptance, type Accepted, NotAcceptedError, type Route } from './intake.ts';
import { createQueue, type Queue } from './queue.ts';
import { createStarts, STARTS } from './starts.ts';
import { createTaker } from './take.ts';

const READY_MS = 2000;
/** When a sender is asked to retry. */
const REST_MS = 1000;
/** How long the first of a group of rows waits for others while Temporal is busy. */
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
  /** @default the clock of the process */
  readonly clock?: Clock;
}

type BatchConfig = NonNullable<Route['config']['batch']>;

/** A route that batches: its groups, and the senders who wait for them. Null: the event was withdrawn. */
interface Batched {
  readonly batcher: Batcher<Arrival, Accepted | null>;
  readonly queue: Queue;
}

export interface OwnedAcceptance extends Acceptance {
  /** A reload has replaced these routes. What they have accepted so far goes on. */
  forget(routes: readonly Route[]): void;
}

export function createAcceptance(options: AcceptanceOptions): OwnedAcceptance {
  const { client, db, clock = MONOTONIC } = options;
  const now = () => clock.now();
  const capacity = createCapacity({ ...options, now });
  const single = createQueue({ concurrency: STARTS, now });
  const starts = createStarts({
    client,
    taskQueue: options.taskQueue,
    tracing: options.tracing ?? NO_TRACING,
    took: single.took,
  });
  const writer = createEventWriter({
    db,
    specOf: (route) => options.specOf(route),
    // While starts wait for each other anyway, every saved commit gives Temporal more disk time.
    gatherMs: () => (starts.isFull() ? GATHER_MS : 0),
  });
  const taker = createTaker({ writer, starts });
  const batched = new Map<Route, Batched>();
  /** Events whose start is in progress. A duplicate that arrives meanwhile waits for the same answer. */
  const starting = new Map<string, Promise<unknown>>();
  const underWay = new Set<Promise<unknown>>();
  let closing = false;

  async function acceptNow(
    route: Route,
    drafts: readonly EventDraft[],
    deadline: Deadline,
    arrivedAt: number | null,
  ): Promise<Accepted[]> {
    const { account, batch } = route.config;
    const group = batch === undefined ? null : batchedOf(route, batch);
    // Events of one delivery wait for one another, so without groups `STARTS` of them wait at the same time at most.
    const leave =
      group?.queue.enter(drafts.length, arrivedAt) ??
      single.enter(Math.min(drafts.length, STARTS), arrivedAt);
    try {
      await fromLedger(() => capacity.requireOpenCapacity(account));
      deadline.signal.throwIfAborted();
      const arrivals = drafts.map((draft) => ({ draft, deadline }));
      const answers = await (group?.batcher.add(arrivals, deadline.signal) ??
        taker.takeEach(route, arrivals, deadline.signal));
      return answers.map((answer) => {
        if (answer === null) throw lateError(false);
        return answer;
      });
    } finally {
      leave();
    }
  }

  function batchedOf(route: Route, { max, wait }: BatchConfig): Batched {
    const known = batched.get(route);
    if (known !== undefined) return known;
    const queue = createQueue({ concurrency: GROUPS, groupSize: max, now });
    const takeGroup = async (group: readonly Arrival[]) => {
      const begun = now();
      try {
        return await taker.takeTogether(route, group);
      } finally {
        queue.took(now() - begun);
      }
    };
    const batcher = createBatcher<Arrival, Accepted | null>({
      max,
      waitMs: () => durationMs(wait),
      groups: GROUPS,
      handOn: async (group) => {
        const answers: (Accepted | null)[] = [];
        for (let from = 0; from < group.length; from += max)
          answers.push(...(await takeGroup(group.slice(from, from + max))));
        return answers;
      },
    });
    const made = { batcher, queue };
    batched.set(route, made);
    return made;
  }

  async function accept(
    route: Route,
    drafts: readonly EventDraft[],
    deadline: Deadline,
    arrivedAt: number | null,
  ): Promise<Accepted[]> {
    if (drafts.length === 0) return [];
    if (closing) throw new NotAcceptedError('CLOSING', REST_MS, 'this process is shutting down');
    const [only] = drafts;
    if (drafts.length > 1 || only === undefined) return await acceptNow(route, drafts, deadline, arrivedAt);
    // Impatient senders repeat an event in a burst. Such a burst costs one start.
    const same = starting.get(only.id);
    if (same !== undefined) {
      await same;
      return [{ id: only.id, duplicate: true }];
    }
    const accepted = acceptNow(route, drafts, deadline, arrivedAt);
    starting.set(only.id, accepted);
    try {
      return await accepted;
    } finally {
      starting.delete(only.id);
    }
  }

  return {
    async accept(route, drafts, { waits = false, arrivedAt = now() } = {}) {
      const deadline = waits ? noDeadline() : startDeadline(clock, arrivedAt);
      const work = accept(route, drafts, deadline, waits ? null : arrivedAt).finally(() =>
        underWay.delete(work),
      );
      underWay.add(work);
      return await deadline.within(work);
    },
    requireCapacity: (account) => fromLedger(() => capacity.requireTime(account)),
    loads: () => fromLedger(() => capacity.loads()),
    async ready() {
      await fromLedger(() => db.query('select 1'));
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
        writer.forget(route);
        // The events in it wait for their group, and a request in progress may add one more.
        void batched.get(route)?.batcher.flush();
        batched.delete(route);
      }
    },
    async close() {
      closing = true;
      await Promise.all([...batched.values()].map(({ batcher }) => batcher.flush()));
      await Promise.allSettled(underWay);
    },
  };
}
