// Timeouts and retries of every activity.
import type { ActivityOptions } from '@temporalio/workflow';
import type { LANES } from '../src/contracts/wire/run.ts';

/**
 * Ledger work: local to the worker's database, so what fails is tried again for as long as the database
 * is away.
 */
export const LEDGER_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * Ledger work of milliseconds, in workflows that never end: what a lost worker had under way is given to another one
 * soon, as nothing else of the workflow goes on until then.
 */
export const SHORT_LEDGER_OPTIONS: ActivityOptions = { ...LEDGER_OPTIONS, startToCloseTimeout: '20 seconds' };

/**
 * Activities of a few API calls. A call waits inside the activity for its slot, and for the end of a block; the client's
 * deadline of 30 s ends the call itself. A lost worker shows by missing heartbeats, after which its calls are given to
 * another one. Delays between attempts come from the activities themselves.
 */
export const API_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds' },
  // A cancelled call that is under way is waited for: its effect gets written down.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/** One event, from its beginning to its end: it gives its place back after two minutes, and the calls under way then take 40 s. */
export const EVENT_OPTIONS: ActivityOptions = { ...API_OPTIONS, startToCloseTimeout: '5 minutes' };

/**
 * A batch: it takes items up for 50 s, and the client's deadline ends a call after 30 s. A lost worker shows by missing
 * heartbeats, which go out each second; the ledger gives its items to others by then.
 */
export const BATCH_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  // A batch that is cancelled still tells what it has done.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/**
 * A batch of a sink: it ends by itself after 10 s and the sending under way then, which has 75 s. A lost worker
 * shows by missing heartbeats; by then it has let go of the sink, too (activities/outbox/outbox-batch.ts).
 */
export const OUTBOX_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  // What is known of a sending that is given up gets written down.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/** The lanes, as Temporal's priority keys. */
export const LANE: typeof LANES = {
  reply: 1,
  lead: 2,
  poll: 3,
  campaign: 4,
  backfill: 5,
};

/**
 * Where an activity that calls the API stands in Temporal's queue: by lane, and within a lane fair between tokens.
 * @param callsPerMinute of the account's tokens: the weight is calls a second
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
