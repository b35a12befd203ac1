// An answer in another form than assumed, as a failure that blocks what relies on it: with the assumption and its override.
import type { ApplicationFailure } from '@temporalio/common';
import type { UnexpectedShapeError } from '../../src/api-client/errors.ts';
import type { RefusalDetails } from '../../src/contracts/wire/run.ts';
import { forAccount, refusal, shapeDetails } from './failures.ts';

/** Blocks the run: the same answer would come again. */
export function shapeRefusal(
  account: string,
  error: UnexpectedShapeError,
  details: RefusalDetails,
): ApplicationFailure {
  const shape = shapeDetails(error);
  return refusal('UNEXPECTED_SHAPE', shapeReason(account, error), { ...details, ...(shape && { shape }) });
}

/** What was expected, what is there, and what to write into sluice.yaml. No value of the answer is in it. */
export function shapeReason(account: string, { message, assumption }: UnexpectedShapeError): string {
  const restart = assumption === null ? '' : ', and restart the workers';
  return forAccount(account, message) + restart;
}
