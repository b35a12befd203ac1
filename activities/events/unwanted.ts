// Events for which Sluice makes no call, because the person opted out.
import type { Queryable } from '../../src/core/sql/database.ts';
import { wasErased } from '../../src/core/store/opt-outs.ts';
import type { EventRequest } from '../../src/jobs/events/contract/intake.ts';
import { type EventEnd, sentEffect } from '../../src/jobs/events/store/event-end.ts';
import type { ClaimedEvent } from '../../src/jobs/events/store/events.ts';
import { acceptsErased, ignoresOptOuts } from '../../src/jobs/events/store/intake-runs.ts';
import { isOutreach, recipientOptedOut } from '../../src/jobs/events/store/recipients.ts';

/** Discarded, so that the ledger does not keep what the event says about the person. */
const PERSON_ERASED: EventEnd = {
  outcome: 'discarded',
  code: 'PERSON_ERASED',
  reason:
    'the person opted out of campaigns and was erased since; a route with `erasedPeople: accept` takes new requests of such people',
};

/** Discarded, not failed: what was to be sent is not needed again. */
const OPTED_OUT: EventEnd = {
  outcome: 'discarded',
  code: 'OPTED_OUT',
  reason:
    'the person opted out; a route with `optOut: ignore` sends transactional messages, and answers to what such people write',
};

/**
 * How the event ends if the person does not want what it would do; null if it may begin.
 * @param tx has locked the event
 */
export async function endOfUnwanted(tx: Queryable, event: ClaimedEvent): Promise<EventEnd | null> {
  const { id, account, run_id: run, request } = event;
  if (request === null) return null;
  const key = keyOf(request);
  if (key !== null && (await wasErased(tx, account, key)))
    return (await acceptsErased(tx, run)) ? null : PERSON_ERASED;
  if (!isOutreach(request) || !(await recipientOptedOut(tx, account, request))) return null;
  if (await ignoresOptOuts(tx, run)) return null;
  // A call that was made before the person opted out has an outcome, which Sluice still finds out.
  return (await sentEffect(tx, account, id)) === null ? OPTED_OUT : null;
}

/** Key of the person; null for an event about a conversation or a card. */
export function keyOf(request: EventRequest): string | null {
  if (request.type === 'lead') return request.record.key;
  const of = request.type === 'message' ? request.to : request.type === 'stage' ? request.of : request;
  return 'key' in of ? of.key : null;
}
