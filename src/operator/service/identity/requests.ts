// What handlers of logins and users need of their caller and request.
import type { Database } from '../../../core/sql/database.ts';
import { OperatorError } from '../../error.ts';
import { userNameOf } from '../../identity/callers.ts';
import { type Credentials, checkLogin } from '../../identity/logins.ts';
import type { Passwords } from '../../identity/passwords.ts';
import { checkCode } from '../../identity/second-factor.ts';
import { hashToken } from '../../identity/tokens.ts';
import { unknownUser } from '../../identity/users.ts';
import { endLoginsOf, findUser, type UserRow } from '../../store/identity/users.ts';
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

/** Ends everything with which the user is logged in. */
export async function endLogins(db: Database, { id }: UserRow): Promise<void> {
  await db.transaction((tx) => endLoginsOf(tx, id));
}

/** Checks the password of the caller again. @throws OperatorError invalid, or tooMany */
export async function checkOwnPassword(
  db: Database,
  passwords: Passwords,
  credentials: Credentials,
): Promise<void> {
  await inSession(checkLogin(db, passwords, credentials));
}

/** Checks a code of the caller. @throws OperatorError invalid, or tooMany */
export async function checkOwnCode(
  db: Database,
  user: UserRow,
  { code, address }: { readonly code: string | undefined; readonly address: string },
): Promise<void> {
  if (code === undefined)
    throw new OperatorError('invalid', 'enter a code of your authenticator app too', {
      code: 'CODE_REQUIRED',
    });
  await inSession(checkCode(db, user, { code, address }));
}

/** The session goes on, so it is no login that is missing. */
export async function inSession<T>(check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (error) {
    if (!(error instanceof OperatorError) || error.kind !== 'unauthenticated') throw error;
    const isPassword = error.code === 'LOGIN_FAILED';
    throw new OperatorError('invalid', isPassword ? 'the current password is wrong' : error.message, {
      code: isPassword ? 'PASSWORD_WRONG' : error.code,
      cause: error,
    });
  }
}
