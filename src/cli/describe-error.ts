// Any error that ends a command, as what stands on stderr and the exit code.
import { CommanderError } from 'commander';
import { ConfigError, ConfigFileError, SecretError, UnknownNameError } from '../config/errors.ts';
import { SourceError } from '../contracts/source.ts';
import { LedgerError } from '../ledger/database.ts';
import { FolderHeldError } from '../runtime/folder-lock.ts';
import { BinaryNotFoundError } from '../runtime/temporal-binary.ts';
import { TemporalUnavailableError } from '../runtime/temporal-health.ts';
import { TemporalStartError } from '../runtime/temporal-process.ts';
import { CliError, EXIT } from './exit.ts';

/** Null message: commander has said it already. */
export function describeError(error: unknown): { message: string | null; exitCode: number } {
  if (error instanceof CommanderError) {
    return { message: null, exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  }
  if (!(error instanceof Error)) return { message: String(error), exitCode: EXIT.error };
  return { message: error.message, exitCode: exitCodeOf(error) };
}

function exitCodeOf(error: Error): number {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof ConfigError) return EXIT.usage;
  if (error instanceof ConfigFileError) return error.code === 'not_found' ? EXIT.notFound : EXIT.error;
  if (error instanceof UnknownNameError) return EXIT.notFound;
  if (error instanceof SecretError) return EXIT.auth;
  if (error instanceof FolderHeldError) return EXIT.conflict;
  if (error instanceof TemporalUnavailableError || error instanceof TemporalStartError)
    return EXIT.unavailable;
  if (error instanceof BinaryNotFoundError) return EXIT.unavailable;
  if (error instanceof SourceError) {
    if (error.retryable) return EXIT.unavailable;
    if (error.code === 'not_found') return EXIT.notFound;
    return error.code === 'denied' || error.code === 'secret' ? EXIT.auth : EXIT.error;
  }
  if (error instanceof LedgerError && isAway(error.code)) return EXIT.unavailable;
  return EXIT.error;
}

/** Of a database: nobody listens there, the name is unknown, the connection broke or was refused (SQLSTATE 08 and 57P). */
function isAway(code: string | null): boolean {
  return code !== null && /^(E[A-Z_]{3,}|08...|57P..)$/.test(code);
}
