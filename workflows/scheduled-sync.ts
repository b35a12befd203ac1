// What a schedule starts. A schedule gives each of its workflows an id of its own, but two workflows must never work
// on one run: so this one starts the sync under its one fixed id, and stands back when somebody else runs it.
import {
  CancellationScope,
  type ChildWorkflowHandle,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  sleep,
  startChild,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { OverlapPolicy } from '../src/contracts/config-schedule.ts';
import type { crmSync } from './crm-sync.ts';
import { crmSyncIdentity } from './messages.ts';

export interface ScheduledSyncInput {
  readonly account: string;
  readonly sync: string;
  /** What happens when the sync runs already, whoever started it. */
  readonly overlap: OverlapPolicy;
  /** Set when the waiting continues as new. */
  readonly waiting?: Waiting;
}

interface Waiting {
  readonly sleepMs: number;
}

export interface ScheduledSyncResult {
  /** A scheduled run never joins one that somebody else began. */
  readonly joined: false;
  readonly skipped: boolean;
  /** Somebody cancelled the sync itself. */
  readonly cancelled: boolean;
  /** Id of the run in the ledger; null when none came to its end. */
  readonly run: string | null;
}

/** Between two looks whether the sync's id is free: soon at first, then once a minute. */
const FIRST_LOOK_MS = 1000;
const LAST_LOOK_MS = 60_000;

export async function scheduledSync(input: ScheduledSyncInput): Promise<ScheduledSyncResult> {
  const sync = await begin(input);
  if (sync === null) return { joined: false, skipped: true, cancelled: false, run: null };
  try {
    const { run } = await sync.result();
    return { joined: false, skipped: false, cancelled: false, run };
  } catch (error) {
    // Cancelled itself, this workflow ends as cancelled; a sync that was cancelled by name is a result.
    if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
    return { joined: false, skipped: false, cancelled: true, run: null };
  }
}

/** Starts the sync as soon as the overlap policy allows; null when it is to be left out. */
async function begin(input: ScheduledSyncInput): Promise<ChildWorkflowHandle<typeof crmSync> | null> {
  let { waiting } = input;
  for (;;) {
    const sync = await start(input);
    if (sync !== null || input.overlap === 'skip') return sync;
    // Only the run that was met is cancelled: one that somebody starts while this waits is waited for.
    if (waiting === undefined && input.overlap === 'cancel-other') await cancelOther(input);
    const { sleepMs } = waiting ?? { sleepMs: FIRST_LOOK_MS };
    await sleep(sleepMs);
    waiting = { sleepMs: Math.min(sleepMs * 2, LAST_LOOK_MS) };
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof scheduledSync>({ ...input, waiting });
  }
}

/** Null when the sync's id is taken. */
async function start({
  account,
  sync,
}: ScheduledSyncInput): Promise<ChildWorkflowHandle<typeof crmSync> | null> {
  try {
    return await startChild<typeof crmSync>('crmSync', {
      ...crmSyncIdentity(account, sync),
      args: [{ account, sync }],
      // Whatever ends this workflow, a sync is not cut off half way; a cancellation is handed on and awaited.
      parentClosePolicy: 'ABANDON',
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    });
  } catch (error) {
    // The SDK exports this error to clients only.
    if (error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError') return null;
    throw error;
  }
}

async function cancelOther({ account, sync }: ScheduledSyncInput): Promise<void> {
  const { workflowId } = crmSyncIdentity(account, sync);
  try {
    await getExternalWorkflowHandle(workflowId).cancel();
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    log.info('the run to be cancelled has ended by itself', { workflowId, reason: error.message });
  }
}
