// What handlers ask of Temporal about workflows and workers.
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Queryable } from '../../core/sql/database.ts';
import { OperatorError } from '../error.ts';
import { readWorkers } from '../store/overview/workers.ts';

/** An available worker answers at once. */
export const ANSWER_MS = 20_000;
/** Number of failed attempts before they are reported: one lost answer is normal. */
export const QUIET_FAILURES = 2;
/** temporal.api.enums.v1.TaskQueueType: the SDK exports its enums only with the whole protocol package. */
const TASK_QUEUE_TYPE_WORKFLOW = 1;
/** A worker that has just started polls within this time. */
const ATTEMPTS = 5;
const ATTEMPT_MS = 200;

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

/** Whether the server says that a workflow runs now. */
export async function isRunning(handle: Pick<WorkflowHandle, 'describe'>): Promise<boolean> {
  return (await describeWorkflow(handle))?.status.name === 'RUNNING';
}

/** Nobody answered in time. */
export function noWorker(cause: Error, answerMs = ANSWER_MS): OperatorError {
  return new OperatorError(
    'unavailable',
    `no worker answered within ${answerMs / 1000} s: start one with \`sluice dev\` or \`sluice worker\`, and see its log`,
    { code: 'NO_WORKER', cause },
  );
}

/** An activity that fails repeatedly. */
export interface FailingActivity {
  readonly activity: string;
  readonly attempts: number;
  /** Class of the error, or its code. */
  readonly type: string;
  /** Of the error; it may contain what the error was about. */
  readonly message: string | null;
  /** When its last attempt ended. Null: the server does not say. */
  readonly failedAt: string | null;
  /** When it is tried again. Null: it is being tried, or the server does not say. */
  readonly nextAt: string | null;
}

/** Null when no activity of the workflow fails repeatedly. */
export function failingActivity({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): FailingActivity | null {
  for (const pending of raw.pendingActivities ?? []) {
    const { activityType, attempt, lastFailure } = pending;
    const type = lastFailure?.applicationFailureInfo?.type;
    // A planned delay is not a failure, whatever the attempt count: the budget asks for it, and a 429.
    if (type == null || type === 'ComeBack' || (attempt ?? 0) <= QUIET_FAILURES) continue;
    const failed = { activity: activityType?.name ?? '', attempts: (attempt ?? 1) - 1 };
    return {
      ...failed,
      type,
      message: lastFailure?.message ?? null,
      failedAt: isoOf(pending.lastAttemptCompleteTime),
      nextAt: isoOf(pending.nextAttemptScheduleTime),
    };
  }
  return null;
}

interface Timestamp {
  readonly seconds?: { toString(): string } | null;
  readonly nanos?: number | null;
}

function isoOf(time: Timestamp | null | undefined): string | null {
  const seconds = Number(time?.seconds ?? 0);
  return seconds === 0 ? null : new Date(seconds * 1000 + (time?.nanos ?? 0) / 1e6).toISOString();
}

/** Why an activity of a workflow fails repeatedly. Null when none does. */
export async function failing(handle: Pick<WorkflowHandle, 'describe'>): Promise<string | null> {
  const described = await handle.describe().catch(() => null);
  const failed = described === null ? null : failingActivity(described);
  return failed === null ? null : `retrying: ${failed.message ?? failed.type} [${failed.type}]`;
}

/** Where workers are asked for: the ledger says which are alive, Temporal who polled the queue. */
export interface WorkerPlace {
  readonly db: Queryable;
  readonly client: Client;
  readonly taskQueue: string;
}

/** Whether a worker serves the workflows of this queue. Without one, they wait. */
export async function hasWorkers(place: WorkerPlace): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    if (!(await isWorkerMissing(place))) return true;
    if (attempt === ATTEMPTS) return false;
    await delay(ATTEMPT_MS);
  }
}

/** Temporal lists the polls of a dead worker for minutes. The ledger, which the overview shows, notices it within 30 s. */
export async function isWorkerMissing({ db, client, taskQueue }: WorkerPlace): Promise<boolean> {
  const { alive, lastSeenAt } = await readWorkers(db);
  if (alive > 0) return false;
  return lastSeenAt !== null || !(await isPolled(client, taskQueue));
}

/** Number of workflow tasks that wait for a worker. About: Temporal counts so. 0 from servers that do not count. */
export async function countBacklog(client: Client, taskQueue: string): Promise<number> {
  const { stats } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
    reportStats: true,
  });
  return Number(stats?.approximateBacklogCount ?? 0);
}

async function isPolled(client: Client, taskQueue: string): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  return (pollers ?? []).length > 0;
}
