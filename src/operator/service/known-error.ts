// Errors below the handlers that an operator can do something about, as errors of the operator API.
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { ConfigError, ConfigFileError, SecretError, UnknownNameError } from '../../core/config/errors.ts';
import { DamagedValueError, UnknownLedgerKeyError } from '../../core/encryption/cipher.ts';
import { EncryptionKeyError } from '../../core/encryption/payload-keys.ts';
import { SourceError } from '../../core/source.ts';
import { LedgerError } from '../../core/sql/database.ts';
import { MappingStoppedError } from '../../mapping/errors.ts';
import { DamagedPayloadError, UnknownEncryptionKeyError } from '../../protect/codec/errors.ts';
import { OperatorError } from '../error.ts';
import { kindOfSource } from '../source-kind.ts';

/**
 * System codes of a failed connection, and the SQLSTATE classes 08 (connection), 25 (a standby), 40 (rolled back), 53
 * (resources, such as a full disk), 55 (in use), 57 (shut down) and 58 (input and output).
 */
const PASSING = /^(?:E[A-Z_]{3,}|(?:08|25|40|53|55|57|58)...)$/;
/** gRPC codes DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and UNAVAILABLE. */
const AWAY: ReadonlySet<number> = new Set([4, 8, 14]);

/** Null: an error that nobody expected. It belongs in the log. */
export function asOperatorError(error: unknown): OperatorError | null {
  if (error instanceof OperatorError) return error;
  if (error instanceof UnknownNameError)
    return new OperatorError('notFound', error.message, { code: 'UNKNOWN_NAME', cause: error });
  if (error instanceof ConfigError || error instanceof ConfigFileError)
    return new OperatorError('invalid', error.message, { code: 'CONFIG', cause: error });
  if (error instanceof SecretError)
    return new OperatorError('failed', error.message, { code: 'SECRET', cause: error });
  if (error instanceof SourceError)
    return new OperatorError(kindOfSource(error.code, error.retryable), error.message, {
      code: error.failure,
      cause: error,
    });
  if (error instanceof MappingStoppedError)
    return new OperatorError('invalid', error.message, { code: 'MAPPING_STOPPED', cause: error });
  if (error instanceof EncryptionKeyError)
    return new OperatorError('failed', error.message, { code: 'ENCRYPTION_KEY', cause: error });
  if (error instanceof UnknownEncryptionKeyError)
    return new OperatorError('conflict', error.message, { code: 'ENCRYPTION_KEY_UNKNOWN', cause: error });
  if (error instanceof DamagedPayloadError)
    return new OperatorError('conflict', error.message, { code: 'PAYLOAD_DAMAGED', cause: error });
  if (error instanceof UnknownLedgerKeyError)
    return new OperatorError('conflict', error.message, { code: 'LEDGER_KEY_UNKNOWN', cause: error });
  if (error instanceof DamagedValueError)
    return new OperatorError('conflict', error.message, { code: 'LEDGER_VALUE_DAMAGED', cause: error });
  // A statement that the database refuses for another reason is a defect, and waiting does not correct it.
  if (error instanceof LedgerError && isPassing(error.code))
    return new OperatorError('unavailable', error.message, { code: 'LEDGER', cause: error });
  if (isTemporalAway(error))
    return new OperatorError('unavailable', `Temporal does not answer: ${(error as Error).message}`, {
      code: 'TEMPORAL',
      cause: error,
    });
  return null;
}

function isTemporalAway(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && AWAY.has(cause.code);
}

/** Whether the database was away, and did not refuse a statement. @param code of a `LedgerError` */
export function isPassing(code: string | null): boolean {
  return code === null || PASSING.test(code);
}
