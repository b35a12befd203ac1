// Who a session, an access token or a Unix user is.
import { userInfo } from 'node:os';
import { plainName } from '../../core/plain-name.ts';
import type { Database } from '../../core/sql/database.ts';
import { OperatorError } from '../error.ts';
import type { Caller } from '../service/caller.ts';
import { type SessionUse, useAccessToken, useSession } from '../store/identity/sessions.ts';
import { findUnixUser, type UserRow } from '../store/identity/users.ts';
import { needsSecondFactor, type SecondFactorPolicy } from './second-factor-policy.ts';
import { ACCESS_TOKEN_PREFIX, hashToken } from './tokens.ts';

export function callerOfUser(user: UserRow, via: Caller['via']): Caller {
  return { identity: `user:${user.name}`, name: user.displayName, role: user.role, via };
}

/** A user who came by a session or an access token, under the policy that holds now. */
export function callerOfLogin(user: UserRow, via: 'session' | 'token', policy: SecondFactorPolicy): Caller {
  return { ...callerOfUser(user, via), needsSecondFactor: needsSecondFactor(user, policy) };
}

/** The name of the user that a caller is; null for a Unix user that is not linked to a user. */
export function userNameOf({ identity }: Caller): string | null {
  return identity.startsWith('user:') ? identity.slice('user:'.length) : null;
}

/** The Unix user that a caller is, if the folder of the socket proves it and no user is linked to it; otherwise null. */
export function unixUserOf({ identity, isClaimed = false }: Caller): string | null {
  return identity.startsWith('unix:') && !isClaimed ? identity.slice('unix:'.length) : null;
}

export interface SessionCaller {
  readonly caller: Caller;
  readonly csrfToken: string;
}

/** @returns null when the session has ended */
export async function callerOfSession(
  db: Database,
  token: string,
  use: SessionUse,
  policy: SecondFactorPolicy,
): Promise<SessionCaller | null> {
  const user = await useSession(db, hashToken(token), use);
  return user === null ? null : { caller: callerOfLogin(user, 'session', policy), csrfToken: user.csrfToken };
}

/** @returns null when the token is unknown, expired or revoked */
export async function callerOfAccessToken(
  db: Database,
  token: string,
  policy: SecondFactorPolicy,
): Promise<Caller | null> {
  if (!token.startsWith(ACCESS_TOKEN_PREFIX)) return null;
  const user = await useAccessToken(db, hashToken(token));
  return user === null ? null : callerOfLogin(user, 'token', policy);
}

/**
 * The caller of commands on this machine: the Unix user of this process. Only this user and root can open the folder of
 * the socket, and both can read and change everything that Sluice has, so they are admin. Root counts as this user,
 * because it can become this user. A user who is linked to the Unix user is one identity with it: a second person is
 * somebody else.
 */
export function createUnixCaller(
  db: Database,
  readName: () => string = nameOfProcess,
): () => Promise<Caller> {
  let known: string | undefined;
  return async () => {
    known ??= readName();
    const user = await findUnixUser(db, known);
    if (user !== null) return { ...callerOfUser(user, 'socket'), role: 'admin' };
    return { identity: `unix:${known}`, name: plainName(known), role: 'admin', via: 'socket' };
  };
}

/** @throws OperatorError (unavailable) when the user database does not answer */
function nameOfProcess(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // In a container, users often have a number and no name.
    if ((error as { info?: { code?: unknown } }).info?.code === 'ENOENT')
      return String(process.geteuid?.() ?? 0);
    throw new OperatorError('unavailable', "the name of this process's Unix user can't be read", {
      code: 'UNIX_USER_NAME',
      cause: error,
    });
  }
}
