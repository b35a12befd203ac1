// The progress of a sync: the counts of its workflow, plus what active batches have reported since.
import type { WorkflowHandle } from '@temporalio/client';
import { progressQuery } from '../../../../workflows/messages.ts';
import { batchDetails } from '../../../operator/service/batch-details.ts';
import type { BatchCounts, RunProgress } from '../contract/run.ts';

/** @throws ServiceError or QueryNotRegisteredError as a query does */
export async function readProgress(handle: WorkflowHandle): Promise<RunProgress> {
  // First the batches: one that ends meanwhile is part of what the workflow answers.
  const reported = await batchDetails<BatchCounts>(handle);
  const { running, ...now } = await handle.query(progressQuery);
  return running.reduce<RunProgress>((sum, id) => added(sum, reported.get(id)), now);
}

function added(now: RunProgress, batch: BatchCounts | undefined): RunProgress {
  if (batch === undefined) return now;
  const { created, updated, unchanged, failed, unknown, cards, trouble } = batch;
  return {
    ...now,
    done: now.done + created + updated + unchanged + failed + unknown,
    created: now.created + created,
    updated: now.updated + updated,
    failed: now.failed + failed,
    unknown: now.unknown + unknown,
    cards: now.cards + cards,
    trouble: trouble ?? now.trouble,
  };
}
