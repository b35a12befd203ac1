// Opens the ledger for a command that works without a worker.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Database } from '../../ledger/database.ts';
import { openLedger } from '../../runtime/ledger-database.ts';
import { acquireFolderLock, FolderLockedError } from '../../runtime/lock/folder-lock.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { CliError, EXIT } from './exit.ts';
import { say } from './lifetime.ts';

/**
 * The embedded ledger serves one process: this command, until it ends. With DATABASE_URL, several processes share the
 * ledger.
 * @throws CliError (conflict) when another process has the embedded ledger, (not found) when the folder has none: a
 * command that reads never creates one
 */
export async function openLedgerAlone(
  command: string,
  state: string,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<Database> {
  if (!hasLedger(state, env)) throw noLedger(state);
  const stateDir = await lockLedger(command, state, env, shutdown);
  const db = await openLedger({ url: env.DATABASE_URL, stateDir, onError: () => undefined });
  shutdown.add('ledger', () => db.close());
  return db;
}

/** Whether something has run on this state folder, or several processes share a ledger. */
function hasLedger(state: string, env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.DATABASE_URL) || existsSync(join(resolve(state), 'ledger'));
}

function noLedger(state: string): CliError {
  return new CliError(
    EXIT.notFound,
    `there is no ledger in ${state}: nothing has run there; name the folder of your Sluice with --state or SLUICE_STATE, or set DATABASE_URL`,
  );
}

/**
 * Locks the embedded ledger for this process without opening it.
 * @returns the state folder as an absolute path
 * @throws CliError (conflict) when another process has it
 */
async function lockLedger(
  command: string,
  state: string,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<string> {
  const stateDir = resolve(state);
  if (env.DATABASE_URL) return stateDir;
  const lock = await acquireFolderLock(stateDir, { command }, say).catch((error: Error) => {
    if (!(error instanceof FolderLockedError)) throw error;
    const way =
      'end it first, or keep the ledger in PostgreSQL (DATABASE_URL), which serves several processes';
    throw new CliError(EXIT.conflict, `${error.message}\nThe embedded ledger serves one process: ${way}`, {
      cause: error,
    });
  });
  shutdown.add('folder lock', () => lock.release());
  return stateDir;
}
