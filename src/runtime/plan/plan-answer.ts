// The failure of a dry run, with the exit code that a command has for it.
import { describeError } from '../../cli/lib/describe-error.ts';
import type { PlanAnswer } from './plan-thread.ts';

export function answerOf(error: unknown): PlanAnswer {
  const { message, exitCode } = describeError(error);
  return { kind: 'error', message: message ?? String(error), exitCode };
}
