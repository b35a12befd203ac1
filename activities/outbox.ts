// The outbox: sends what waits to a sink, and answers operators about it. What events say stays in the ledger.
import { Context } from '@temporalio/activity';
import type {
  OutboxAct,
  OutboxEntry,
  OutboxFilter,
  OutboxTurn,
  SinkStatus,
} from '../src/contracts/outbox.ts';
import { describeSinks, discardOutbox, listOutbox, reopenOutbox } from '../src/ledger/outbox-desk.ts';
import type { Deps } from './deps.ts';
import { type SittingOptions, sit } from './outbox-sitting.ts';
import { wakeSinks } from './wake.ts';

export function createOutboxActivities(deps: Deps, options: SittingOptions = {}) {
  const { db, log } = deps;
  return {
    /** One sitting of one sink. Never fails because of the sink; a cancelled one keeps what is known, and ends. */
    async deliverOutbox({ sink }: { sink: string }): Promise<OutboxTurn> {
      const context = Context.current();
      const heartbeat = () => context.heartbeat();
      return await sit(deps, sink, { cancelled: context.cancellationSignal, heartbeat }, options);
    },

    async listOutbox(filter: OutboxFilter): Promise<OutboxEntry[]> {
      return await listOutbox(db, filter);
    },

    async describeSinks(): Promise<SinkStatus[]> {
      return await describeSinks(db, deps.sinkNames);
    },

    /** Another try for what is dead or waits; the circuits are probed at once. Then `wakeOutbox` is to be told. */
    async reopenOutbox({ filter, by }: OutboxAct): Promise<{ count: number; sinks: string[] }> {
      const reopened = await db.transaction((tx) => reopenOutbox(tx, filter));
      log.warn({ by, ...reopened }, 'events of the outbox are tried again');
      return reopened;
    },

    async discardOutbox({ filter, by }: OutboxAct): Promise<{ count: number; sinks: string[] }> {
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
