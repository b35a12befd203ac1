// A service, a ledger and the polling between them; a driver that takes polls and readings step by step, and cuts them off.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createPollingActivities, type PollingOptions } from '../../../../activities/conversations/index.ts';
import { historyPage, pollPage } from '../../../../activities/conversations/pages.ts';
import { readMessages } from '../../../../activities/conversations/read-messages.ts';
import type { Deps } from '../../../../activities/shared/deps.ts';
import { LANES } from '../../../../src/core/lanes.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { PollerConfig } from '../../../../src/jobs/conversations/config.ts';
import { ConversationEvent } from '../../../../src/jobs/conversations/contract/events.ts';
import type {
  PollBatchInput,
  PollBatchResult,
  PollFailures,
} from '../../../../src/jobs/conversations/contract/poll.ts';
import { adoptAssumptions } from '../../../../src/jobs/conversations/store/unread.ts';
import { type AnnounceRule } from '../../../../src/jobs/outbox/contract/announce.ts';
import { assumptionsFingerprint } from '../../../../src/service/api-client/assumptions.ts';
import { MessagingClient, type MessagingClientOptions } from '../../../../src/service/api-client/client.ts';
import { testCallCounter } from '../../../support/activities/call-counter.ts';
import { testAccount, testDeps, testLog } from '../../../support/activities/deps.ts';
import { freeBudget } from '../../../support/activities/free-budget.ts';

/** Refusals are the point here, so only errors are shown. */
const logger = new DefaultLogger('ERROR');

/** What a worker that dies leaves behind: nothing of the transaction (`lost`), or all of it and no answer (`after`). */
export type Cut = 'none' | 'lost' | 'after';

export const NO_FAILURES: PollFailures = { list: 0, read: 0, history: 0, readOld: 0 };

export class Killed extends Error {
  override readonly name = 'Killed';
}

export interface HandOptions {
  readonly db: Database;
  readonly client: Partial<MessagingClientOptions> & { readonly baseUrl: string };
  readonly account?: string;
  /** Messages before this are not published; null: all are. `now`: those that come after the first poll. @default null */
  readonly since?: Date | null | 'now';
  readonly config?: {
    readonly pageSize?: number;
    readonly connection?: number;
    readonly interval?: { readonly min: string; readonly max: string };
  };
  readonly polling?: PollingOptions;
  readonly announce?: readonly AnnounceRule[];
  readonly settleSeconds?: number;
}

/** An attempt of an activity in lane poll. */
export function environment(attempt = 1): MockActivityEnvironment {
  return new MockActivityEnvironment({ priority: { priorityKey: LANES.poll }, attempt }, { logger });
}

/** The hand that polls one account. */
export async function openHand(options: HandOptions) {
  const { db, account = 'acme', since = null, config = {} } = options;
  const client = new MessagingClient({ token: 'svc_test_poll', deadlineMs: 5000, ...options.client });
  const from = since === 'now' ? 'now' : since === null ? 'all' : since.toISOString();
  const poller = PollerConfig.parse({ account, from, ...config });
  const log: object[] = [];
  const woken: string[] = [];
  let cut: Cut = 'none';
  const cutDb: Database = {
    ...db,
    async transaction(work) {
      const how = cut;
      const result = await db.transaction(async (tx) => {
        const value = await work(tx);
        if (how === 'lost') throw new Killed();
        return value;
      });
      if (how === 'after') throw new Killed();
      return result;
    },
  };
  const calls = testCallCounter(db);
  const deps: Deps = testDeps({
    db: cutDb,
    budget: freeBudget(60_000),
    sinkNames: ['all'],
    sinkRetry: () => null,
    announce: (name) => deps.account(name).announce,
    poller: () => poller,
    calls,
    log: { ...testLog(log), error: (fields) => void log.push(fields) },
    account: () =>
      testAccount(client, {
        name: account,
        settleSeconds: options.settleSeconds ?? 60,
        announce: options.announce ?? [{ sink: 'all' }],
      }),
  });
  const activities = createPollingActivities(deps, {
    wake: async (sinks) => void woken.push(...sinks),
    ...options.polling,
  });
  await db.query(
    'insert into pollers (account, poller, run_id, since) values ($1, $2, $3, $4::timestamptz) on conflict do nothing',
    [account, 'chats', 'run', since === 'now' ? new Date() : since],
  );
  const call = { account, poller: 'chats', run: 'run' };
  const run = async <T>(work: () => Promise<T>, how: Cut): Promise<T> => {
    cut = how;
    try {
      return await environment().run(work);
    } finally {
      cut = 'none';
    }
  };

  const hand = {
    client,
    deps,
    log,
    woken,
    activities,
    /** What a poller does when it takes up the configuration of its worker. */
    begin: () =>
      db.transaction((tx) => adoptAssumptions(tx, call, assumptionsFingerprint(client.assumptions, 'all'))),
    /** @param failures of calls in a row, should this one fail */
    page: (how: Cut = 'none', failures = 1) => run(() => pollPage(deps, call, failures), how),
    history: (how: Cut = 'none') => run(() => historyPage(deps, call), how),
    async read(conversation: number, how: Cut = 'none') {
      const { messagePageSize = 200, keep = 400 } = options.polling ?? {};
      const read = () => readMessages(deps, { ...call, conversation }, { messagePageSize, keep });
      const { sinks, ...result } = await run(read, how);
      woken.push(...sinks);
      return result;
    },
    /** One batch, as the poller's workflow has it run. */
    batch: (over: Partial<PollBatchInput> = {}, env = environment()): Promise<PollBatchResult> =>
      env.run(activities.pollBatch, {
        ...call,
        pollInMs: 0,
        intervalMs: 0,
        failures: NO_FAILURES,
        old: true,
        once: false,
        ...over,
      }),

    /** Conversations whose messages are to be read, now or later. */
    async todo(): Promise<number[]> {
      const rows = await db.query<{ id: number }>(
        'select id from conversations where account = $1 and todo_at is not null order by todo_since, id',
        [account],
      );
      return rows.map(({ id }) => id);
    },

    /** Polls and reads until nothing is left to do. @returns calls made */
    async settle(beforeRead: () => void = () => {}): Promise<number> {
      let calls = 0;
      for (let quiet = false; !quiet; ) {
        quiet = true;
        const count = () => {
          if (++calls > 3000) throw new Error('polling does not come to an end');
        };
        for (let done = false; !done; count()) done = (await hand.page()).done;
        for (let done = false; !done; count()) done = (await hand.history()).done;
        for (const id of await hand.todo()) {
          quiet = false;
          beforeRead();
          for (let done = false; !done; count()) done = (await hand.read(id)).done;
        }
      }
      return calls;
    },

    /** What one sink was to be published, in its order; every event has the promised shape. */
    async published(): Promise<ConversationEvent[]> {
      const rows = await db.query<{ event: unknown }>(
        "select event from outbox where account = $1 and sink = 'all' order by seq",
        [account],
      );
      return rows.map(({ event }) => ConversationEvent.parse(event));
    },

    gaps: () =>
      db.query<{
        code: string;
        conversation_id: number;
        seen: number;
        after: Date | null;
        before: Date | null;
      }>('select code, conversation_id, seen, after, before from poll_gaps where account = $1 order by id', [
        account,
      ]),

    async poller() {
      const [row] = await db.query<Record<string, unknown>>('select * from pollers where account = $1', [
        account,
      ]);
      return row as Record<string, unknown>;
    },

    async conversation(id: number) {
      const [row] = await db.query<Record<string, unknown>>(
        'select *, extract(epoch from todo_at - now())::float8 as due from conversations where account = $1 and id = $2',
        [account, id],
      );
      return row as Record<string, unknown>;
    },

    /** Counts are written now: a second later they would reach the next test's run. */
    async close() {
      await client.close();
      await calls.close();
    },
  };
  return hand;
}

export type Hand = Awaited<ReturnType<typeof openHand>>;

/** Texts that were published, in order, of one conversation or all. */
export function textsOf(events: readonly ConversationEvent[], conversation?: number): (string | null)[] {
  return events.flatMap((event) => {
    if (event.type !== 'message.received' && event.type !== 'message.sent') return [];
    if (conversation !== undefined && event.data.conversation.id !== conversation) return [];
    return [event.data.message.body];
  });
}

/** Types and the conversation's number, for what must stand in this order. */
export const outline = (events: readonly ConversationEvent[]) => events.map(({ type }) => type);
