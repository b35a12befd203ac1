// Why a plan can't go on: refusals of the service, sources that can't be read, and a plan that is over.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { SourceError } from '../../src/contracts/source.ts';
import type { CampaignRow } from '../../src/ledger/campaigns.ts';
import { callReason, isRefusal, refusal, refusalCode, toFailure } from '../failures.ts';

/** Whatever the service refuses concerns the whole plan. */
export async function asPlanFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error)) {
      const code = refusalCode(error);
      throw refusal(code, callReason(error), { scope: 'run', step: 'readAudience' });
    }
    throw toFailure(error, 'readAudience', Context.current().info.attempt);
  }
}

/** @throws ApplicationFailure PLAN_OVER when the audience is no longer read: a newer plan took its place, or it was frozen */
export function requirePlanning({ run_id, state, planned_at }: CampaignRow): void {
  if (state === 'planning' && planned_at === null) return;
  const now = state === 'planning' ? 'frozen' : state;
  throw ApplicationFailure.nonRetryable(
    `the plan ${run_id} is ${now}: its audience is read no more`,
    'PLAN_OVER',
  );
}

/** A source that can't be read ends the plan, unless a later attempt may well succeed. */
export function sourceFailure(error: unknown): Error {
  if (!(error instanceof SourceError)) return error as Error;
  const { message, code, retryable, retryAfterMs } = error;
  return ApplicationFailure.create({
    message,
    type: `SOURCE_${code.toUpperCase()}`,
    nonRetryable: !retryable,
    ...(retryable && retryAfterMs !== undefined ? { nextRetryDelay: retryAfterMs } : {}),
  });
}
