// `sluice sync rows`: which rows of the last run were rejected, failed or are unknown, and why.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { RunProblem } from '../contracts/run.ts';
import { listProblems } from '../ledger/records.ts';
import { lastRun, listWarnings } from '../ledger/runs.ts';
import { acquireFolderLock, FolderHeldError } from '../runtime/folder-lock.ts';
import { openLedger } from '../runtime/ledger-database.ts';
import type { Shutdown } from '../runtime/shutdown.ts';
import { CliError, EXIT } from './exit.ts';
import { runCommand } from './lifetime.ts';
import { openConfig, type SessionOptions, withSessionOptions } from './session.ts';

type Options = SessionOptions & { readonly json: boolean } & {
  readonly [outcome in RunProblem['outcome']]: boolean;
};

const OUTCOMES = ['rejected', 'failed', 'unknown'] as const;

export function registerSyncRows(sync: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(sync.command('rows <name>'))
    .description('rows of the last run that were rejected, failed or are unknown, with the reason')
    .option('--rejected', 'only rows that could not be mapped', false)
    .option('--failed', 'only records that the service refused', false)
    .option('--unknown', 'only records whose outcome could not be established', false)
    .option('--json', 'one JSON object a line', false)
    .action(async (name: string, options: Options) => {
      process.exitCode = await runCommand((shutdown) => printRows(name, options, env, shutdown));
    });
}

async function printRows(
  name: string,
  options: Options,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<number> {
  const { account } = (await openConfig(options.config, env)).spec(name);
  const stateDir = resolve(options.state);
  if (!env.DATABASE_URL) {
    const lock = await acquireFolderLock(stateDir, { command: 'sluice sync rows' }).catch((error: Error) => {
      if (!(error instanceof FolderHeldError)) throw error;
      const way =
        'end it first, or keep the ledger in PostgreSQL (DATABASE_URL), which serves several processes';
      throw new CliError(EXIT.conflict, `${error.message}\nThe embedded ledger serves one process: ${way}`, {
        cause: error,
      });
    });
    shutdown.add('folder lock', () => lock.release());
  }
  const db = await openLedger({ url: env.DATABASE_URL, stateDir, onError: () => undefined });
  shutdown.add('ledger', () => db.close());
  const run = await lastRun(db, account, name);
  if (run === null) throw new CliError(EXIT.notFound, `the sync "${name}" has not run yet`);
  const wanted = OUTCOMES.filter((outcome) => options[outcome]);
  const rows = await listProblems(db, run.id, 1_000_000, wanted.length === 0 ? OUTCOMES : wanted);
  for (const row of rows) {
    const { row: number, outcome, where, code, reason } = row;
    process.stdout.write(
      options.json ? `${JSON.stringify(row)}\n` : `row ${number}\t${outcome}\t${where}\t${code}\t${reason}\n`,
    );
  }
  for (const { step, code, reason } of await listWarnings(db, run.id)) {
    process.stderr.write(`warning: ${step}: ${reason} [${code}]\n`);
  }
  process.stderr.write(`${rows.length} findings in run ${run.id} (${run.status})\n`);
  return EXIT.ok;
}
