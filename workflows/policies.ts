// Timeouts and retries of every activity, and the task queues they run on.
import type { ActivityOptions } from '@temporalio/workflow';
import type { LANES } from '../src/contracts/run.ts';

/** Workflows and ledger work share one queue; API calls have their own, so that the engine can rank and limit them. */
export const WORK_QUEUE = 'sluice';

/** The API queue that belongs to a work queue. */
export function apiQueue(workQueue: string): string {
  return `${workQueue}-api`;
}

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
 * API calls. The client's deadline of 30 s ends a call long before the attempt's timeout. A lost worker shows
 * by missing heartbeats, after which its calls are given to another one. No schedule-to-start timeout: expired tasks would spend the queue's limits.
 * Delays between attempts come from the activities themselves.
 */
export const API_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '90 seconds',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds' },
  // A cancelled call that is under way is waited for: its effect gets written down.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/**
 * Telling a sink that a run has ended: tried for ten minutes in all, so that a broker may restart meanwhile. Then
 * the run ends without it. An attempt ends by itself after 25 s.
 */
export const ANNOUNCE_OPTIONS: ActivityOptions = {
  scheduleToCloseTimeout: '10 minutes',
  startToCloseTimeout: '40 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * One sitting of a sink: it ends by itself after 10 s and the batch under way then, which has 75 s. A lost worker
 * shows by missing heartbeats; by then it has let go of the sink, too (activities/outbox-sitting.ts).
 */
export const OUTBOX_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  // What is known of a sending that is given up gets written down.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/** The lanes, as the engine's priority keys. */
export const LANE: typeof LANES = {
  reply: 1,
  lead: 2,
  poll: 3,
  campaign: 4,
  backfill: 5,
};

/**
 * Where an API call stands in the engine's queue: by lane, and within a lane fair between tokens. Each lane of a token
 * has a key of its own, so that the rate at which the engine hands out one lane's calls never holds up another.
 * @param callsPerMinute of the account's tokens: the weight is calls a second, which the queue's limit a key is scaled by
 */
export function callPriority(
  lane: number,
  tokenKey: string,
  callsPerMinute: number,
): NonNullable<ActivityOptions['priority']> {
  return {
    priorityKey: lane,
    fairnessKey: `${tokenKey}:${lane}`,
    fairnessWeight: Math.min(1000, Math.max(0.001, callsPerMinute / 60)),
  };
}
