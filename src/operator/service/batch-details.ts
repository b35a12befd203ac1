// Reads what active batches report in their heartbeats.
import type { WorkflowHandle } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';

/** The details of heartbeats, by activity. */
export async function batchDetails<T>(handle: WorkflowHandle): Promise<Map<string, T>> {
  const { raw } = await handle.describe();
  const { loadedDataConverter } = handle.client.options;
  const found = new Map<string, T>();
  for (const { activityId, heartbeatDetails } of raw.pendingActivities ?? []) {
    const [details] = await decodeArrayFromPayloads(loadedDataConverter, heartbeatDetails?.payloads);
    if (activityId != null && details !== undefined) found.set(activityId, details as T);
  }
  return found;
}
