// Follows a run of a sync to its report, in this process or in another.

import { CliError, EXIT, EXIT_OF } from '../../../cli/lib/exit.ts';
import type { Progress } from '../../../cli/lib/terminal/progress.ts';
import { needsToken } from '../../../core/refused-access.ts';
import { SOURCE_FAILURE } from '../../../core/source.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import { kindOfSource } from '../../../operator/source-kind.ts';
import type { RunProgress, RunReport } from '../contract/run.ts';
import type { SyncProgress } from '../contract/runs.ts';
import { barOf, describeProgress } from './describe-run.ts';

/** Milliseconds between two looks at the progress; the end of the run is answered at once. */
const CHECK_MS = 500;

export interface FollowedSync {
  readonly client: OperatorClient;
  readonly sync: string;
  /** Of the run, as its start answered it. */
  readonly execution: string;
  readonly progress: Progress;
  /** Stops watching; the run continues. */
  readonly signal: AbortSignal;
  /** Whether a person watches who can act when the service refuses the run. */
  readonly attended: boolean;
}

/** How a run ended without a report. */
export class RunEndedError extends CliError {
  /** Type of the workflow's failure. */
  readonly type: string;
  /** What the failure says. */
  readonly why: string;
  constructor(exitCode: number, message: string, { type, why }: { type: string; why: string }) {
    super(exitCode, message);
    this.type = type;
    this.why = why;
  }
}

/**
 * Shows a run's progress until it ends.
 * @returns null when `signal` stopped the watching; the run continues
 * @throws CliError with the reason when the run was canceled or failed, or when the service refuses the run and nobody
 * watches who can act on it; OperatorError when the server is gone
 */
export async function followSync(followed: FollowedSync): Promise<RunReport | null> {
  const { client, execution, progress, signal, sync } = followed;
  const show = showing(followed);
  try {
    for (let waitMs = 0; !signal.aborted; waitMs = CHECK_MS) {
      const input = { sync, execution, waitMs };
      const now = await client.call('GET /syncs/{sync}/progress', input, { signal });
      if (now.end !== null) return reportOf(now, progress);
      show(now);
    }
    return null;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    progress.finish();
  }
}

/** @throws RunEndedError when the run has no report */
export function reportOf({ end, progress: last }: SyncProgress, progress: Progress): RunReport {
  if (end === null || end.report === null || end.status !== 'finished') {
    const counts = last === null ? '' : `\n${describeProgress(last).join('\n')}`;
    const why = end?.message ?? end?.status ?? 'no reason given';
    const type = end?.type ?? '';
    throw new RunEndedError(exitCodeOfFailure(type), `the sync ended: ${why}${counts}`, { type, why });
  }
  const { created, updated, failed, unknown } = end.report;
  const done = created + updated + failed + unknown;
  progress.update({ done, total: done, note: 'done' });
  return end.report;
}

/** If a source is unreadable, the run ends with the exit code that the source has in any other command. */
function exitCodeOfFailure(type: string): number {
  return type.startsWith(SOURCE_FAILURE)
    ? EXIT_OF[kindOfSource(type.slice(SOURCE_FAILURE.length).toLowerCase())]
    : EXIT.error;
}

function wayOut(sync: string, isToken: boolean): string {
  const what = isToken ? 'Give the account a token that works' : 'Correct the cause';
  return `${what}, then run \`sluice sync run ${sync}\` again: it continues where it stopped`;
}

function refusedRun(sync: string, { code, reason }: { code: string; reason: string }): CliError {
  const isToken = needsToken(code, reason);
  const exitCode = isToken ? EXIT.auth : EXIT.error;
  const message = `the service refuses the run, so Sluice paused it; no work is lost (${reason}). ${wayOut(sync, isToken)}`;
  return new CliError(exitCode, message);
}

function showing({ progress, attended, sync }: FollowedSync): (now: SyncProgress) => void {
  let paused: string | null = null;
  let reported: string | null = null;
  return ({ progress: now, trouble }) => {
    const pause = now?.paused ?? null;
    if (pause?.code !== undefined && !attended)
      throw refusedRun(sync, { code: pause.code, reason: pause.reason });
    const reason = pause === null ? null : describePause(pause, sync);
    if (reason !== null && reason !== paused) progress.line(reason);
    paused = reason;
    if (trouble !== null && trouble !== reported) progress.line(trouble);
    reported = trouble;
    if (now === null) return;
    progress.update({ ...barOf(now), paused: pause !== null });
  };
}

function describePause({ by, reason, code }: NonNullable<RunProgress['paused']>, sync: string): string {
  return code === undefined
    ? `paused by ${by}: ${reason || 'no reason given'}; continue with \`sluice sync resume ${sync}\``
    : `paused, because the service refuses the run: ${reason}. End this command with Ctrl-C. ${wayOut(sync, needsToken(code, reason))}`;
}
