// The engine's own limits of the API queue: it hands out about what the budget allows, so that calls wait in the
// engine, in order and visible, instead of coming back again and again.
import type { NativeConnection } from '@temporalio/worker';
import type { ActivityLog } from '../activities/deps.ts';

/**
 * Activities a second for each unit of a fairness key's weight. A key is a token and lane, its weight the calls a
 * second that the token allows: a tenth more than that, so that the engine never is what holds a slot back.
 */
export const DISPATCH_PER_WEIGHT = 1.1;

/** gRPC codes of servers that do not have this, or do not let this client. */
const CANNOT = new Map([
  [3, 'refuses it'],
  [7, 'does not permit it'],
  [9, 'refuses it'],
  [12, 'does not know it'],
]);

export interface QueueLimitOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly log: ActivityLog;
}

/**
 * Sets the limit of each fairness key on a queue of activities (UpdateTaskQueueConfig); the same again is harmless.
 * A server that can't is warned about once: all works without, with more attempts a call.
 * @throws the connection's error when the server can't be reached
 */
export async function limitQueue({
  connection,
  namespace,
  taskQueue,
  log,
}: QueueLimitOptions): Promise<void> {
  try {
    await connection.workflowService.updateTaskQueueConfig({
      namespace,
      identity: 'sluice',
      taskQueue,
      // TASK_QUEUE_TYPE_ACTIVITY
      taskQueueType: 2,
      updateFairnessKeyRateLimitDefault: {
        rateLimit: { requestsPerSecond: DISPATCH_PER_WEIGHT },
        reason: 'about what the API allows a token',
      },
    });
  } catch (error) {
    const { code } = error as { code?: unknown };
    const why = typeof code === 'number' ? CANNOT.get(code) : undefined;
    if (why === undefined) throw error;
    log.warn(
      { taskQueue, code },
      `the Temporal server has no rate limit for fairness keys (it ${why}): calls of one account wait inside the workers ` +
        'instead of in the engine, and come back more often; use server 1.32 or newer with matching.enableFairness',
    );
  }
}
