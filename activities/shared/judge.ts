// What an error of a call means: one judgment for all jobs. A job decides only what becomes of its work.
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { MediaError } from '../../src/connectors/media/media-error.ts';
import type { RefusalDetails, RefusalScope } from '../../src/jobs/sync/contract/run.ts';
import {
  ApiError,
  InvalidArgumentError,
  TransportError,
  UnexpectedShapeError,
} from '../../src/service/api-client/errors.ts';
import { namedFor, recordReason, toFailure } from './failures.ts';
import { isRefusal, refusalCode, refusalScope, shapeScope } from './refusal-scope.ts';

/**
 * After this many internal errors of the service for one record, Sluice sets the record aside: about seven minutes
 * with the backoff of failures.ts. An unreachable service is retried without limit.
 */
export const MAX_INTERNAL_ERRORS = 12;

/** The same call would end like this again: refused, not readable, or not possible with this value. */
interface Refused {
  readonly kind: 'refused';
  readonly reach: RefusalScope;
  readonly code: string;
  /** For the operator, with the assumption that may be wrong and its override. */
  readonly reason: string;
  /** To throw if it reaches further than the record. */
  readonly failure: Error;
}

/** A later attempt may succeed. */
interface Transient {
  readonly kind: 'transient';
  readonly code: string;
  /** For the operator, without personal data. */
  readonly reason: string;
  /** An internal error of the service. If it repeats, this record may be its cause. */
  readonly isInternal: boolean;
  /** An error of Sluice itself, such as a ledger that is away. The log should have it. */
  readonly isOwn: boolean;
  readonly failure: Error;
}

/** No error: a wait, a cancellation, or a failure that was judged before. */
interface Passed {
  readonly kind: 'passed';
  readonly failure: Error;
}

export type Judgment = Refused | Transient | Passed;

/**
 * @param failures transient failures of this call so far, including this one
 */
export function judge(
  account: string,
  thrown: unknown,
  step: RefusalDetails['step'],
  failures: number,
): Judgment {
  const error = namedFor(account, thrown);
  const failure = toFailure(error, step, failures);
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure)
    return { kind: 'passed', failure };
  // Nothing was sent: no call can carry this value, or no file could be downloaded.
  if (error instanceof InvalidArgumentError)
    return { kind: 'refused', reach: 'record', code: 'INVALID_ARGUMENT', reason: error.message, failure };
  if (error instanceof MediaError && !error.retryable)
    return { kind: 'refused', reach: 'record', code: error.code, reason: error.message, failure };
  if (error instanceof UnexpectedShapeError) {
    const reason = recordReason(account, error);
    return { kind: 'refused', reach: shapeScope(error, step), code: 'UNEXPECTED_SHAPE', reason, failure };
  }
  if (isRefusal(error)) {
    const reason = recordReason(account, error);
    return { kind: 'refused', reach: refusalScope(error, step), code: refusalCode(error), reason, failure };
  }
  if (error instanceof ApiError && error.status === 429) return { kind: 'passed', failure };
  const { type, message: reason } = failure as ApplicationFailure;
  const isInternal = error instanceof ApiError && error.status === 500;
  const isOwn = ![ApiError, TransportError, MediaError].some((each) => error instanceof each);
  return { kind: 'transient', code: type ?? 'INTERNAL', reason, isInternal, isOwn, failure };
}
