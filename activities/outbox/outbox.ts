// Activities of the outbox: deliver what waits for a sink.
import { Context } from '@temporalio/activity';
import type { OutboxBatchResult } from '../../src/jobs/outbox/contract/outbox.ts';
import type { Deps } from '../shared/deps.ts';
import { type OutboxBatchOptions, runOutboxBatch } from './outbox-batch.ts';

export function createOutboxActivities(deps: Deps, options: OutboxBatchOptions = {}) {
  return {
    /** Runs a batch of one sink. Never fails because of the sink. A cancelled batch records what it knows, and ends. */
    async outboxBatch({ sink }: { sink: string }): Promise<OutboxBatchResult> {
      return await runOutboxBatch(deps, sink, Context.current().cancellationSignal, options);
    },
  };
}
