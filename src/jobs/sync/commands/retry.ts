// `sluice sync retry`: takes up failed or unknown records of the last run again, without reading the source.
import type { Command } from 'commander';
import { collect } from '../../../cli/lib/arguments.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../cli/lib/exit.ts';
import { RETRY_REFUSED, type RetriedStatus } from '../contract/retry.ts';
import { attendSync } from './attend-sync.ts';
import { RunEndedError } from './follow-sync.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
  readonly failed: boolean;
  readonly unknown: boolean;
  readonly code: readonly string[];
  readonly run?: string;
}

export function registerSyncRetry(sync: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(sync.command('retry').argument('<name>', 'name of the sync'))
    .description('start a run of the records that failed in the last run, without reading the source')
    .option('--failed', 'records that the service refused (default)', false)
    .option(
      '--unknown',
      'records with an unknown outcome; Sluice checks for the effect before it sends anything again',
      false,
    )
    .option('--code <code>', 'only records with this code; repeatable', collect, [])
    .option('--run <id>', 'id of a run (default: the last run)')
    .option('--json', 'print the report as JSON', false)
    .action(async (name: string, options: Options) => {
      await attendSync({
        sync: name,
        verb: 'retry',
        options,
        env,
        begin: (client) =>
          client.call('POST /syncs/{sync}/retries', {
            sync: name,
            run: options.run,
            statuses: statusesOf(options),
            codes: options.code.length === 0 ? undefined : options.code,
          }),
        onFailure(error) {
          const { nothing } = asRefusal(error);
          say(nothing);
          if (options.json) process.stdout.write(`${JSON.stringify({ run: null, read: 0 })}\n`);
          return EXIT.ok;
        },
      });
    });
}

function statusesOf({ failed, unknown, code }: Options): RetriedStatus[] {
  // A code names its records well enough: it may stand with either status.
  const byCode = code.length > 0 && !failed && !unknown;
  return [
    ...(failed || byCode || !unknown ? (['failed'] as const) : []),
    ...(unknown || byCode ? (['unknown'] as const) : []),
  ];
}

/** A retry that could not begin ends its workflow with a failure that says why. */
function asRefusal(error: unknown): { readonly nothing: string } {
  if (!(error instanceof RunEndedError)) throw error;
  if (error.type === RETRY_REFUSED.nothing) return { nothing: error.why };
  const codes: Readonly<Record<string, number>> = {
    [RETRY_REFUSED.open]: EXIT.conflict,
    [RETRY_REFUSED.noRun]: EXIT.notFound,
  };
  const exitCode = codes[error.type];
  if (exitCode === undefined) throw error;
  throw new CliError(exitCode, error.why, { cause: error });
}
