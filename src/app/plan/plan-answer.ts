// What the thread of a dry run says.
import { describeError } from '../../cli/lib/describe-error.ts';
import type { PlanProblem, PlanReport } from '../../jobs/sync/contract/plan.ts';

export type PlanAnswer =
  | { readonly kind: 'progress'; readonly read: number; readonly share: number | null }
  | { readonly kind: 'plan'; readonly plan: PlanReport }
  /** The answer says whether more are wanted. */
  | { readonly kind: 'problems'; readonly problems: readonly PlanProblem[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'error'; readonly message: string; readonly exitCode: number };

/** The failure of a dry run, with the exit code that a command has for it. */
export function answerOf(error: unknown): PlanAnswer {
  const { message, exitCode } = describeError(error);
  return { kind: 'error', message: message ?? String(error), exitCode };
}
