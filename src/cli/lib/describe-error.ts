// Turns an error that ends a command into the text on stderr and the exit code.
import { CommanderError } from 'commander';
import {
  ConfigError,
  ConfigFileError,
  formatProblem,
  SecretError,
  UnknownNameError,
} from '../../config/errors.ts';
import { SourceError } from '../../contracts/wire/source.ts';
import { DatabaseUrlError, LedgerError } from '../../ledger/database.ts';
import { MappingStoppedError } from '../../mapping/errors.ts';
import { neutralLine } from '../../observability/neutral.ts';
import { FolderLockedError } from '../../runtime/lock/folder-lock.ts';
import { FolderPathError } from '../../runtime/lock/make-folder.ts';
import { InsecureTemporalError, TemporalAddressError } from '../../runtime/temporal/temporal-address.ts';
import { BinaryNotFoundError } from '../../runtime/temporal/temporal-binary.ts';
import { TemporalUnavailableError } from '../../runtime/temporal/temporal-health.ts';
import { TemporalStartError } from '../../runtime/temporal/temporal-process.ts';
import { CliError, EXIT, exitCodeOfSource } from './exit.ts';

/** Null message: commander has printed it already. */
export function describeError(error: unknown): { message: string | null; exitCode: number } {
  if (error instanceof CommanderError) {
    return { message: null, exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  }
  if (!(error instanceof Error)) return { message: String(error), exitCode: EXIT.error };
  return { message: messageOf(error), exitCode: exitCodeOf(error) };
}

/** Only these errors may print several lines: a line break from outside could forge a line. */
function messageOf(error: Error): string {
  if (error instanceof ConfigError)
    return error.problems.map((problem) => neutralLine(formatProblem(problem))).join('\n');
  const hasLines =
    error instanceof CliError || error instanceof BinaryNotFoundError || error instanceof TemporalStartError;
  return hasLines ? error.message : neutralLine(error.message);
}

function exitCodeOf(error: Error): number {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof ConfigError)
    return error.problems.every(({ missingFile }) => missingFile === true) ? EXIT.notFound : EXIT.usage;
  if (error instanceof ConfigFileError) return error.code === 'not_found' ? EXIT.notFound : EXIT.usage;
  if (error instanceof MappingStoppedError) return EXIT.usage;
  if (error instanceof UnknownNameError) return EXIT.notFound;
  if (error instanceof SecretError) return EXIT.auth;
  if (error instanceof InsecureTemporalError || error instanceof TemporalAddressError) return EXIT.usage;
  if (error instanceof DatabaseUrlError) return EXIT.usage;
  if (error instanceof FolderPathError) return EXIT.conflict;
  if (error instanceof FolderLockedError) return EXIT.conflict;
  if (error instanceof TemporalUnavailableError || error instanceof TemporalStartError)
    return EXIT.unavailable;
  if (error instanceof BinaryNotFoundError) return EXIT.unavailable;
  if (error instanceof SourceError) {
    return error.retryable ? EXIT.unavailable : exitCodeOfSource(error.code);
  }
  if (error instanceof LedgerError && isAway(error.code)) return EXIT.unavailable;
  return EXIT.error;
}

/**
 * Database errors: nothing listens there, the name is unknown, the connection broke or was refused (SQLSTATE 08 and
 * 57P).
 */
function isAway(code: string | null): boolean {
  return code !== null && /^(E[A-Z_]{3,}|08...|57P..)$/.test(code);
}
