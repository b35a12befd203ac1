// Sinks that fail as they are published, and batches at them with a clock of the test's own.

import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createOutboxActivities } from '../../../../activities/outbox/outbox.ts';
import type { OutboxBatchOptions } from '../../../../activities/outbox/outbox-batch.ts';
import type { CloudEvent } from '../../../../src/connectors/sinks/event.ts';
import { type Sent, type Sink, SinkError } from '../../../../src/connectors/sinks/sink.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import type { ConversationEvent } from '../../../../src/jobs/conversations/contract/events.ts';
import type { OutboxBatchResult } from '../../../../src/jobs/outbox/contract/outbox.ts';
import { putOutbox } from '../../../../src/jobs/outbox/store/outbox.ts';
import { testDeps } from '../../../support/activities/deps.ts';

/** An event of a conversation; `n` distinguishes it. */
export function published(
  conversation: number,
  n: number,
  over: { account?: string; size?: number } = {},
): ConversationEvent {
  const { account = 'acme', size = 0 } = over;
  return {
    specversion: '1.0',
    id: `${account}/${conversation}/${n}`,
    source: `/sluice/accounts/${account}/conversations/${conversation}`,
    type: 'message.status',
    time: '2026-11-20T10:00:00.000Z',
    datacontenttype: 'application/json',
    partitionkey: `${account}/${conversation}`,
    subject: `id:${n}`,
    data: {
      account,
      conversationId: conversation,
      message: { key: `id:${n}${'x'.repeat(size)}`, id: `${n}`, status: 'read', previous: null, ack: null },
      event: null,
    },
  };
}

/** Puts events there as an import would, each in a transaction of its own or all in one. */
export async function put(
  db: Database,
  sinks: readonly string[],
  events: readonly ConversationEvent[],
): Promise<void> {
  const rules = sinks.map((sink) => ({ sink }));
  await db.transaction((tx) =>
    putOutbox(
      tx,
      events[0]?.data.account ?? 'acme',
      rules,
      events.map((event) => ({ event, connection: null })),
    ),
  );
}

export const DOWN = new SinkError('UNREACHABLE', 'nobody answers', { retryable: true, sinkWide: true });
export const REFUSED = new SinkError('REFUSED', 'no such thing', { retryable: false });
export const BUSY = new SinkError('BUSY', 'not this one now', { retryable: true });

/** What an event meets: null is success. */
export type Rule = (event: CloudEvent, at: number) => SinkError | null;

export interface MemorySink extends Sink {
  readonly ids: string[];
  rule: Rule;
}

/** Keeps the order within a partitionkey as `Sink` asks for. */
export function memorySink(rule: Rule = () => null): MemorySink {
  const sink: MemorySink = {
    ids: [],
    rule,
    async send(events, { signal }) {
      const stopped = new Set<string>();
      return events.map((event): Sent => {
        if (signal.aborted || stopped.has(event.partitionkey)) return { state: 'skipped' };
        const error = sink.rule(event, sink.ids.length);
        if (error === null) {
          sink.ids.push(event.id);
          return { state: 'sent' };
        }
        if (error.retryable || error.sinkWide) stopped.add(event.partitionkey);
        return { state: 'failed', error };
      });
    },
    close: async () => undefined,
  };
  return sink;
}

export const logger = new DefaultLogger('ERROR');
export const START = Date.parse('2026-11-20T10:00:00.000Z');

export interface OutboxContext {
  /** Milliseconds since the epoch: what the batches take for the time. */
  now: number;
  readonly activities: ReturnType<typeof createOutboxActivities>;
  readonly logged: { level: string; fields: Record<string, unknown>; message: string }[];
  runBatch(sink: string): Promise<OutboxBatchResult>;
}

/** Batches at these sinks; `retry`: waits of those that have a list. */
export function outboxContext(
  db: Database,
  sinks: Readonly<Record<string, Sink>>,
  {
    retry = {},
    ...options
  }: OutboxBatchOptions & { retry?: Readonly<Record<string, readonly number[]>> } = {},
): OutboxContext {
  const logged: OutboxContext['logged'] = [];
  const log = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, fields: fields as Record<string, unknown>, message });
  const find = (name: string) => {
    const sink = sinks[name];
    if (sink === undefined) throw new Error(`there is no sink "${name}" in sluice.yaml`);
    return sink;
  };
  const deps = testDeps({
    db,
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    sink: find,
    sinkRetry: (name) => (find(name), retry[name] ?? null),
  });
  const context: OutboxContext = {
    now: START,
    logged,
    activities: createOutboxActivities(deps, {
      now: async () => new Date(context.now),
      random: () => 0.5,
      ...options,
    }),
    runBatch: (sink) =>
      new MockActivityEnvironment({}, { logger }).run(context.activities.outboxBatch, { sink }),
  };
  return context;
}
