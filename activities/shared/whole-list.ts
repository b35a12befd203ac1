// Lists from which something is concluded by its absence: one item that can't be read spoils the conclusion, and so does
// a filter that the service ignores.
import type { CallName } from '../../src/api-client/answers.ts';
import { UnexpectedShapeError } from '../../src/api-client/errors.ts';
import type { InvalidItem, Listing, Page } from '../../src/api-client/shapes.ts';
import type { RefusalDetails } from '../../src/contracts/wire/run.ts';
import { refusal } from './failures.ts';

export interface AskedFor<T> {
  /** The query parameters that were sent, for the message. */
  readonly filter: string;
  readonly step: RefusalDetails['step'];
  /** Does this item pass the filter? Services ignore parameters that they do not know. */
  matches(item: T): boolean;
}

/**
 * The items that pass the filter, provided that each could be read: the one that could not may be the very card or
 * contact that was searched for.
 * @throws UnexpectedShapeError naming the first item that departs from the API text
 * @throws ApplicationFailure `FILTER_IGNORED` when items do not pass the filter and further pages follow: whatever is
 * missing on this page may stand on another one
 */
export function wholeList<T>(
  call: CallName,
  list: Listing<T> | Page<T> | null,
  asked?: AskedFor<T>,
): readonly T[] {
  const invalid = list?.invalid[0];
  if (invalid !== undefined) throw unreadableItem(call, invalid);
  const items = list?.items ?? [];
  if (asked === undefined) return items;
  const found = items.filter((item) => asked.matches(item));
  if (found.length < items.length && list !== null && 'hasMore' in list && list.hasMore) {
    const message = `${call.method} ${call.path} ignores its filter ${asked.filter}: it lists others too, and more pages follow`;
    throw refusal('FILTER_IGNORED', message, { scope: 'run', step: asked.step });
  }
  return found;
}

/**
 * Refuses a list with an item that no override of one record mends: an assumption is wrong, or an id can't be kept.
 * Every other item would be met with the same.
 * @throws UnexpectedShapeError
 */
export function refuseAccountWide<T>(call: CallName, list: Listing<T> | null): void {
  for (const item of list?.invalid ?? []) {
    const error = unreadableItem(call, item);
    if (error.isAccountWide) throw error;
  }
}

function unreadableItem(call: CallName, invalid: InvalidItem): UnexpectedShapeError {
  const { path: at, expected, assumption, seen } = invalid;
  return new UnexpectedShapeError({ ...call, at, expected, assumption, seen, status: 200, requestId: null });
}
