// How a check reports a problem.
import type { ConfigProblem, ProblemNote } from './errors.ts';

/** A problem inside a value that the caller knows more about; `path` is relative to that value. */
export interface CheckProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

/** Makes the problem at a path inside the entry or section under check. */
export type Say = (
  path: readonly (string | number)[],
  message: string,
  hint: string,
  note?: ProblemNote,
) => ConfigProblem;
