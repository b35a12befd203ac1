// The workflow that a sync's schedule starts. It starts the sync under its one fixed id when the overlap policy
// allows it.

import { CancellationScope, continueAsNew, isCancellation, startChild } from '@temporalio/workflow';
import type { OverlapPolicy } from '../src/core/config/schedule.ts';
import { crmSyncIdentity } from '../src/core/ids.ts';
import type { crmSync } from './crm-sync.ts';
import {
  beginWhenReady,
  cancelByName,
  OUTLIVES_PARENT,
  unlessTaken,
  type Waiting,
} from './shared/overlap.ts';

export interface ScheduledSyncInput {
  readonly account: string;
  readonly sync: string;
  /** What to do when the sync already runs, whoever started it. */
  readonly overlap: OverlapPolicy;
  /** Set when the workflow continues as new while it waits. */
  readonly waiting?: Waiting;
}

export interface ScheduledSyncResult {
  /** A scheduled run never joins a run that somebody else started. */
  readonly joined: false;
  readonly skipped: boolean;
  /** Somebody canceled the sync itself. */
  readonly cancelled: boolean;
  /** Id of the run in the ledger; null when no run finished. */
  readonly run: string | null;
}

const LAST_CHECK_MS = 60_000;

export async function scheduledSync(input: ScheduledSyncInput): Promise<ScheduledSyncResult> {
  const { account, sync: name, overlap, waiting } = input;
  const identity = crmSyncIdentity(account, name);
  const sync = await beginWhenReady({
    overlap,
    waiting,
    lastCheckMs: LAST_CHECK_MS,
    begin: () =>
      unlessTaken(() =>
        startChild<typeof crmSync>('crmSync', {
          ...identity,
          ...OUTLIVES_PARENT,
          args: [{ account, sync: name }],
        }),
      ),
    cancelOther: () => cancelByName(identity.workflowId),
    continueWaiting: (waiting) => continueAsNew<typeof scheduledSync>({ ...input, waiting }),
  });
  if (sync === null) return { joined: false, skipped: true, cancelled: false, run: null };
  try {
    const { run } = await sync.result();
    return { joined: false, skipped: false, cancelled: false, run };
  } catch (error) {
    // If this workflow is canceled, it ends as canceled. If the sync is canceled by its id, that is a result.
    if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
    return { joined: false, skipped: false, cancelled: true, run: null };
  }
}
