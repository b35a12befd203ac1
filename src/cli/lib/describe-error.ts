// Turns an error that ends a command into the text on stderr and the exit code.

import { FolderLockedError } from '../../core/lock/folder-lock.ts';
import { FolderPathError } from '../../core/lock/make-folder.ts';
import { SourceError } from '../../core/source.ts';
import { DatabaseUrlError, LedgerError } from '../../core/sql/database.ts';
import {
  LedgerRoleError,
  LedgerTooNewError,
  LedgerTooOldError,
} from '../../core/sql/migrations/migrations.ts';
import { PostgresTooOldError } from '../../core/sql/server-version.ts';
import { MappingStoppedError } from '../../mapping/errors.ts';
import { neutralLine } from '../../observe/neutral.ts';
import { OperatorError } from '../../operator/error.ts';
import { kindOfSource } from '../../operator/source-kind.ts';
import { InsecureTemporalError, TemporalSettingsError } from '../../temporal/temporal-address.ts';
import { BinaryNotFoundError } from '../../temporal/temporal-binary.ts';
import { TemporalUnavailableError } from '../../temporal/temporal-health.ts';
import { TemporalStartError } from '../../temporal/temporal-process.ts';
import { type Described, describePlain } from './describe-plain.ts';
import { EXIT, EXIT_OF } from './exit.ts';

/** Code of the operator API's error when this process could not start Temporal or its workers. The cause is the error. */
export const START_FAILED = 'START_FAILED';

export function describeError(error: unknown): Described {
  if (error instanceof OperatorError && error.code === START_FAILED) return describeError(error.cause);
  const plain = describePlain(error);
  if (plain !== null) return plain;
  if (!(error instanceof Error)) return { message: String(error), exitCode: EXIT.error };
  // Only these errors may print several lines: a line break from outside could forge a line.
  const hasLines = error instanceof BinaryNotFoundError || error instanceof TemporalStartError;
  return { message: hasLines ? error.message : neutralLine(error.message), exitCode: exitCodeOf(error) };
}

function exitCodeOf(error: Error): number {
  if (error instanceof MappingStoppedError) return EXIT.usage;
  if (error instanceof InsecureTemporalError || error instanceof TemporalSettingsError) return EXIT.usage;
  if (error instanceof DatabaseUrlError) return EXIT.usage;
  if (error instanceof LedgerRoleError) return EXIT.auth;
  if (error instanceof LedgerTooNewError || error instanceof LedgerTooOldError) return EXIT.conflict;
  if (error instanceof PostgresTooOldError) return EXIT.conflict;
  if (error instanceof FolderPathError) return EXIT.conflict;
  if (error instanceof FolderLockedError) return EXIT.conflict;
  if (error instanceof TemporalUnavailableError || error instanceof TemporalStartError)
    return EXIT.unavailable;
  if (error instanceof BinaryNotFoundError) return EXIT.unavailable;
  if (error instanceof SourceError) return EXIT_OF[kindOfSource(error.code, error.retryable)];
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
