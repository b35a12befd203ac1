// Who a session, an access token or a Unix user is.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { plainName } from '../../core/plain-name.ts';
import type { Database } from '../../core/sql/database.ts';
import { OperatorError } from '../error.ts';
import type { Caller } from '../service/caller.ts';
import { type SessionUse, useAccessToken, useSession } from '../store/sessions.ts';
import { findUnixUser, type UserRow } from '../store/users.ts';
import { needsSecondFactor, type SecondFactorPolicy } from './second-factor-policy.ts';
import { ACCESS_TOKEN_PREFIX, hashToken } from './tokens.ts';

const ROOT = 0;
const NAME_TIMEOUT_MS = 5000;
/** How long the name of a Unix user is not asked for again. */
const NAME_AGE_MS = 60_000;

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

/** The Unix user that a caller is, if the kernel proves it and no user is linked to it; otherwise null. */
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

export interface UnixCallerOptions {
  readonly db: Database;
  /** User id of this process. */
  readonly ownUid: number;
  /** @default what `id` says, kept for a minute */
  readonly nameOf?: (uid: number) => Promise<string | null>;
  /** @default optional */
  readonly policy?: () => SecondFactorPolicy;
}

/**
 * Finds the caller that a Unix user is. The user of this process and root can read and change everything that Sluice
 * has, so they are admins. If they are linked to a user, they keep that identity: a second person is somebody else.
 */
export function createUnixCallers({ db, ownUid, nameOf = cachedNames(), policy }: UnixCallerOptions) {
  return async (uid: number): Promise<Caller> => {
    const name = await nameOf(uid);
    // In a container, users often have a number and no name.
    const shown = name ?? String(uid);
    const user = await findUnixUser(db, shown);
    if (uid === ownUid || uid === ROOT) {
      if (user !== null) return { ...callerOfUser(user, 'socket'), role: 'admin' };
      return { identity: `unix:${shown}`, name: plainName(shown), role: 'admin', via: 'socket' };
    }
    if (user === null || user.disabledAt !== null)
      throw new OperatorError(
        'forbidden',
        `the Unix user ${shown} may not use Sluice; an admin can link it to a user`,
        { code: 'UNIX_USER_UNKNOWN' },
      );
    // The configuration refuses both together, but the socket of before stays open until a restart.
    if (policy?.() === 'required')
      throw new OperatorError(
        'forbidden',
        'a second factor is required, and this socket asks for none; use `sluice login` with --server',
        { code: 'SECOND_FACTOR_REQUIRED' },
      );
    return callerOfUser(user, 'socket');
  };
}

const run = promisify(execFile);

/** Asks `id`, which knows directories such as LDAP too. Node knows only the user of this process. */
async function nameByUid(uid: number): Promise<string | null> {
  try {
    const { stdout } = await run('id', ['-nu', String(uid)], { timeout: NAME_TIMEOUT_MS });
    return stdout.trim() === '' ? null : stdout.trim();
  } catch (error) {
    const { code } = error as { code?: unknown };
    // Exit code 1: no user has this id, as in a container that runs with a number. ENOENT: there is no `id` here.
    if (code === 1 || code === 'ENOENT') return null;
    throw new OperatorError('unavailable', `the name of the Unix user ${uid} can't be read`, {
      code: 'UNIX_USER_NAME',
      cause: error,
    });
  }
}

function cachedNames(): (uid: number) => Promise<string | null> {
  const known = new Map<number, { readonly at: number; readonly name: string | null }>();
  return async (uid) => {
    const found = known.get(uid);
    if (found !== undefined && performance.now() - found.at < NAME_AGE_MS) return found.name;
    const name = await nameByUid(uid);
    known.set(uid, { at: performance.now(), name });
    return name;
  };
}
