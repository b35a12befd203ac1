// The progress of a campaign: the counts of its workflow, plus what active batches have reported since.
import type { WorkflowHandle } from '@temporalio/client';
import { campaignProgressQuery } from '../../../workflows/messages.ts';
import {
  type CampaignCounts,
  type CampaignProgress,
  MEMBER_STATES,
  type TriggerBatchProgress,
} from '../../contracts/wire/campaign.ts';
import { batchDetails } from '../../operator/service/batch-details.ts';

/** Why members fail, with the number of failures in a row; null: they do not. */
export type Trouble = TriggerBatchProgress['trouble'];

/** @throws ServiceError or QueryNotRegisteredError as a query does */
export async function readCampaignProgress(
  handle: WorkflowHandle,
): Promise<CampaignProgress & { readonly trouble: Trouble }> {
  const now = await handle.query(campaignProgressQuery);
  // Then the batches: those that began meanwhile may be missing, and none counts twice.
  const batches = [...(await batchDetails<TriggerBatchProgress>(handle)).values()];
  const trouble = batches.find((batch) => batch.trouble !== null)?.trouble ?? null;
  return { ...now, trouble, counts: now.counts && batches.reduce(added, now.counts) };
}

function added(counts: CampaignCounts, { ended }: TriggerBatchProgress): CampaignCounts {
  const sum = { ...counts };
  for (const state of MEMBER_STATES) {
    const members = ended[state] ?? 0;
    sum[state] += members;
    sum.waiting = Math.max(0, sum.waiting - members);
  }
  return sum;
}
