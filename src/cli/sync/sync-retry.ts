// `sluice sync retry`: takes up failed or unknown records of the last run again, without reading the source.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Command } from 'commander';
import {
  LAST_RUN,
  RETRY_REFUSED,
  type RetriedStatus,
  type RetryRequest,
} from '../../contracts/wire/retry.ts';
import { collect } from '../lib/arguments.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/session.ts';
import { attendSync, openForSync } from './attend-sync.ts';
import { startSync } from './run-sync.ts';

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
      process.exitCode = await runCommand(async (shutdown) => {
        const { stack, account, client } = await openForSync('retry', name, options, env, shutdown);
        const handle = await startSync(client, account, name, requestOf(options)).catch((error: unknown) => {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
          throw new CliError(
            EXIT.conflict,
            `a run of "${name}" is under way; wait for its end (\`sluice sync run ${name}\` shows it) or cancel it`,
            { cause: error },
          );
        });
        try {
          return await attendSync({
            client,
            handle,
            sync: name,
            label: `retry ${name}`,
            stack,
            shutdown,
            options,
          });
        } catch (error) {
          const { nothing } = asRefusal(error);
          say(nothing);
          if (options.json) process.stdout.write(`${JSON.stringify({ run: null, read: 0 })}\n`);
          return EXIT.ok;
        }
      });
    });
}

function requestOf({ failed, unknown, code, run }: Options): RetryRequest {
  // A code names its records well enough: it may stand with either status.
  const byCode = code.length > 0 && !failed && !unknown;
  const statuses: RetriedStatus[] = [
    ...(failed || byCode || !unknown ? (['failed'] as const) : []),
    ...(unknown || byCode ? (['unknown'] as const) : []),
  ];
  return { from: run ?? LAST_RUN, codes: code.length === 0 ? null : code, statuses };
}

/** A retry that could not begin ends its workflow with a failure that says why. */
function asRefusal(error: unknown): { readonly nothing: string } {
  const cause = rootOf(error);
  if (cause?.type === RETRY_REFUSED.nothing) return { nothing: cause.message };
  const codes: Readonly<Record<string, number>> = {
    [RETRY_REFUSED.open]: EXIT.conflict,
    [RETRY_REFUSED.noRun]: EXIT.notFound,
  };
  const exitCode = codes[cause?.type ?? ''];
  if (exitCode === undefined || cause === null) throw error;
  throw new CliError(exitCode, cause.message, { cause: error });
}

/** The failure at the root of an error, when it has a type. */
function rootOf(error: unknown): { readonly type: string; readonly message: string } | null {
  if (!(error instanceof Error)) return null;
  const deeper = rootOf(error.cause);
  if (deeper !== null) return deeper;
  return 'type' in error && typeof error.type === 'string'
    ? { type: error.type, message: error.message }
    : null;
}
