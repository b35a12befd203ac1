// Who a message or a flow is for, and whether that person opted out.

import type { Queryable } from '../../../core/sql/database.ts';
import { hasOptedOut, wasErased } from '../../../core/store/opt-outs.ts';
import type { EventRequest, RequestOf } from '../contract/intake.ts';

/** A request that reaches a person. The others change what the service knows about one. */
export type Outreach = RequestOf<'message' | 'flow'>;

export function isOutreach(request: EventRequest): request is Outreach {
  return request.type === 'message' || request.type === 'flow';
}

/**
 * Has the recipient opted out? For people who were erased since, `erasedPeople` of the route decides, so they do not
 * count. Nobody is known to have opted out in a conversation that no poller has read.
 */
export async function recipientOptedOut(db: Queryable, account: string, request: Outreach): Promise<boolean> {
  const key = await recipientOf(db, account, request);
  if (key === null || !(await hasOptedOut(db, account, key))) return false;
  return !(await wasErased(db, account, key));
}

/** As `people.key`; null if the ledger does not know whose conversation it is. */
async function recipientOf(db: Queryable, account: string, request: Outreach): Promise<string | null> {
  const to = request.type === 'message' ? request.to : request;
  if ('key' in to) return to.key;
  const [row] = await db.query<{ key: string | null }>(
    `select nullif(person_key, '') as key from conversations where account = $1 and id = $2`,
    [account, to.conversation],
  );
  return row?.key ?? null;
}
