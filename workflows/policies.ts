// Timeouts and retries of all activities.
import type { ActivityOptions } from '@temporalio/workflow';

/**
 * Ledger work. It uses the worker's database, so failures are retried until the database is available again. Missing
 * heartbeats reveal a lost worker. So does a task that Temporal gave to a worker just as it stopped: without them, the
 * workflow would wait for five minutes.
 */
export const LEDGER_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * Ledger work of a few milliseconds, in workflows that never end. Work of a lost worker is reassigned quickly,
 * because the workflow waits for it.
 */
export const SHORT_LEDGER_OPTIONS: ActivityOptions = { ...LEDGER_OPTIONS, startToCloseTimeout: '20 seconds' };

/**
 * Activities of a few API calls. A call waits inside the activity for its slot and for the end of a block. The
 * client's deadline of 30 s ends the call itself. Missing heartbeats reveal a lost worker, and its calls go to
 * another one. The activities set the delay between attempts.
 */
export const API_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds' },
  // Waits for a canceled call that is under way, so that its effect is recorded.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/**
 * One event from start to end. It gives up its capacity after two minutes; the calls under way then take up to 40 s.
 */
export const EVENT_OPTIONS: ActivityOptions = { ...API_OPTIONS, startToCloseTimeout: '5 minutes' };

/**
 * A batch. It takes items for 50 s, and the client's deadline ends a call after 30 s. Missing heartbeats, sent each
 * second, reveal a lost worker. By then, the ledger has reassigned its items.
 */
export const BATCH_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  // A canceled batch still reports what it has done.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/**
 * A batch of a sink. It ends after 10 s plus the sending under way, which takes up to 75 s. Missing heartbeats reveal
 * a lost worker. By then, its lease on the sink has ended (activities/outbox/outbox-batch.ts).
 */
export const OUTBOX_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  // Waits for an abandoned sending, so that its known outcome is recorded.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/**
 * Priority of an API activity in Temporal's queue: by lane, and fair between tokens within a lane.
 * @param callsPerMinute of the account's tokens; the weight is calls per second
 */
export function callPriority(
  lane: number,
  tokenKey: string,
  callsPerMinute: number,
): NonNullable<ActivityOptions['priority']> {
  return {
    priorityKey: lane,
    fairnessKey: tokenKey,
    fairnessWeight: Math.min(1000, Math.max(0.001, callsPerMinute / 60)),
  };
}
