// Logins: with a password, and with a one-time link.
import { plainName } from '../../core/plain-name.ts';
import type { Database, Queryable } from '../../core/sql/database.ts';
import type { Session } from '../contract/identity.ts';
import { OperatorError } from '../error.ts';
import { beginLogin } from '../store/identity/login-attempts.ts';
import { createLoginLink, readLoginLink, takeLoginLink } from '../store/identity/login-links.ts';
import {
  createSession,
  deleteEndedSessions,
  deleteSession,
  type SessionLimits,
} from '../store/identity/sessions.ts';
import {
  createUser,
  findUnixUser,
  findUser,
  hasAdmin,
  lockUsers,
  type NewUser,
  noteLogin,
  passwordHashOf,
  setPassword,
  type UserRow,
} from '../store/identity/users.ts';
import type { Passwords } from './passwords.ts';
import { hashToken, newToken } from './tokens.ts';

const FIRST_ADMIN_MINUTES = 15;
const INVITATION_MINUTES = 24 * 60;
const MAX_AGENT = 200;
/** The link's secret is in the fragment, which browsers send to no server. */
const LINK_PATH = '/login#link=';

export interface Credentials {
  readonly name: string;
  readonly password: string;
  /** Of the peer, without a port. */
  readonly address: string;
}

/**
 * Checks a password. The answer to an unknown name, a disabled user and a wrong password is the same, after the same
 * work.
 * @throws OperatorError unauthenticated, or tooMany with the time of the next attempt
 */
export async function checkLogin(
  db: Database,
  passwords: Passwords,
  { name, password, address }: Credentials,
): Promise<UserRow> {
  const attempt = await beginLogin(db, name, address);
  if ('retryAfterMs' in attempt) throw limitedLogin(attempt.retryAfterMs);
  const isRight = await passwords.verify(await passwordHashOf(db, name), password);
  const user = isRight ? await findUser(db, name) : null;
  if (user === null || user.disabledAt !== null)
    throw new OperatorError('unauthenticated', 'the name or the password is wrong', { code: 'LOGIN_FAILED' });
  await attempt.succeeded();
  return user;
}

export function limitedLogin(retryAfterMs: number): OperatorError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new OperatorError('tooMany', `too many failed logins; try again in ${seconds} s`, {
    code: 'LOGIN_LIMITED',
    retryAfterMs,
  });
}

/**
 * Every login ends here, whatever began it. The OpenID provider asks its own users for a second factor.
 * @param hasCode whether the user proved the second factor
 * @throws Error when a second factor is on and was not proved: a defect, never the fault of the user
 */
export function requireSecondFactor({ name, hasSecondFactor }: UserRow, hasCode: boolean): void {
  if (hasSecondFactor && !hasCode) throw new Error(`a login of ${name} came past the second factor`);
}

export interface SessionStart {
  readonly via: Session['via'];
  /** Whether the user proved the second factor. */
  readonly hasCode: boolean;
  readonly agent: string;
  readonly limits: SessionLimits;
  /** Token of the session that the browser had. It ends. */
  readonly before: string | null;
}

export interface StartedSession {
  /** Always a new one. */
  readonly token: string;
  readonly csrfToken: string;
}

export async function startSession(
  db: Queryable,
  user: UserRow,
  start: SessionStart,
): Promise<StartedSession> {
  requireSecondFactor(user, start.hasCode);
  const token = newToken();
  if (start.before !== null) await deleteSession(db, hashToken(start.before));
  await deleteEndedSessions(db, start.limits);
  const csrfToken = await createSession(db, {
    hash: hashToken(token),
    user,
    via: start.via,
    agent: plainName(start.agent).slice(0, MAX_AGENT),
  });
  await noteLogin(db, user.id);
  return { token, csrfToken };
}

export interface LoginLink {
  /** Path and fragment, for after the URL of the console. */
  readonly path: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * A one-time link for the first admin, for 15 minutes.
 * @param unixUser of this process, when somebody on its machine asks: whoever uses the link becomes one identity with this Unix user
 * @returns null when there is an admin already
 */
export async function firstAdminLink(
  db: Database,
  unixUser: string | null = null,
): Promise<LoginLink | null> {
  return await db.transaction(async (tx) =>
    (await hasAdmin(tx)) ? null : await makeLink(tx, null, unixUser, FIRST_ADMIN_MINUTES),
  );
}

/** A one-time link with which a user chooses a password, for 24 hours. */
export async function invitationLink(db: Database, user: UserRow): Promise<LoginLink> {
  return await db.transaction((tx) => makeLink(tx, user.id, null, INVITATION_MINUTES));
}

async function makeLink(
  tx: Queryable,
  user: number | null,
  unixUser: string | null,
  minutes: number,
): Promise<LoginLink> {
  const token = newToken();
  const expiresAt = await createLoginLink(tx, { hash: hashToken(token), user, unixUser, minutes });
  return { path: LINK_PATH + token, expiresAt };
}

export interface Claim {
  /** The secret of the link. */
  readonly link: string;
  /** Required for the first admin. */
  readonly name?: string | undefined;
  readonly displayName?: string | undefined;
  readonly password: string;
}

/** Uses a one-time link. A refused password does not use it up. @throws OperatorError */
export async function claimLink(
  db: Database,
  passwords: Passwords,
  { link, name, displayName, password }: Claim,
): Promise<UserRow> {
  const hash = hashToken(link);
  const owner = await readLoginLink(db, hash);
  if (owner === undefined) throw goneLink();
  if (owner === null && name === undefined)
    throw new OperatorError('invalid', 'choose the name of the first admin', { code: 'NAME_REQUIRED' });
  const known = owner === null ? null : await findUser(db, owner);
  const names = [owner ?? name ?? '', known?.displayName ?? displayName ?? ''];
  await passwords.check(password, names);
  const passwordHash = await passwords.hash(password);
  return await db.transaction(async (tx) => {
    await lockUsers(tx);
    const taken = await takeLoginLink(tx, hash);
    if (taken === null) throw goneLink();
    if (owner !== null) return await setOwnPassword(tx, owner, passwordHash);
    if (await hasAdmin(tx))
      throw new OperatorError('conflict', 'there is an admin already; log in, or ask that admin for a link', {
        code: 'ADMIN_EXISTS',
      });
    // A Unix user belongs to one user only.
    const isFree = taken.unixUser !== null && (await findUnixUser(tx, taken.unixUser)) === null;
    return await createFirstAdmin(tx, {
      name: name as string,
      displayName: displayName ?? (name as string),
      passwordHash,
      unixUser: isFree ? taken.unixUser : null,
    });
  });
}

async function setOwnPassword(tx: Queryable, name: string, hash: string): Promise<UserRow> {
  await setPassword(tx, name, hash);
  const user = await findUser(tx, name);
  if (user === null || user.disabledAt !== null) throw goneLink();
  return user;
}

async function createFirstAdmin(
  tx: Queryable,
  admin: Pick<NewUser, 'name' | 'displayName' | 'passwordHash' | 'unixUser'>,
): Promise<UserRow> {
  const user = await createUser(tx, { ...admin, role: 'admin', oidc: null });
  if (user === null)
    throw new OperatorError('conflict', `there is already a user "${admin.name}"; choose another name`, {
      code: 'NAME_TAKEN',
    });
  return user;
}

function goneLink(): OperatorError {
  return new OperatorError(
    'unauthenticated',
    'this link is unknown, used or expired; `sluice console` prints a new one while there is no admin, and an admin can make one for a user',
    { code: 'LINK_EXPIRED' },
  );
}
