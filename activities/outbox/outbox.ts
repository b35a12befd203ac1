// Activities of the outbox: deliver what waits for a sink, and operator queries and commands. The content stays in
// the ledger.
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
    /** Runs a batch of one sink. Never fails because of the sink. A cancelled batch records what it knows, and ends. */
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

    /** Retries dead and waiting events, and lets the circuits probe at once. Call `wakeOutbox` afterwards. */
    async reopenOutbox({ filter, by }: OutboxCommand): Promise<{ count: number; sinks: string[] }> {
      const reopened = await db.transaction((tx) => reopenOutbox(tx, filter));
      log.warn({ by, ...reopened }, 'an operator retries events of the outbox');
      return reopened;
    },

    async discardOutbox({ filter, by }: OutboxCommand): Promise<{ count: number; sinks: string[] }> {
      const discarded = await db.transaction((tx) => discardOutbox(tx, filter));
      log.warn({ by, ...discarded }, 'an operator discarded events of the outbox');
      return discarded;
    },

    /** Wakes the workflows of these sinks, and starts those that have ended. */
    async wakeOutbox({ sinks }: { sinks: readonly string[] }): Promise<void> {
      await wakeSinks(sinks);
    },
  };
}
