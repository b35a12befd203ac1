// Starts a sync as a workflow or joins its active run, and follows it to its report.

import {
  ApplicationFailure,
  type Client,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import type { crmSync } from '../../../workflows/crm-sync.ts';
import { resumeUpdate } from '../../../workflows/messages.ts';
import { crmSyncIdentity, WORK_QUEUE } from '../../contracts/ids.ts';
import type { RetryRequest } from '../../contracts/wire/retry.ts';
import type { RunProgress, RunReport } from '../../contracts/wire/run.ts';
import { SOURCE_FAILURE } from '../../contracts/wire/source.ts';
import { CliError, EXIT, exitCodeOfSource } from '../lib/exit.ts';
import { follow } from '../lib/follow.ts';
import { formatMany } from '../lib/format.ts';
import { say } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import type { Progress } from '../lib/progress.ts';
import { formatCount as n } from '../lib/progress.ts';
import { describeTotals, placeOf } from './describe-problems.ts';
import { readProgress } from './sync-progress.ts';

/** temporal.api.enums.v1.TaskQueueType: the SDK exports its enums only with the whole protocol package. */
const TASK_QUEUE_TYPE_WORKFLOW = 1;

export type SyncHandle = WorkflowHandle<typeof crmSync>;

/**
 * A sync has one workflow at a time: a second start joins the first. A retry joins nothing.
 * @throws WorkflowExecutionAlreadyStartedError when a retry finds an active run
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

/** Warns that a workflow waits because no worker runs. */
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

/** Whether a person watches who can act on a refusal: no script reads the output, and stderr is a terminal. */
export function isAttended(forScript: boolean): boolean {
  return !forScript && process.stderr.isTTY;
}

export interface FollowedSync {
  readonly client: Client;
  readonly handle: SyncHandle;
  readonly progress: Progress;
  /** Stops watching; the run continues. */
  readonly signal: AbortSignal;
  /** Whether a person watches who can act when the service refuses the run. */
  readonly attended: boolean;
  /** Name of the sync in the configuration. */
  readonly sync: string;
}

/**
 * Shows a run's progress until it ends. All calls are over when it returns, so that the caller can close the
 * connection. If Sluice paused the run because of a refusal, the first check resumes it once: a user who starts it
 * again wants it to continue.
 * @returns null when `signal` stopped the watching; the run continues
 * @throws CliError with the reason when the run was canceled or failed, or when the service refuses the run and nobody
 * watches who can act on it
 */
export async function followSync(followed: FollowedSync): Promise<RunReport | null> {
  const { client, handle, progress, signal, sync } = followed;
  const refused = new AbortController();
  const check = showing(followed, refused);
  try {
    const stop = AbortSignal.any([signal, refused.signal]);
    const report = await follow({ client, handle, check, signal: stop });
    if (report === null) {
      if (refused.signal.aborted && !signal.aborted) throw refusedRun(sync, refused.signal.reason as Refused);
      return null;
    }
    const done = report.created + report.updated + report.failed + report.unknown;
    progress.update({ done, total: done, note: 'done' });
    return report;
  } catch (error) {
    if (error instanceof WorkflowFailedError) {
      const now = await ask(handle);
      const counts = now === null ? '' : `\n${describeProgress(now).join('\n')}`;
      const root = rootOf(error);
      throw new CliError(exitCodeOfFailure(root), `the sync ended: ${root.message}${counts}`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    progress.finish();
  }
}

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** If a source is unreadable, the run ends with the exit code that the source has in any other command. */
function exitCodeOfFailure(root: Error): number {
  const type = root instanceof ApplicationFailure ? (root.type ?? '') : '';
  return type.startsWith(SOURCE_FAILURE)
    ? exitCodeOfSource(type.slice(SOURCE_FAILURE.length).toLowerCase())
    : EXIT.error;
}

interface Refused {
  readonly code: string;
  readonly reason: string;
}

/** The token is refused: unknown, revoked, expired, or without a scope (API text, Authentication). */
function concernsToken(code: string): boolean {
  return code.startsWith('ERR_TOKEN_') || code === 'ERR_SCOPE_MISSING';
}

function wayOut(sync: string, code: string): string {
  const what = concernsToken(code) ? 'Give the account a token that works' : 'Correct the cause';
  return `${what}, then run \`sluice sync run ${sync}\` again: it continues where it stopped`;
}

function refusedRun(sync: string, { code, reason }: Refused): CliError {
  const exitCode = concernsToken(code) ? EXIT.auth : EXIT.error;
  const message = `the service refuses the run, so Sluice paused it; no work is lost (${reason}). ${wayOut(sync, code)}`;
  return new CliError(exitCode, message);
}

function showing(
  { handle, progress, attended, sync }: FollowedSync,
  refused: AbortController,
): () => Promise<void> {
  let paused: string | null = null;
  let reported: string | null = null;
  let wasShown = false;
  return async () => {
    const now = await ask(handle);
    if (now === null) return;
    const pause = now.paused;
    const first = !wasShown;
    wasShown = true;
    if (pause?.code !== undefined && first) {
      progress.line(`the run was paused (${pause.reason}); trying again`);
      const command = { by: operatorName(), reason: 'started again', recheck: true };
      await handle.executeUpdate(resumeUpdate, { args: [command] });
      return;
    }
    if (pause?.code !== undefined && !attended) {
      refused.abort({ code: pause.code, reason: pause.reason } satisfies Refused);
      return;
    }
    const reason = pause === null ? null : describePause(pause, sync);
    if (reason !== null && reason !== paused) progress.line(reason);
    paused = reason;
    const trouble = troubleOf(now) ?? (await failing(handle));
    if (trouble !== null && trouble !== reported) progress.line(trouble);
    reported = trouble;
    progress.update(describe(now));
  };
}

function describePause({ by, reason, code }: NonNullable<RunProgress['paused']>, sync: string): string {
  return code === undefined
    ? `paused by ${by}: ${reason || 'no reason given'}; continue with \`sluice sync resume ${sync}\``
    : `paused, because the service refuses the run: ${reason}. End this command with Ctrl-C. ${wayOut(sync, code)}`;
}

/** Number of failed attempts before the command reports them: one lost answer is normal. */
const QUIET_FAILURES = 2;

/**
 * Why repeated calls fail; null when none does. Without this, a run whose service is away looks like one that works.
 */
export async function failing(handle: Pick<WorkflowHandle, 'describe'>): Promise<string | null> {
  const { raw } = await handle.describe().catch(() => ({ raw: null }));
  for (const { attempt, lastFailure } of raw?.pendingActivities ?? []) {
    const type = lastFailure?.applicationFailureInfo?.type;
    // A planned delay is not a failure, whatever the attempt count: the budget asks for it, and a 429.
    if (type == null || type === 'ComeBack' || (attempt ?? 0) <= QUIET_FAILURES) continue;
    return `retrying: ${lastFailure?.message ?? type} [${type}]`;
  }
  return null;
}

export function troubleOf({ trouble }: RunProgress): string | null {
  return trouble === null || trouble.failures <= QUIET_FAILURES ? null : `retrying: ${trouble.reason}`;
}

/** Null while no worker answers, and after the workflow has ended: the result says it then. */
async function ask(handle: SyncHandle): Promise<RunProgress | null> {
  return await readProgress(handle).catch(() => null);
}

function describe(now: RunProgress): { done: number; total: number | null; note: string } {
  if (now.phase === 'opening' || now.phase === 'planning') {
    return { done: 0, total: null, note: `reading the source: ${formatMany(now.read, 'row')}` };
  }
  if (now.phase === 'preparing') return { done: 0, total: null, note: 'reading what the account has' };
  const parts = [
    `${n(now.created)} created`,
    `${n(now.updated)} updated`,
    formatMany(now.cards, 'card'),
    ...(now.failed > 0 ? [`${n(now.failed)} failed`] : []),
    ...(now.unknown > 0 ? [`${n(now.unknown)} unknown`] : []),
  ];
  return { done: now.done, total: now.total, note: parts.join(', ') };
}

/** The progress of a run as text. */
export function describeProgress(now: RunProgress): string[] {
  const pauseNow = now.paused;
  const paused =
    pauseNow === null ? '' : `, paused by ${pauseNow.by}: ${pauseNow.reason || 'no reason given'}`;
  return [
    `run ${now.run ?? '(not opened yet)'}: ${now.phase}${paused}`,
    `  ${formatMany(now.read, 'row')} read, ${n(now.merged)} merged, ${n(now.rejected)} rejected; ${n(now.done)} of ${formatMany(now.total, 'record')} done`,
    `  ${n(now.created)} created, ${n(now.updated)} updated, ${n(now.failed)} failed, ${n(now.unknown)} unknown, ${formatMany(now.cards, 'card')}`,
    ...(now.stoppedSteps.length === 0 ? [] : [`  stopped steps: ${now.stoppedSteps.join(', ')}`]),
    ...describeTotals(now.totals),
  ];
}

/** A report as text. @param rowsCommand the command that lists all rows */
export function describeReport(report: RunReport, rowsCommand: string): string[] {
  const { read, created, updated, unchanged, merged, rejected, failed, unknown } = report;
  return [
    `run ${report.run}: ${formatMany(read, 'row')} read in ${report.seconds} s`,
    `  ${n(created)} created, ${n(updated)} updated, ${n(unchanged)} unchanged, ${n(merged)} merged, ${n(rejected)} rejected, ${n(failed)} failed, ${n(unknown)} unknown`,
    `  ${formatMany(report.cards, 'card')} created, ${formatMany(report.calls, 'API call')} made`,
    ...(report.pending > 0 ? [`  ${formatMany(report.pending, 'record')} left undone`] : []),
    ...(report.carried === undefined
      ? []
      : [`  ${n(report.carried)} of the rows were left undone by the run before`]),
    ...describeVanished(report),
    ...describeProblems(report, rowsCommand),
    ...report.warnings.map((warning) => `  warning: ${warning.step}: ${warning.reason} [${warning.code}]`),
  ];
}

function describeVanished({ vanished = 0, vanishedFailed = 0 }: RunReport): string[] {
  if (vanished + vanishedFailed === 0) return [];
  const failed = vanishedFailed === 0 ? '' : `, ${n(vanishedFailed)} of them failed`;
  const people = vanished + vanishedFailed;
  const who = people === 1 ? '1 person' : `${n(people)} people`;
  return [`  ${who} left the source and ${people === 1 ? 'was' : 'were'} processed${failed}`];
}

function describeProblems(
  { totals, problems, rejected, failed, unknown }: RunReport,
  rowsCommand: string,
): string[] {
  const rows = new Set(problems.map(({ row }) => row)).size;
  const more = rejected + failed + unknown - rows;
  return [
    ...describeTotals(totals),
    ...problems.map(
      ({ row, outcome, where, column, reason }) =>
        `  row ${n(row)} ${outcome}: ${placeOf(where, column)}: ${reason}`,
    ),
    ...(more > 0 ? [`  and ${formatMany(more, 'more row', 'more rows')}: see \`${rowsCommand}\``] : []),
  ];
}

/** Exit code of a finished run. */
export function exitCodeOf(report: RunReport): number {
  if (report.unknown > 0) return EXIT.unknownOutcomes;
  // No row could be mapped: the mapping or the file is wrong.
  const nothing = report.read > 0 && report.rejected === report.read;
  const cut = report.warnings.some(({ code }) => code === 'NOT_READ');
  const failed = report.failed + (report.vanishedFailed ?? 0) + report.stoppedSteps.length > 0;
  return failed || nothing || cut ? EXIT.failedRecords : EXIT.ok;
}
