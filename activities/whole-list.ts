// Lists from which something is concluded by its absence: one item that can't be read spoils the conclusion.
import type { CallName } from '../src/api-client/answers.ts';
import { UnexpectedShapeError } from '../src/api-client/errors.ts';
import type { Listing } from '../src/api-client/shapes.ts';

/**
 * The items of a list, provided that each could be read: the one that could not may be the very card or
 * contact that was looked for.
 * @throws UnexpectedShapeError naming the first item that departs from the API text
 */
export function wholeList<T>(call: CallName, list: Listing<T> | null): readonly T[] {
  const invalid = list?.invalid[0];
  if (invalid === undefined) return list?.items ?? [];
  const what = { at: invalid.path, expected: 'what the API text promises' };
  throw new UnexpectedShapeError({ ...call, ...what, status: 200, requestId: null });
}
