// What handlers ask of Temporal about workflows.
import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';

/** Whether the server says that a workflow runs now. */
export async function isRunning(handle: Pick<WorkflowHandle, 'describe'>): Promise<boolean> {
  try {
    return (await handle.describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
