// Starts syncs and retries as workflows.
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { crmSync } from '../../../../workflows/crm-sync.ts';
import { resumeUpdate } from '../../../../workflows/messages.ts';
import { crmSyncIdentity, WORK_QUEUE } from '../../../core/ids.ts';
import type { Database } from '../../../core/sql/database.ts';
import type { Output } from '../../../operator/contract/index.ts';
import { OperatorError } from '../../../operator/error.ts';
import { hasWorkers } from '../../../operator/service/workflows.ts';
import type { RetryRequest } from '../contract/retry.ts';
import { handleOf, type SyncHandle, type SyncName } from './progress.ts';
import { readProgress } from './read-progress.ts';

type Begun = Output<'POST /syncs/{sync}/runs'>;

interface Start {
  readonly retry?: RetryRequest;
  /** Name of a file of corrected rows. */
  readonly corrections?: string;
  readonly taskQueue?: string;
}

interface Place {
  readonly db: Database;
  readonly client: Client;
}

/**
 * A sync has one workflow at a time: a second start joins the first. A retry or a correction joins nothing.
 * @throws WorkflowExecutionAlreadyStartedError when one of those finds an active run
 */
export async function startSync(
  client: Client,
  account: string,
  sync: string,
  { retry, corrections, taskQueue = WORK_QUEUE }: Start = {},
): Promise<SyncHandle & { readonly firstExecutionRunId: string }> {
  return await client.workflow.start<typeof crmSync>('crmSync', {
    ...crmSyncIdentity(account, sync),
    taskQueue,
    args: [
      {
        account,
        sync,
        retry,
        corrections,
      },
    ],
    workflowIdConflictPolicy: retry === undefined && corrections === undefined ? 'USE_EXISTING' : 'FAIL',
  });
}

/** Starts a sync or joins its run. A run that Sluice paused because the service refused it tries again. */
export async function beginSync(
  { db, client }: Place,
  { account, sync }: SyncName,
  { by, taskQueue }: { by: string; taskQueue: string },
): Promise<Begun> {
  const joined = await isActive(handleOf(client, { account, sync }));
  const handle = await startSync(client, account, sync, { taskQueue });
  const workers = await hasWorkers({ db, client, taskQueue });
  // Without a worker nobody answers the question why the run is paused.
  const resumed = joined && workers ? await resumeRefused(handle, by) : null;
  return { execution: handle.firstExecutionRunId, joined, resumed, workers };
}

/** @throws OperatorError (conflict) while a run is active */
export async function beginAlone(
  { db, client }: Place,
  { account, sync }: SyncName,
  start: Start & { readonly taskQueue: string },
): Promise<Begun> {
  try {
    const handle = await startSync(client, account, sync, start);
    const workers = await hasWorkers({ db, client, taskQueue: start.taskQueue });
    return { execution: handle.firstExecutionRunId, joined: false, resumed: null, workers };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new OperatorError(
      'conflict',
      `a run of "${sync}" is under way; wait for its end (\`sluice sync run ${sync}\` shows it) or cancel it`,
      { code: 'RUN_ACTIVE', cause: error },
    );
  }
}

async function isActive(handle: Pick<SyncHandle, 'describe'>): Promise<boolean> {
  const found = await handle.describe().catch(() => null);
  return found?.status.name === 'RUNNING';
}

/** @returns why Sluice had paused the run; null when it had not */
async function resumeRefused(handle: SyncHandle, by: string): Promise<string | null> {
  const progress = await readProgress(handle).catch(() => null);
  if (progress?.paused?.code === undefined) return null;
  const command = { by, reason: 'started again', recheck: true };
  await handle.executeUpdate(resumeUpdate, { args: [command] });
  return progress.paused.reason;
}
