// The progress of a sync's run: from its workflow while it runs, and from the ledger after it has ended or while no
// Temporal server runs here.
import {
  ApplicationFailure,
  type Client,
  isGrpcCancelledError,
  isGrpcDeadlineError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { crmSync } from '../../../../workflows/crm-sync.ts';
import { crmSyncWorkflowId } from '../../../core/ids.ts';
import type { Database } from '../../../core/sql/database.ts';
import { OperatorError } from '../../../operator/error.ts';
import { failing, isWorkerMissing } from '../../../operator/service/workflows.ts';
import { readRunning } from '../../../operator/store/overview/work.ts';
import type { RunProgress, RunReport } from '../contract/run.ts';
import type { SyncProgress } from '../contract/runs.ts';
import { type ListedRun, listRuns } from '../store/run-list.ts';
import { syncEta } from './eta.ts';
import { readProgress } from './read-progress.ts';
import type { Summaries } from './summary.ts';
import { troubleOf } from './trouble.ts';

export type SyncHandle = WorkflowHandle<typeof crmSync>;

export interface SyncName {
  readonly account: string;
  readonly sync: string;
}

export function handleOf(client: Client, { account, sync }: SyncName, execution?: string): SyncHandle {
  return client.workflow.getHandle<typeof crmSync>(crmSyncWorkflowId(account, sync), execution);
}

export interface ProgressReader {
  /**
   * @param execution of the run to follow; without it, the newest
   * @throws OperatorError (notFound) when the sync has not run yet
   */
  read(
    client: Client | null,
    name: SyncName,
    options: { execution?: string | undefined; waitMs: number },
  ): Promise<SyncProgress>;
}

export function createProgressReader(db: Database, summaries: Summaries): ProgressReader {
  return {
    async read(client, name, { execution, waitMs }) {
      if (client === null) return await fromLedger(db, summaries, name, 'unknown');
      const handle = handleOf(client, name);
      const found = await handle.describe().catch(nullIfNotFound);
      if (found === null) return await fromLedger(db, summaries, name, 'interrupted');
      const first = firstOf(found);
      if (execution !== undefined && execution !== first) {
        const end = await endOf(handleOf(client, name, execution)).catch(nullIfNotFound);
        if (end === null)
          throw new OperatorError('notFound', `Temporal has no execution ${execution} of "${name.sync}"`, {
            code: 'NO_RUN',
          });
        return { ...name, execution, ...ENDED, startedAt: null, progress: null, end };
      }
      const now = { ...name, execution: first, startedAt: found.startTime.toISOString() };
      if (found.status.name === 'RUNNING') {
        const end = waitMs === 0 ? null : await endWithin(client, handle, waitMs);
        if (end !== null) return { ...now, ...ENDED, progress: await ask(handle), end };
        if (await isWorkerMissing({ db, client, taskQueue: found.taskQueue }))
          return { ...now, ...(await waiting(db, summaries, name)) };
        return await running(db, handle, now);
      }
      // Without an execution, the ledger knows how the last run ended, and needs no worker to say it.
      if (execution === undefined) {
        const known = await fromLedger(db, summaries, name, 'interrupted').catch(nullIfMissing);
        if (known !== null) return known;
      }
      const end = await endOf(handle);
      return { ...now, ...ENDED, progress: await ask(handle), end };
    },
  };
}

/** A run that continues as new keeps the id of its first execution. */
function firstOf({ raw, runId }: WorkflowExecutionDescription): string {
  return raw.workflowExecutionInfo?.firstRunId || runId;
}

const ENDED = { state: 'ended', trouble: null, eta: null } as const;

async function running(
  db: Database,
  handle: SyncHandle,
  now: SyncName & { execution: string; startedAt: string },
): Promise<SyncProgress> {
  const progress = await ask(handle);
  // While its calls fail, the pace of the last minutes says nothing about the end.
  const trouble = (progress === null ? null : troubleOf(progress)) ?? (await failing(handle));
  const paused = progress !== null && progress.paused !== null;
  const run = progress?.phase === 'syncing' && !paused && trouble === null ? progress.run : null;
  const [row] = run === null ? [] : await readRunning(db, now.account, run);
  return {
    ...now,
    state: paused ? 'paused' : 'running',
    progress,
    trouble,
    eta: row === undefined ? null : syncEta(row),
    end: null,
  };
}

/** Nobody answers for the workflow, so it is not asked. */
async function waiting(
  db: Database,
  summaries: Summaries,
  name: SyncName,
): Promise<Pick<SyncProgress, 'state' | 'progress' | 'trouble' | 'eta' | 'end'>> {
  const [run] = await listRuns(db, name, { limit: 1, before: null });
  const isOpen = run !== undefined && run.finished_at === null;
  const progress = isOpen ? progressOfReport(run, await summaries.reportOf(run)) : null;
  return { state: 'waiting', progress, trouble: null, eta: null, end: null };
}

/** Null while no worker answers. */
async function ask(handle: SyncHandle): Promise<RunProgress | null> {
  return await readProgress(handle).catch(() => null);
}

/** Null when the run has not ended after this time. */
async function endWithin(
  client: Client,
  handle: SyncHandle,
  waitMs: number,
): Promise<SyncProgress['end'] | null> {
  try {
    return await client.withDeadline(Date.now() + waitMs, () => endOf(handle));
  } catch (error) {
    // The server knows the deadline too. If its clock is first, the call ends as canceled.
    if (isGrpcDeadlineError(error) || isGrpcCancelledError(error)) return null;
    throw error;
  }
}

async function endOf(handle: SyncHandle): Promise<NonNullable<SyncProgress['end']>> {
  try {
    return { status: 'finished', report: await handle.result(), type: null, message: null };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const root = rootOf(error);
    const type = root instanceof ApplicationFailure ? (root.type ?? null) : root.name;
    // Terminated: canceled before a worker began it, or by somebody in Temporal.
    const cancelled = root.name === 'CancelledFailure' || root.name === 'TerminatedFailure';
    return { status: cancelled ? 'cancelled' : 'failed', report: null, type, message: root.message };
  }
}

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** @param open the state of a run that has not ended in the ledger */
async function fromLedger(
  db: Database,
  summaries: Summaries,
  name: SyncName,
  open: 'unknown' | 'interrupted',
): Promise<SyncProgress> {
  const [run] = await listRuns(db, name, { limit: 1, before: null });
  if (run === undefined)
    throw new OperatorError(
      'notFound',
      `the sync "${name.sync}" has not run yet; start it with \`sluice sync run ${name.sync}\``,
      { code: 'NO_RUN' },
    );
  const report = await summaries.reportOf(run);
  const ended = run.status === 'planning' || run.status === 'syncing' ? null : run.status;
  return {
    ...name,
    execution: null,
    state: ended === null ? open : 'ended',
    progress: progressOfReport(run, report),
    trouble: null,
    eta: null,
    startedAt: run.started_at.toISOString(),
    end: ended === null ? null : { status: ended, report, type: null, message: run.error },
  };
}

/** A report in the shape of a progress. */
function progressOfReport(run: ListedRun, report: RunReport): RunProgress {
  const { read, merged, created, updated, unchanged, failed, unknown, rejected, cards, pending } = report;
  const done = created + updated + failed + unknown + Math.max(0, unchanged - run.rows_same);
  const phase = run.finished_at !== null ? 'ended' : run.status === 'planning' ? 'planning' : 'syncing';
  return {
    run: run.id,
    phase,
    paused: null,
    read,
    readShare: run.source_progress,
    merged,
    total: done + pending,
    done,
    created,
    updated,
    failed,
    unknown,
    rejected,
    cards,
    stoppedSteps: report.stoppedSteps,
    totals: report.totals,
    trouble: null,
  };
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof WorkflowNotFoundError) return null;
  throw error;
}

function nullIfMissing(error: unknown): null {
  if (error instanceof OperatorError && error.kind === 'notFound') return null;
  throw error;
}
