// The outbox: sends what waits to a sink, and answers operators about it. What events say stays in the ledger.
import { Context } from '@temporalio/activity';
import type {
  OutboxBatchResult,
  OutboxCommand,
  OutboxEntry,
  OutboxFilter,
  SinkStatus,
} from '../../src/contracts/wire/outbox.ts';
import {
  describeSinks,
  discardOutbox,
  listOutbox,
  reopenOutbox,
} from '../../src/ledger/outbox/outbox-queries.ts';
import type { Deps } from '../shared/deps.ts';
import { wakeSinks } from '../shared/wake.ts';
import { type OutboxBatchOptions, runOutboxBatch } from './outbox-batch.ts';

export function createOutboxActivities(deps: Deps, options: OutboxBatchOptions = {}) {
  const { db, log } = deps;
  return {
    /** A batch of one sink. Never fails because of the sink; a cancelled one keeps what is known, and ends. */
    async outboxBatch({ sink }: { sink: string }): Promise<OutboxBatchResult> {
      const context = Context.current();
      const heartbeat = () => context.heartbeat();
      return await runOutboxBatch(deps, sink, { cancelled: context.cancellationSignal, heartbeat }, options);
    },

    async listOutbox(filter: OutboxFilter): Promise<OutboxEntry[]> {
      return await listOutbox(db, filter);
    },

    async describeSinks(): Promise<SinkStatus[]> {
      return await describeSinks(db, deps.sinkNames);
    },

    /** Another try for what is dead or waits; the circuits are probed at once. Then `wakeOutbox` is to be published. */
    async reopenOutbox({ filter, by }: OutboxCommand): Promise<{ count: number; sinks: string[] }> {
      const reopened = await db.transaction((tx) => reopenOutbox(tx, filter));
      log.warn({ by, ...reopened }, 'events of the outbox are tried again');
      return reopened;
    },

    async discardOutbox({ filter, by }: OutboxCommand): Promise<{ count: number; sinks: string[] }> {
      const discarded = await db.transaction((tx) => discardOutbox(tx, filter));
      log.warn({ by, ...discarded }, 'events of the outbox are discarded');
      return discarded;
    },

    /** Has the workflows of these sinks look now; one that has ended is started. */
    async wakeOutbox({ sinks }: { sinks: readonly string[] }): Promise<void> {
      await wakeSinks(sinks);
    },
  };
}
