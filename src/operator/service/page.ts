// Cursors of pages, as clients give them back.
import { OperatorError } from '../error.ts';

/** Reads a cursor that is a number. @throws OperatorError (invalid) for anything else */
export function beforeId(before: string | undefined): string | null {
  if (before !== undefined && !/^\d{1,18}$/.test(before)) throw badCursor();
  return before ?? null;
}

export function badCursor(): OperatorError {
  return new OperatorError('invalid', 'before: give the `next` of the page before', { code: 'CURSOR' });
}
