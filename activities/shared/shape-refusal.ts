// Turns an answer in an unexpected shape into a failure that names the assumption and its override.
import type { ApplicationFailure } from '@temporalio/common';
import type { RefusalDetails } from '../../src/jobs/sync/contract/run.ts';
import type { UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import { forAccount, refusal, shapeDetails } from './failures.ts';

/** Blocks the run, because the service would send the same answer again. */
export function shapeRefusal(
  account: string,
  error: UnexpectedShapeError,
  details: RefusalDetails,
): ApplicationFailure {
  const shape = shapeDetails(error);
  return refusal('UNEXPECTED_SHAPE', shapeReason(account, error), { ...details, ...(shape && { shape }) });
}

/**
 * What Sluice expected, what the answer has, and what to write into sluice.yaml. No value of the answer is included.
 */
export function shapeReason(account: string, { message, assumption }: UnexpectedShapeError): string {
  const restart = assumption === null ? '' : ', and restart the workers';
  return forAccount(account, message) + restart;
}
