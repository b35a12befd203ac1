// Users who operate Sluice. Password hashes leave this folder only for a login.
import type { Role } from '../../../core/endpoint.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import type { User } from '../../contract/identity.ts';

export type UserRow = Omit<User, 'approvalWaits'> & { readonly id: number };

export interface NewUser {
  readonly name: string;
  readonly displayName: string;
  readonly role: Role;
  readonly passwordHash: string | null;
  readonly oidc: { readonly issuer: string; readonly subject: string } | null;
  readonly unixUser: string | null;
}

export interface UserChange {
  readonly displayName?: string | undefined;
  readonly role?: Role | undefined;
  readonly disabled?: boolean | undefined;
  /** Null removes it. */
  readonly unixUser?: string | null | undefined;
}

/** Columns of a UserRow, for the table `users` under this alias. */
export const userColumns = (alias: string) =>
  `${alias}.id, ${alias}.name, ${alias}.display_name as "displayName", ${alias}.role,
   ${alias}.password_hash is not null as "hasPassword",
   ${alias}.second_factor_at is not null as "hasSecondFactor", ${alias}.oidc_issuer as "oidcIssuer",
   ${alias}.unix_user as "unixUser", ${isoText(`${alias}.created_at`)} as "createdAt",
   ${isoText(`${alias}.last_login_at`)} as "lastLoginAt", ${isoText(`${alias}.disabled_at`)} as "disabledAt"`;

/** Changes to admins happen one after the other, so that two of them cannot remove the last two admins. */
export async function lockUsers(tx: Queryable): Promise<void> {
  await tx.query('lock table users in share row exclusive mode');
}

/** @returns null when the name, the Unix user or the subject belongs to another user */
export async function createUser(db: Queryable, user: NewUser): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>(
    `insert into users (name, display_name, role, password_hash, oidc_issuer, oidc_subject, unix_user)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning ${userColumns('users')}`,
    [
      user.name,
      user.displayName,
      user.role,
      user.passwordHash,
      user.oidc?.issuer ?? null,
      user.oidc?.subject ?? null,
      user.unixUser,
    ],
  );
  return row ?? null;
}

/**
 * By name.
 * @param after the last name of the page before
 */
export async function listUsers(db: Queryable, after: string, limit: number): Promise<UserRow[]> {
  return await db.query<UserRow>(
    `select ${userColumns('users')} from users where name > $1 order by name limit $2`,
    [after, limit],
  );
}

export async function findUser(db: Queryable, name: string): Promise<UserRow | null> {
  return await one(db, 'name = $1', [name]);
}

export async function findOidcUser(db: Queryable, issuer: string, subject: string): Promise<UserRow | null> {
  return await one(db, 'oidc_issuer = $1 and oidc_subject = $2', [issuer, subject]);
}

export async function findUnixUser(db: Queryable, unixUser: string): Promise<UserRow | null> {
  return await one(db, 'unix_user = $1', [unixUser]);
}

async function one(db: Queryable, where: string, parameters: readonly unknown[]): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>(
    `select ${userColumns('users')} from users where ${where}`,
    parameters,
  );
  return row ?? null;
}

/** The hash to check a password against; null when the user does not exist, is disabled or has no password. */
export async function passwordHashOf(db: Queryable, name: string): Promise<string | null> {
  const [row] = await db.query<{ hash: string | null }>(
    'select password_hash as hash from users where name = $1 and disabled_at is null',
    [name],
  );
  return row?.hash ?? null;
}

/** A password that somebody else knew let them make links, sessions and access tokens: none outlives it. */
export async function setPassword(
  tx: Queryable,
  name: string,
  hash: string,
  { keepsTokens = false }: { readonly keepsTokens?: boolean } = {},
): Promise<void> {
  const [row] = await tx.query<{ id: number }>(
    'update users set password_hash = $2 where name = $1 returning id',
    [name, hash],
  );
  if (row === undefined) return;
  await endSessionsOf(tx, row.id);
  await tx.query('delete from login_links where user_id = $1', [row.id]);
  if (!keepsTokens) await revokeTokensOf(tx, row.id);
}

/** Ends the sessions of a user. */
async function endSessionsOf(db: Queryable, user: number): Promise<void> {
  await db.query('delete from user_sessions where user_id = $1', [user]);
}

/** Revokes the access tokens of a user. */
export async function revokeTokensOf(db: Queryable, user: number): Promise<void> {
  await db.query('delete from access_tokens where user_id = $1', [user]);
}

/** Ends everything with which a user is logged in: sessions and access tokens. */
export async function endLoginsOf(tx: Queryable, user: number): Promise<void> {
  await endSessionsOf(tx, user);
  await revokeTokensOf(tx, user);
}

/**
 * A new role ends the user's sessions. Disabling also revokes access tokens and links: they must not come back with
 * the user.
 * @returns null when there is no such user
 */
export async function changeUser(tx: Queryable, name: string, change: UserChange): Promise<UserRow | null> {
  const { displayName = null, role = null, disabled = null, unixUser } = change;
  const before = await findUser(tx, name);
  const [row] = await tx.query<UserRow>(
    `update users set display_name = coalesce($2, display_name), role = coalesce($3, role),
            disabled_at = case $4::boolean when true then coalesce(disabled_at, now()) when false then null else disabled_at end,
            unix_user = case when $5 then $6 else unix_user end
      where name = $1 returning ${userColumns('users')}`,
    [name, displayName, role, disabled, unixUser !== undefined, unixUser ?? null],
  );
  if (before === null || row === undefined) return null;
  if (row.role !== before.role) await endSessionsOf(tx, row.id);
  if (row.disabledAt !== null) {
    await endLoginsOf(tx, row.id);
    await tx.query('delete from login_links where user_id = $1', [row.id]);
  }
  return row;
}

export async function noteLogin(db: Queryable, id: number): Promise<void> {
  await db.query('update users set last_login_at = now() where id = $1', [id]);
}

/**
 * Is there an admin who is not disabled?
 * @param except leave out this user
 */
export async function hasAdmin(db: Queryable, except: string | null = null): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    `select exists (select 1 from users where role = 'admin' and disabled_at is null
                    and ($1::text is null or name <> $1)) as found`,
    [except],
  );
  return row?.found ?? false;
}
