// Starts a sync as a workflow, or joins the one that runs already, and follows it to its report.
import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { crmSync } from '../../workflows/crm-sync.ts';
import { crmSyncIdentity, progressQuery } from '../../workflows/messages.ts';
import { WORK_QUEUE } from '../../workflows/policies.ts';
import type { RetryRequest } from '../contracts/retry.ts';
import type { RunProgress, RunReport } from '../contracts/run.ts';
import { CliError, EXIT } from './exit.ts';
import { follow } from './follow.ts';
import { say } from './lifetime.ts';
import type { Progress } from './progress.ts';
import { formatCount as n } from './progress.ts';

/** temporal.api.enums.v1.TaskQueueType: the SDK exports its enums only with the whole protocol package. */
const TASK_QUEUE_TYPE_WORKFLOW = 1;

export type SyncHandle = WorkflowHandle<typeof crmSync>;

/**
 * One sync has one workflow at a time: a second start joins the first. A retry joins nothing.
 * @throws WorkflowExecutionAlreadyStartedError when a retry finds a run under way
 */
export async function startSync(
  client: Client,
  account: string,
  sync: string,
  retry?: RetryRequest,
): Promise<SyncHandle> {
  return await client.workflow.start<typeof crmSync>('crmSync', {
    ...crmSyncIdentity(account, sync),
    taskQueue: WORK_QUEUE,
    args: [{ account, sync, ...(retry === undefined ? {} : { retry }) }],
    workflowIdConflictPolicy: retry === undefined ? 'USE_EXISTING' : 'FAIL',
  });
}

/** A workflow without a worker waits without a word; say so. */
export async function warnWithoutWorker(client: Client): Promise<void> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: WORK_QUEUE },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  if (pollers === null || pollers === undefined || pollers.length === 0) {
    say(
      `no worker serves the task queue "${WORK_QUEUE}" yet: the run waits until one is started (\`sluice worker\`)`,
    );
  }
}

/**
 * Shows a run's progress until it ends. The calls of this are over when it returns, so that the
 * connection may be closed.
 * @returns null when `signal` ended the watching; the run itself goes on
 * @throws CliError when the run was cancelled or failed, with the reason
 */
export async function followSync(
  client: Client,
  handle: SyncHandle,
  progress: Progress,
  signal: AbortSignal,
): Promise<RunReport | null> {
  const look = showing(handle, progress);
  try {
    const report = await follow({ client, handle, look, signal });
    if (report === null) return null;
    const done = report.created + report.updated + report.failed + report.unknown;
    progress.update({ done, total: done, note: 'done' });
    return report;
  } catch (error) {
    if (error instanceof WorkflowFailedError) {
      const now = await ask(handle);
      const counts = now === null ? '' : `\n${describeProgress(now).join('\n')}`;
      throw new CliError(EXIT.error, `the sync ended: ${rootMessage(error)}${counts}`, { cause: error });
    }
    throw error;
  } finally {
    progress.finish();
  }
}

function rootMessage(error: Error): string {
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}

function showing(handle: SyncHandle, progress: Progress): () => Promise<void> {
  let paused: string | null = null;
  let told: string | null = null;
  return async () => {
    const now = await ask(handle);
    if (now === null) return;
    const reason =
      now.paused === null
        ? null
        : `paused by ${now.paused.by}: ${now.paused.reason}; go on with \`sluice sync resume\``;
    if (reason !== null && reason !== paused) progress.line(reason);
    paused = reason;
    const trouble = await failing(handle);
    if (trouble !== null && trouble !== told) progress.line(trouble);
    told = trouble;
    progress.update(describe(now));
  };
}

/** A call may fail so often before people hear of it: one lost answer is nothing to look at. */
const QUIET_FAILURES = 2;

/**
 * Why calls that were tried repeatedly do not get through; null when none is in trouble. Without this a run at a
 * service that is away looks like one that works.
 */
export async function failing(handle: Pick<WorkflowHandle, 'describe'>): Promise<string | null> {
  const { raw } = await handle.describe().catch(() => ({ raw: null }));
  for (const { attempt, lastFailure } of raw?.pendingActivities ?? []) {
    const type = lastFailure?.applicationFailureInfo?.type;
    // To come back later is no failure, however often: the budget says it, and a 429.
    if (type == null || type === 'ComeBack' || (attempt ?? 0) <= QUIET_FAILURES) continue;
    return `tried again and again: ${lastFailure?.message ?? type} [${type}]`;
  }
  return null;
}

/** Null while no worker answers, or when the workflow has ended: the result tells then. */
async function ask(handle: SyncHandle): Promise<RunProgress | null> {
  return await handle.query(progressQuery).catch(() => null);
}

function describe(now: RunProgress): { done: number; total: number | null; note: string } {
  if (now.phase === 'opening' || now.phase === 'planning') {
    return { done: 0, total: null, note: `reading the source: ${n(now.read)} rows` };
  }
  if (now.phase === 'preparing') return { done: 0, total: null, note: 'reading what the account has' };
  const parts = [
    `${n(now.created)} created`,
    `${n(now.updated)} updated`,
    `${n(now.cards)} cards`,
    ...(now.failed > 0 ? [`${n(now.failed)} failed`] : []),
    ...(now.unknown > 0 ? [`${n(now.unknown)} unknown`] : []),
  ];
  return { done: now.done, total: now.total, note: parts.join(', ') };
}

/** How far a run is, as people read it. */
export function describeProgress(now: RunProgress): string[] {
  const hold = now.paused;
  const paused = hold === null ? '' : `, paused by ${hold.by}: ${hold.reason || 'no reason given'}`;
  return [
    `run ${now.run ?? '(not opened yet)'}: ${now.phase}${paused}`,
    `  ${n(now.read)} rows read, ${n(now.rejected)} rejected; ${n(now.done)} of ${n(now.total)} records done`,
    `  ${n(now.created)} created, ${n(now.updated)} updated, ${n(now.failed)} failed, ${n(now.unknown)} unknown, ${n(now.cards)} cards`,
    ...(now.stoppedSteps.length === 0 ? [] : [`  stopped steps: ${now.stoppedSteps.join(', ')}`]),
  ];
}

/** A report as people read it. */
export function describeReport(report: RunReport): string[] {
  const { read, created, updated, unchanged, rejected, failed, unknown } = report;
  return [
    `run ${report.run}: ${n(read)} rows read in ${report.seconds} s`,
    `  ${n(created)} created, ${n(updated)} updated, ${n(unchanged)} unchanged, ${n(rejected)} rejected, ${n(failed)} failed, ${n(unknown)} unknown`,
    `  ${n(report.cards)} cards created, ${n(report.calls)} API calls made`,
    ...(report.pending > 0 ? [`  ${n(report.pending)} records left undone`] : []),
    ...(report.carried === undefined
      ? []
      : [`  ${n(report.carried)} of the rows were left undone by the run before`]),
    ...describeVanished(report),
    ...describeProblems(report),
    ...report.warnings.map((warning) => `  warning: ${warning.step}: ${warning.reason} [${warning.code}]`),
  ];
}

function describeVanished({ vanished = 0, vanishedFailed = 0 }: RunReport): string[] {
  if (vanished + vanishedFailed === 0) return [];
  const failed = vanishedFailed === 0 ? '' : `, ${n(vanishedFailed)} of them in vain`;
  return [`  ${n(vanished + vanishedFailed)} people left the source and were acted on${failed}`];
}

function describeProblems({ problems, rejected, failed, unknown }: RunReport): string[] {
  const rows = new Set(problems.map(({ row }) => row)).size;
  const more = rejected + failed + unknown - rows;
  return [
    ...problems.map(({ row, outcome, where, reason }) => `  row ${n(row)} ${outcome}: ${where}: ${reason}`),
    ...(more > 0 ? [`  and ${n(more)} more rows: see \`sluice sync rows\``] : []),
  ];
}

/** Exit code of a finished run. */
export function exitCodeOf(report: RunReport): number {
  if (report.unknown > 0) return EXIT.unknownOutcomes;
  // Not one row could be mapped: the mapping is wrong, or the file.
  const nothing = report.read > 0 && report.rejected === report.read;
  const failed = report.failed + (report.vanishedFailed ?? 0) > 0;
  return failed || nothing ? EXIT.failedRecords : EXIT.ok;
}
