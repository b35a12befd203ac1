// What Temporal knows about an active workflow: whether it runs, what its activities report, and why they fail.
import {
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';

/** An activity may fail this often before it is reported: one lost answer is normal. */
const QUIET_FAILURES = 2;

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

/**
 * Why activities are repeated; null when none is. Without this, a run whose service is away looks like one that works.
 */
export function troubleOf({ raw }: WorkflowExecutionDescription): string | null {
  for (const { attempt, lastFailure } of raw.pendingActivities ?? []) {
    const type = lastFailure?.applicationFailureInfo?.type;
    // A planned delay is not a failure, whatever the attempt count: the budget asks for it, and a 429.
    if (type == null || type === 'ComeBack' || (attempt ?? 0) <= QUIET_FAILURES) continue;
    return `retrying: ${lastFailure?.message ?? type} [${type}]`;
  }
  return null;
}
