// What handlers of logins and users need of their caller and request.
import type { Database } from '../../../ledger/database.ts';
import { findUser, type UserRow } from '../../../ledger/operator/users.ts';
import { OperatorError } from '../../error.ts';
import { userNameOf } from '../../identity/callers.ts';
import { hashToken } from '../../identity/tokens.ts';
import { unknownUser } from '../../identity/users.ts';
import type { Caller } from '../caller.ts';
import type { Exchange } from '../exchange.ts';

/** @throws OperatorError (notFound) */
export async function needUser(db: Database, name: string): Promise<UserRow> {
  const user = await findUser(db, name);
  if (user === null) throw unknownUser(name);
  return user;
}

/** The user that the caller is. @throws OperatorError (conflict) for a Unix user without one */
export async function ownUser(db: Database, caller: Caller): Promise<UserRow> {
  const name = userNameOf(caller);
  if (name !== null) return await needUser(db, name);
  throw new OperatorError(
    'conflict',
    'you are a Unix user without a user of Sluice; add one with `sluice user add`',
    { code: 'NO_USER' },
  );
}

/** Null: the caller proved who calls in another way. */
export function sessionHashOf({ via }: Caller, exchange: Exchange | undefined): string | null {
  return via === 'session' && exchange?.session != null ? hashToken(exchange.session) : null;
}

/** A leaked access token must not outlive itself: it makes no tokens, users or passwords. */
export function refuseToken({ via }: Caller): void {
  if (via !== 'token') return;
  throw new OperatorError('forbidden', 'an access token may not do this; log in with a password', {
    code: 'SESSION_REQUIRED',
  });
}

export function needExchange(exchange: Exchange | undefined): Exchange {
  if (exchange !== undefined) return exchange;
  throw new OperatorError('invalid', 'logins need HTTP; on this socket you are a Unix user already', {
    code: 'LOGIN_NEEDS_HTTP',
  });
}

/** The id that a list gave as its cursor. @throws OperatorError (invalid) */
export function numberOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^\d{1,15}$/.test(cursor))
    throw new OperatorError('invalid', 'the cursor is none that this list gave', { code: 'CURSOR' });
  return Number(cursor);
}
