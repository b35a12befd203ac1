// Sessions of browsers and access tokens of commands. The ledger stores hashes only.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { AccessToken, Session } from '../../contract/identity.ts';
import { type UserRow, userColumns } from './users.ts';

export interface NewSession {
  readonly hash: string;
  readonly user: Pick<UserRow, 'id' | 'role'>;
  readonly via: Session['via'];
  /** User agent, shortened. */
  readonly agent: string;
}

/** Milliseconds. */
export interface SessionLimits {
  /** Since the last request. */
  readonly idleMs: number;
  /** Since the login. */
  readonly absoluteMs: number;
}

/** `seen_at` and `last_used_at` are written at most this often; a page makes many requests. */
const TOUCH = "interval '30 seconds'";

/** @returns the CSRF token of the session: 122 random bits, made by the database */
export async function createSession(db: Queryable, session: NewSession): Promise<string> {
  const [row] = await db.query<{ csrfToken: string }>(
    `insert into user_sessions (hash, user_id, role, via, agent) values ($1, $2, $3, $4, $5)
     returning csrf_token as "csrfToken"`,
    [session.hash, session.user.id, session.user.role, session.via, session.agent],
  );
  return (row as { csrfToken: string }).csrfToken;
}

export interface SessionUse extends SessionLimits {
  /** Whether this request counts as activity of the user. */
  readonly isActive: boolean;
}

export interface SessionRow extends UserRow {
  readonly csrfToken: string;
}

/** The user of a session; null when it has ended. */
export async function useSession(
  db: Queryable,
  hash: string,
  { idleMs, absoluteMs, isActive }: SessionUse,
): Promise<SessionRow | null> {
  const [row] = await db.query<SessionRow>(
    `with found as (
       select user_sessions.hash, user_sessions.seen_at, user_sessions.csrf_token, users.* from user_sessions join users on users.id = user_id
        where hash = $1 and disabled_at is null and users.role = user_sessions.role
          and seen_at > now() - $2 * interval '1 millisecond'
          and user_sessions.created_at > now() - $3 * interval '1 millisecond'),
     touched as (
       update user_sessions set seen_at = now() from found
        where user_sessions.hash = found.hash and $4 and found.seen_at < now() - ${TOUCH})
     select ${userColumns('found')}, csrf_token as "csrfToken" from found`,
    [hash, idleMs, absoluteMs, isActive],
  );
  return row ?? null;
}

export async function deleteSession(db: Queryable, hash: string): Promise<void> {
  await db.query('delete from user_sessions where hash = $1', [hash]);
}

export interface SessionPage extends SessionLimits {
  /** Name. */
  readonly user: string;
  /** Hash of the session that asks; null: another kind of login asks. */
  readonly current: string | null;
  /** The last id of the page before. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** Sessions of a user that have not ended, newest first. */
export async function listSessions(db: Queryable, page: SessionPage): Promise<Session[]> {
  const { user, current, before = null, limit, idleMs, absoluteMs } = page;
  return await db.query<Session>(
    `with open as (
       select user_sessions.*, users.name, least(seen_at + $4 * interval '1 millisecond',
                user_sessions.created_at + $5 * interval '1 millisecond') as ends_at
         from user_sessions join users on users.id = user_id
        where users.name = $1 and disabled_at is null and users.role = user_sessions.role)
     select id, name as "user", via, agent, ${isoText('created_at')} as "createdAt",
            ${isoText('seen_at')} as "lastSeenAt", ${isoText('ends_at')} as "endsAt",
            hash is not distinct from $2 as "isCurrent"
       from open where ends_at > now() and ($3::bigint is null or id < $3) order by id desc limit $6`,
    [user, current, before, idleMs, absoluteMs, limit],
  );
}

/**
 * @param user only a session of this user; null: of any user
 * @returns the hash of the session; null when there is none
 */
export async function endSession(db: Queryable, id: number, user: string | null): Promise<string | null> {
  const [row] = await db.query<{ hash: string }>(
    `delete from user_sessions using users
      where users.id = user_id and user_sessions.id = $1 and ($2::text is null or users.name = $2)
      returning hash`,
    [id, user],
  );
  return row?.hash ?? null;
}

/** @returns how many sessions of the user ended */
export async function endOtherSessions(db: Queryable, user: number, current: string | null): Promise<number> {
  const rows = await db.query(
    'delete from user_sessions where user_id = $1 and hash is distinct from $2 returning id',
    [user, current],
  );
  return rows.length;
}

/** Forgets sessions that have ended. */
export async function deleteEndedSessions(
  db: Queryable,
  { idleMs, absoluteMs }: SessionLimits,
): Promise<void> {
  await db.query(
    `delete from user_sessions where seen_at <= now() - $1 * interval '1 millisecond'
        or created_at <= now() - $2 * interval '1 millisecond'`,
    [idleMs, absoluteMs],
  );
}

/**
 * Only the OpenID provider knows whether a person still belongs there, and Sluice asks at logins. So the access tokens
 * of its users work this long after a login.
 */
const CONFIRMED = "interval '7 days'";
/** When a token ends. The first login of a user of a provider is the moment in which the user is added. */
const TOKEN_END = `case when users.oidc_issuer is null then access_tokens.expires_at
  else least(access_tokens.expires_at, coalesce(users.last_login_at, users.created_at) + ${CONFIRMED}) end`;

const TOKEN_COLUMNS = `access_tokens.id, users.name as "user", access_tokens.name,
  ${isoText('access_tokens.created_at')} as "createdAt", ${isoText(TOKEN_END)} as "expiresAt",
  ${isoText('access_tokens.last_used_at')} as "lastUsedAt"`;

export interface NewAccessToken {
  readonly hash: string;
  readonly user: number;
  readonly name: string;
  readonly days: number;
}

export async function createAccessToken(db: Queryable, token: NewAccessToken): Promise<AccessToken> {
  const [row] = await db.query<AccessToken>(
    `with access_tokens as (
       insert into access_tokens (hash, user_id, name, expires_at)
       values ($1, $2, $3, now() + $4 * interval '1 day') returning *)
     select ${TOKEN_COLUMNS} from access_tokens join users on users.id = user_id`,
    [token.hash, token.user, token.name, token.days],
  );
  return row as AccessToken;
}

/**
 * The user of a token. Null when it is unknown or expired, when the user is disabled, or when the OpenID provider has
 * not confirmed the user lately.
 */
export async function useAccessToken(db: Queryable, hash: string): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>(
    `with found as (
       select access_tokens.hash, last_used_at, users.* from access_tokens join users on users.id = user_id
        where hash = $1 and ${TOKEN_END} > now() and disabled_at is null),
     touched as (
       update access_tokens set last_used_at = now() from found
        where access_tokens.hash = found.hash
          and (found.last_used_at is null or found.last_used_at < now() - ${TOUCH}))
     select ${userColumns('found')} from found`,
    [hash],
  );
  return row ?? null;
}

export async function revokeAccessToken(db: Queryable, hash: string): Promise<void> {
  await db.query('delete from access_tokens where hash = $1', [hash]);
}

export interface AccessTokenPage {
  /** Null: of all users. */
  readonly user: string | null;
  /** The last id of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

/** Tokens that have not expired, oldest first. Those that need a login at the provider to work again are among them. */
export async function listAccessTokens(db: Queryable, page: AccessTokenPage): Promise<AccessToken[]> {
  return await db.query<AccessToken>(
    `select ${TOKEN_COLUMNS} from access_tokens join users on users.id = user_id
      where ($1::text is null or users.name = $1) and access_tokens.id > $2 and expires_at > now()
      order by access_tokens.id limit $3`,
    [page.user, page.after, page.limit],
  );
}

/**
 * @param user only a token of this user; null: of any user
 * @returns false when there is none
 */
export async function deleteAccessToken(db: Queryable, id: number, user: string | null): Promise<boolean> {
  const rows = await db.query(
    `delete from access_tokens using users
      where users.id = user_id and access_tokens.id = $1 and ($2::text is null or users.name = $2)
      returning access_tokens.id`,
    [id, user],
  );
  return rows.length > 0;
}
