// What Temporal knows about an active workflow: whether it runs, and what its activities report.
import {
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';

/** Null when Temporal has no such workflow. */
export async function describeWorkflow(
  handle: Pick<WorkflowHandle, 'describe'>,
): Promise<WorkflowExecutionDescription | null> {
  try {
    return await handle.describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** The details of heartbeats, by activity. */
export async function heartbeatsOf<T>(
  handle: Pick<WorkflowHandle, 'client'>,
  { raw }: WorkflowExecutionDescription,
): Promise<Map<string, T>> {
  const { loadedDataConverter } = handle.client.options;
  const found = new Map<string, T>();
  for (const { activityId, heartbeatDetails } of raw.pendingActivities ?? []) {
    const [details] = await decodeArrayFromPayloads(loadedDataConverter, heartbeatDetails?.payloads);
    if (activityId != null && details !== undefined) found.set(activityId, details as T);
  }
  return found;
}
