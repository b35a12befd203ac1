// What `sync run` and `sync retry` share: starting a run, and watching it to its end and its report.

import { connectOperator } from '../../../cli/lib/connect/connect.ts';
import type { Connected } from '../../../cli/lib/connect/connected.ts';
import { runCommand, say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, sameSession } from '../../../cli/lib/connect/session.ts';
import { sayNoWorker } from '../../../cli/lib/connect/workers.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { createProgress, type Progress } from '../../../cli/lib/terminal/progress.ts';
import { isAttended } from '../../../cli/lib/terminal/terminal.ts';
import type { Shutdown } from '../../../core/shutdown.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Output } from '../../../operator/contract/index.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { RunReport } from '../contract/run.ts';
import { describeReport, exitCodeOf } from './describe-run.ts';
import { followSync, reportOf } from './follow-sync.ts';

export interface Attended {
  readonly sync: string;
  readonly verb: 'run' | 'retry';
  readonly options: SessionOptions & { readonly json: boolean };
  readonly env: NodeJS.ProcessEnv;
  readonly begin: (client: OperatorClient) => Promise<Output<'POST /syncs/{sync}/runs'>>;
  /** The exit code when the run ended without a report. It may throw the error itself. */
  readonly onFailure?: (error: unknown) => number;
}

/** Begins a run and watches it. Its exit code is that of the report. */
export async function attendSync(attended: Attended): Promise<void> {
  const { sync, verb, options, env } = attended;
  const connecting = { command: `sluice sync ${verb} ${sync}`, creates: true, configured: true };
  process.exitCode = await runCommand(async (shutdown) => {
    const connected = await connectOperator(options, env, shutdown, connecting);
    return await Promise.race([watch(attended, connected, shutdown), connected.failed]);
  });
}

/** `ok` also when the user stops watching, because the run continues. */
async function watch(attended: Attended, connected: Connected, shutdown: Shutdown): Promise<number> {
  const { sync, verb, options, begin, onFailure } = attended;
  const { execution, resumed, workers } = await begin(connected.client);
  if (!workers) sayNoWorker();
  const progress = createProgress(process.stderr, { label: `${verb === 'run' ? 'sync' : verb} ${sync}` });
  if (resumed !== null) progress.line(`the run was paused (${resumed}); trying again`);
  try {
    const report = await followSync({
      client: connected.client,
      sync,
      execution,
      progress,
      signal: shutdown.signal,
      attended: isAttended(options.json),
    }).catch((error: unknown) => afterLoss(error, attended, { connected, progress, shutdown }));
    if (report === null) {
      say(`stopped watching; the run goes on with the next \`sluice sync run ${sync}\``);
      return EXIT.ok;
    }
    const lines = options.json
      ? [JSON.stringify(report)]
      : describeReport(report, sameSession(`sync rows ${sync}`, options));
    process.stdout.write(`${lines.join('\n')}\n`);
    return exitCodeOf(report);
  } catch (error) {
    if (onFailure === undefined) throw error;
    return onFailure(error);
  }
}

/**
 * The Sluice that did the work has ended, perhaps because the run has: the ledger knows.
 * @throws the error if it is another one
 */
async function afterLoss(
  error: unknown,
  { sync, verb, options, env }: Attended,
  { connected, progress, shutdown }: { connected: Connected; progress: Progress; shutdown: Shutdown },
): Promise<RunReport | null> {
  const isLoss = error instanceof OperatorError && error.kind === 'unavailable';
  if (!isLoss || connected.where !== 'socket' || options.server || env.SLUICE_SERVER) throw error;
  const command = `sluice sync ${verb} ${sync}`;
  const { client } = await connectOperator(options, env, shutdown, { command });
  const now = await client.call('GET /syncs/{sync}/progress', { sync });
  if (now.end !== null) return reportOf(now, progress);
  throw new CliError(
    EXIT.unavailable,
    `the Sluice that ran the sync has ended before the run; \`sluice sync run ${sync}\` continues it`,
    { cause: error },
  );
}
