// Converts errors of the API client to Temporal failures: what is retried and when, and what an operator reads.
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { MediaError } from '../../src/connectors/media/media-error.ts';
import { SourceError } from '../../src/core/source.ts';
import type { RefusalDetails, RefusalScope, ShapeDetails } from '../../src/jobs/sync/contract/run.ts';
import { isKnownCode } from '../../src/service/api-client/error-codes.ts';
import {
  ApiError,
  refusalHint,
  TransportError,
  UnexpectedShapeError,
} from '../../src/service/api-client/errors.ts';
import { isRefusal, NOT_THE_API, refusalCode, refusalScope, shapeScope } from './refusal-scope.ts';

/** Failure details about an unexpected shape; undefined when no assumption is involved. */
export function shapeDetails(error: unknown): ShapeDetails | undefined {
  if (error instanceof UnexpectedShapeError) {
    const { assumption, seen } = error;
    return { assumptions: assumption === null ? [] : [assumption], seen };
  }
  if (error instanceof ApiError && error.assumptions.length > 0)
    return { assumptions: error.assumptions, seen: [] };
  return undefined;
}

/** The details of a failure, including what is known about the shape. */
export function refusalDetails(
  error: unknown,
  scope: RefusalScope,
  step: RefusalDetails['step'],
): RefusalDetails {
  const shape = shapeDetails(error);
  return shape === undefined ? { scope, step } : { scope, step, shape };
}

/** The service is busy or the slot is far away. This is not an error, only a retry time. */
export function comeBack(ms: number, why: string): ApplicationFailure {
  return ApplicationFailure.create({
    message: why,
    type: 'ComeBack',
    nextRetryDelay: Math.ceil(ms),
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** Nothing has failed: no slot was free, or it is too early. */
export const onlyWaits = (error: unknown): boolean =>
  error instanceof ApplicationFailure && error.type === 'ComeBack';

/** Milliseconds until the retry that a failure asks for; null when it asks for none. */
export function comesBackAfter(error: unknown): number | null {
  if (!(error instanceof ApplicationFailure) || error.nonRetryable === true) return null;
  return typeof error.nextRetryDelay === 'number' ? error.nextRetryDelay : null;
}

/** The run or one of its steps cannot continue. The workflow reads `scope` and reacts. */
export function refusal(code: string, message: string, details: RefusalDetails): ApplicationFailure {
  return ApplicationFailure.create({
    message: NOT_THE_API.test(code) ? `${message}, not as the API does; is baseUrl right?` : message,
    type: code,
    nonRetryable: true,
    details: [details],
  });
}

/** Why work is blocked: the code of a refusal, and the reason that an operator reads, with the code first. */
export function blockOf({ type, message }: ApplicationFailure): {
  readonly code: string;
  readonly reason: string;
} {
  const code = type ?? 'REFUSED';
  return { code, reason: `${code}: ${message}` };
}

/** Attempts also count waits. Where they stand for failures, this keeps the pause below half a minute. */
export const MAX_DOUBLINGS = 5;

/**
 * Wait before attempt n + 1 after n transient failures: starts at 1 s, doubles up to one minute, and varies by 20 %.
 */
export function backoffMs(failures: number): number {
  return Math.min(60_000, 1000 * 2 ** Math.min(failures - 1, 6)) * (0.9 + Math.random() * 0.2);
}

/**
 * Converts any error of an API activity to a failure without personal data. The client's messages name the method and
 * the path template. Other errors' messages are kept out of the history.
 * @param failures transient failures of this call so far, including this one
 */
export function toFailure(error: unknown, step: RefusalDetails['step'], failures: number): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (error instanceof ApiError) {
    if (error.status === 429) return comeBack(rateLimitWaitMs(error), 'the token is over its limit');
    const message = callReason(error);
    const code = refusalCode(error);
    if (isRefusal(error))
      return refusal(code, message, refusalDetails(error, refusalScope(error, step), step));
    return retryable(message, code, failures);
  }
  if (error instanceof TransportError) {
    return retryable(error.message, `TRANSPORT_${error.reason.toUpperCase()}`, failures);
  }
  if (error instanceof UnexpectedShapeError) {
    const { message } = error;
    return refusal(
      'UNEXPECTED_SHAPE',
      message + restartFor(error),
      refusalDetails(error, shapeScope(error, step), step),
    );
  }
  if (error instanceof MediaError) return retryable(error.message, error.code, failures);
  const name = error instanceof Error ? (error as Error).name : 'error';
  return retryable(`${name} in ${step}; the worker's log has it`, 'INTERNAL', failures);
}

function retryable(message: string, type: string, failures: number): ApplicationFailure {
  return ApplicationFailure.create({ message, type, nextRetryDelay: Math.ceil(backoffMs(failures)) });
}

/**
 * The rate window is one minute (API text, Limits). A later time does not come from the API, or its clock is wrong.
 * The ledger stores the block, so a garbled value would block the token for years.
 */
const MAX_REST_MS = 60 * 60_000;

/** How long a token rests after a 429: Retry-After, else the end of the window, else one minute. */
export function rateLimitWaitMs(error: ApiError): number {
  if (error.retryAfterMs !== null) return Math.min(MAX_REST_MS, Math.max(1000, error.retryAfterMs));
  const untilReset = error.rate === null ? Number.NaN : error.rate.resetAt.getTime() - Date.now();
  return untilReset > 0 && untilReset <= 60_000 ? untilReset : 60_000;
}

/** Call, status and code, with the missing scope if the service names it. */
export function callReason({ message, requiredScope }: ApiError): string {
  return requiredScope === null ? message : `${message}: the token lacks the scope ${requiredScope}`;
}

/** An override, written as in the configuration of this account. */
export const forAccount = (account: string, message: string): string =>
  message.replaceAll('accounts.<name>', `accounts.${account}`);

/**
 * What Sluice expected, what the answer has, and what to write into sluice.yaml. No value of the answer is included.
 */
export function shapeReason(account: string, error: UnexpectedShapeError): string {
  return forAccount(account, error.message) + restartFor(error);
}

/** Blocks the run, because the service would send the same answer again. */
export function shapeRefusal(
  account: string,
  error: UnexpectedShapeError,
  step: RefusalDetails['step'],
): ApplicationFailure {
  return refusal('UNEXPECTED_SHAPE', shapeReason(account, error), refusalDetails(error, 'run', step));
}

const restartFor = ({ assumption }: UnexpectedShapeError): string =>
  assumption === null ? '' : ', and restart the workers';

/** The same error. Its message names the override in the configuration of this account. */
export function namedFor<E>(account: string, error: E): E {
  if (error instanceof ApiError || error instanceof UnexpectedShapeError)
    error.message = forAccount(account, error.message);
  return error;
}

/**
 * Reason of a failed record for the operator: what was refused and by which code, or what could not be read. It
 * includes the assumption that may be wrong, and its override.
 */
export function recordReason(account: string, error: ApiError | UnexpectedShapeError): string {
  return forAccount(account, reasonFor(error));
}

function reasonFor(error: ApiError | UnexpectedShapeError): string {
  if (!(error instanceof ApiError)) return error.message;
  const { code, kind, assumptions, status, method, path } = error;
  const isListed = kind === 'coded' && code !== null && isKnownCode(code) && assumptions.length === 0;
  const where = isListed ? '' : ` at ${method} ${path}`;
  return `the service refused with ${refusalCode(error)} (HTTP ${status})${where}${refusalHint({ code, kind, assumptions })}`;
}

/** Converts an error of a source; every other error stays as it is. A later attempt may read the source. */
export function sourceFailure(error: unknown): Error {
  if (!(error instanceof SourceError)) return error as Error;
  const { message, failure, retryable, retryAfterMs } = error;
  return ApplicationFailure.create({
    message,
    type: failure,
    nonRetryable: !retryable,
    ...(retryable && retryAfterMs !== undefined ? { nextRetryDelay: retryAfterMs } : {}),
  });
}

/**
 * Reads an entry of this worker's configuration.
 * @throws ApplicationFailure `CONFIG`, which is retried: another worker may have a configuration with the entry
 */
export function configured<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { message } = error as Error;
    throw ApplicationFailure.create({ message, type: 'CONFIG', nextRetryDelay: 30_000 });
  }
}
