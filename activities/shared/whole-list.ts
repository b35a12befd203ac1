// Checks lists that prove the absence of something. One unreadable item, or a filter that the service ignores,
// invalidates the proof.

import type { RefusalDetails } from '../../src/jobs/sync/contract/run.ts';
import type { CallName } from '../../src/service/api-client/answers.ts';
import { UnexpectedShapeError } from '../../src/service/api-client/errors.ts';
import type { InvalidItem, Listing, Page } from '../../src/service/api-client/shapes.ts';
import { refusal } from './failures.ts';

export interface AskedFor<T> {
  /** The query parameters that were sent. The error message shows them. */
  readonly filter: string;
  readonly step: RefusalDetails['step'];
  /** Whether this item passes the filter. Services ignore parameters that they do not know. */
  matches(item: T): boolean;
}

/**
 * Returns the items that pass the filter, provided that every item could be read. An unreadable item may be the card
 * or contact that was searched for.
 * @throws UnexpectedShapeError naming the first item that departs from the API text
 * @throws ApplicationFailure `FILTER_IGNORED` when some items do not pass the filter and more pages follow: an item
 *   missing here may be on another page
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
 * Rejects a list if an item's problem concerns the whole account: an assumption is wrong, or an id cannot be stored.
 * Every other item would have the same problem.
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
