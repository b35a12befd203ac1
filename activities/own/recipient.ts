// Who a call of a team's own activity reaches, and whether that person opted out.
import type { Queryable } from '../../src/core/sql/database.ts';
import { hasOptedOut } from '../../src/core/store/opt-outs.ts';
import { canonicalKey } from '../../src/mapping/phone/index.ts';
import { HIDDEN, InvalidArgumentError } from '../../src/service/api-client/errors.ts';
import type { CallSubject } from '../shared/call-scope.ts';

/** A person, by number or by id of the contact, or the person of a conversation. */
export type Recipient =
  | { readonly number: string }
  | { readonly contact: number }
  | { readonly conversation: number };

/**
 * The key of a person by an international number; other characters than digits do not count.
 * @throws InvalidArgumentError that does not show the number
 */
export function keyOfNumber(number: string): string {
  const digits = typeof number === 'string' ? number.replace(/\D/g, '') : '';
  if (digits.length < 7 || digits.length > 15)
    throw new InvalidArgumentError(
      'number',
      HIDDEN,
      'send an international number with country code, such as 5511987654321',
    );
  return canonicalKey(digits);
}

/** As `people.key`; null if the ledger does not know whose contact or conversation it is. */
export async function keyOfRecipient(
  db: Queryable,
  account: string,
  recipient: Recipient,
): Promise<string | null> {
  if ('number' in recipient) return keyOfNumber(recipient.number);
  const [row] =
    'contact' in recipient
      ? await db.query<{ key: string | null }>(
          `select key from people where account = $1 and remote_id = $2
           union all
           select person_key from conversations
            where account = $1 and (item #>> '{state,contact,id}')::bigint = $2 and person_key <> ''
           limit 1`,
          [account, recipient.contact],
        )
      : await db.query<{ key: string | null }>(
          `select nullif(person_key, '') as key from conversations where account = $1 and id = $2`,
          [account, recipient.conversation],
        );
  return row?.key ?? null;
}

/** Did this person opt out? Nobody is known to have, in a conversation that no poller has read. */
export async function hasRecipientOptedOut(
  db: Queryable,
  account: string,
  key: string | null,
): Promise<boolean> {
  return key !== null && (await hasOptedOut(db, account, key));
}

/** For the call log. */
export function subjectOfCall(recipient: Recipient, key: string | null): CallSubject {
  return 'conversation' in recipient
    ? { person: key, conversation: recipient.conversation }
    : { person: key };
}
