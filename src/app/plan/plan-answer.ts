// What the thread of a dry run says.
import type { ErrorBody } from '../../core/endpoint.ts';
import type { PlanProblem, PlanReport } from '../../jobs/sync/contract/plan.ts';
import { errorBody, OperatorError } from '../../operator/error.ts';
import { asOperatorError } from '../../operator/service/known-error.ts';

export type PlanAnswer =
  | { readonly kind: 'progress'; readonly read: number; readonly share: number | null }
  | { readonly kind: 'plan'; readonly plan: PlanReport }
  /** The thread waits for a message before it reads more. */
  | { readonly kind: 'problems'; readonly problems: readonly PlanProblem[] }
  | { readonly kind: 'error'; readonly error: ErrorBody['error'] };

export function answerOf(error: unknown): PlanAnswer {
  const known = asOperatorError(error) ?? new OperatorError('failed', (error as Error).message);
  return { kind: 'error', error: errorBody(known).error };
}
