// Overlap rules that scheduled workflows share. A schedule gives each workflow its own id, but two workflows must
// never work on the same thing. So each starts a child under one fixed id, and waits or skips when that id is taken.
import {
  type ChildWorkflowOptions,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  sleep,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { OverlapPolicy } from '../../src/core/config/schedule.ts';

/** How far the wait for a free id is. It is passed on when the workflow continues as new. */
export interface Waiting {
  readonly sleepMs: number;
}

interface Start<T> {
  readonly overlap: OverlapPolicy;
  /** Set when the wait continues after continue-as-new. */
  readonly waiting: Waiting | undefined;
  /** The final interval between two checks whether the id is free. The first checks come sooner. */
  readonly lastCheckMs: number;
  /** Returns null when the id is taken. */
  begin(): Promise<T | null>;
  /** Cancels the run that holds the id. */
  cancelOther(): Promise<void>;
  continueWaiting(waiting: Waiting): Promise<never>;
}

const FIRST_CHECK_MS = 1000;

/** Begins as soon as the overlap policy allows it. Returns null when this start is to be skipped. */
export async function beginWhenReady<T>(queued: Start<T>): Promise<T | null> {
  let { waiting } = queued;
  for (;;) {
    const begun = await queued.begin();
    if (begun !== null || queued.overlap === 'skip') return begun;
    // Only the run that was found first is canceled. If somebody starts another one meanwhile, this waits for it.
    if (waiting === undefined && queued.overlap === 'cancel-other') await queued.cancelOther();
    const { sleepMs } = waiting ?? { sleepMs: FIRST_CHECK_MS };
    await sleep(sleepMs);
    waiting = { sleepMs: Math.min(sleepMs * 2, queued.lastCheckMs) };
    if (workflowInfo().continueAsNewSuggested) await queued.continueWaiting(waiting);
  }
}

/** Options of a child that completes even when its parent ends. A cancellation is passed to the child and awaited. */
export const OUTLIVES_PARENT = {
  parentClosePolicy: 'ABANDON',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
} as const satisfies ChildWorkflowOptions;

/** Returns null when the child's id is taken. */
export async function unlessTaken<T>(start: () => Promise<T>): Promise<T | null> {
  try {
    return await start();
  } catch (error) {
    // The SDK exports this error to clients only.
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return null;
    throw error;
  }
}

/** Cancels a workflow by its id. It is fine if the workflow has already ended. */
export async function cancelByName(workflowId: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(workflowId).cancel();
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    log.info('the run to be cancelled has ended by itself', { workflowId, reason: error.message });
  }
}
