// What becomes of an error of the API client that leaves a team's own activity: when Temporal retries, and what its
// history shows.
import { ApplicationFailure } from '@temporalio/activity';
import { comeBack, rateLimitWaitMs } from '../../activities/shared/failures.ts';
import { isRefusal, refusalCode, refusesToken } from '../../activities/shared/refusal-scope.ts';
import { ApiError, InvalidArgumentError, UnexpectedShapeError } from '../../src/service/api-client/errors.ts';

/** A refused token needs an operator. Its calls continue by themselves afterwards. */
const REFUSED_TOKEN_MS = 60_000;

/**
 * A limit is waited out, a refused token is tried again each minute, and no retry follows what the service would refuse
 * again. Other errors stay as they are. The client's messages have no personal data.
 */
export function toOwnFailure(error: unknown): unknown {
  if (error instanceof InvalidArgumentError)
    return ApplicationFailure.nonRetryable(error.message, 'INVALID_ARGUMENT');
  if (error instanceof UnexpectedShapeError)
    return ApplicationFailure.nonRetryable(error.message, 'UNEXPECTED_SHAPE');
  if (!(error instanceof ApiError)) return error;
  if (error.status === 429) return comeBack(rateLimitWaitMs(error), 'the token is over its limit');
  const { message } = error;
  const type = refusalCode(error);
  if (refusesToken(error))
    return ApplicationFailure.create({ message, type, nextRetryDelay: REFUSED_TOKEN_MS });
  return ApplicationFailure.create({ message, type, nonRetryable: isRefusal(error) });
}
