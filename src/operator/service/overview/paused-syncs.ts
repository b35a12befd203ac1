// Syncs that a person or Sluice has paused. Their workflows know it; the ledger does not.
import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { SEARCH_KEYS } from '../../../core/ids.ts';
import { handleOf } from '../../../jobs/sync/operator/progress.ts';
import { readProgress } from '../../../jobs/sync/operator/read-progress.ts';
import type { RunningRow } from '../../store/overview/work.ts';

export interface PausedSync {
  readonly run: string;
  readonly account: string;
  readonly sync: string;
  /** Null while no worker answers. */
  readonly by: string | null;
  readonly reason: string | null;
  /** Set when Sluice paused the run because the service or the configuration refused it. */
  readonly code: string | null;
}

/** Runs that are asked at a refresh. */
const MOST = 20;

/** Costs a description per run, and a query per paused one. @returns by run */
export async function readPausedSyncs(
  client: Client,
  running: readonly RunningRow[],
): Promise<ReadonlyMap<string, PausedSync>> {
  const syncs = running.filter(({ kind }) => kind !== 'campaign').slice(0, MOST);
  const found = await Promise.all(syncs.map((row) => pausedSync(handleOf(client, row), row)));
  return new Map(found.flatMap((paused) => (paused === null ? [] : [[paused.run, paused] as const])));
}

async function pausedSync(
  handle: WorkflowHandle,
  { run, account, sync }: RunningRow,
): Promise<PausedSync | null> {
  const workflow = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  });
  if (workflow?.status.name !== 'RUNNING') return null;
  if (workflow.typedSearchAttributes.get(SEARCH_KEYS.phase) !== 'paused') return null;
  // A worker that is away leaves the reason open, not the fact.
  const progress = await readProgress(handle).catch(() => null);
  const { by = null, reason = null, code = null } = progress?.paused ?? {};
  return { run, account, sync, by, reason, code };
}
