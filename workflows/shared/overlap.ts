// What workflows of schedules share. A schedule gives each of its workflows an id of its own, but two workflows must never
// work on one thing: so they start a child under its one fixed id, and stand back when somebody else runs it.
import {
  type ChildWorkflowOptions,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  sleep,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { OverlapPolicy } from '../../src/contracts/config/config-schedule.ts';

/** How far the waiting for a free id is: handed on when the workflow continues as new. */
export interface Waiting {
  readonly sleepMs: number;
}

interface Start<T> {
  readonly overlap: OverlapPolicy;
  /** Set when the waiting goes on after continuing as new. */
  readonly waiting: Waiting | undefined;
  /** Between two looks whether it is free: soon at first, then so long. */
  readonly lastCheckMs: number;
  /** Null: somebody else is at it. */
  begin(): Promise<T | null>;
  /** Cancels the one that was met. */
  cancelOther(): Promise<void>;
  continueWaiting(waiting: Waiting): Promise<never>;
}

const FIRST_CHECK_MS = 1000;

/** Begins as soon as the overlap policy allows; null when it is to be left out. */
export async function beginWhenReady<T>(queued: Start<T>): Promise<T | null> {
  let { waiting } = queued;
  for (;;) {
    const begun = await queued.begin();
    if (begun !== null || queued.overlap === 'skip') return begun;
    // Only the run that was met is cancelled: one that somebody starts while this waits is waited for.
    if (waiting === undefined && queued.overlap === 'cancel-other') await queued.cancelOther();
    const { sleepMs } = waiting ?? { sleepMs: FIRST_CHECK_MS };
    await sleep(sleepMs);
    waiting = { sleepMs: Math.min(sleepMs * 2, queued.lastCheckMs) };
    if (workflowInfo().continueAsNewSuggested) await queued.continueWaiting(waiting);
  }
}

/** A child that its parent's end does not cut off half way; a cancellation is handed on and awaited. */
export const OUTLIVES_PARENT = {
  parentClosePolicy: 'ABANDON',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
} as const satisfies ChildWorkflowOptions;

/** Null when the id of the child is taken. */
export async function unlessTaken<T>(start: () => Promise<T>): Promise<T | null> {
  try {
    return await start();
  } catch (error) {
    // The SDK exports this error to clients only.
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return null;
    throw error;
  }
}

/** Cancels a workflow by its id; one that has ended by itself is as good. */
export async function cancelByName(workflowId: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).cancel();
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    log.info('the run to be cancelled has ended by itself', { workflowId, reason: error.message });
  }
}
