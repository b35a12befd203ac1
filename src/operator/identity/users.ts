// Changes to users. The last admin stays.
import type { Database, Queryable } from '../../core/sql/database.ts';
import { OperatorError } from '../error.ts';
import {
  changeUser,
  createUser,
  findUnixUser,
  findUser,
  hasAdmin,
  lockUsers,
  type NewUser,
  setPassword,
  type UserChange,
  type UserRow,
} from '../store/identity/users.ts';
import type { Passwords } from './passwords.ts';

export interface AddedUser extends Pick<NewUser, 'name' | 'displayName' | 'role' | 'unixUser'> {
  readonly password: string | null;
}

/** @throws OperatorError when the name or the Unix user is taken, or the password is too weak */
export async function addUser(db: Database, passwords: Passwords, user: AddedUser): Promise<UserRow> {
  const { name, displayName, role, unixUser, password } = user;
  if (password !== null) await passwords.check(password, [name, displayName]);
  const passwordHash = password === null ? null : await passwords.hash(password);
  const added = await createUser(db, { name, displayName, role, passwordHash, oidc: null, unixUser });
  if (added !== null) return added;
  const isTaken = (await findUser(db, name)) !== null;
  throw new OperatorError(
    'conflict',
    isTaken
      ? `there is already a user "${name}"; names are never used twice`
      : `another user is linked to the Unix user "${unixUser}"; remove that link first`,
    { code: isTaken ? 'NAME_TAKEN' : 'UNIX_USER_TAKEN' },
  );
}

/** @throws OperatorError when the user is unknown, or the change would leave no admin */
export async function updateUser(
  db: Database,
  name: string,
  change: UserChange,
): Promise<UserRow & { readonly before: Pick<UserRow, 'role'> & { readonly disabled: boolean } }> {
  return await db.transaction(async (tx) => {
    await lockUsers(tx);
    const before = await findUser(tx, name);
    if (before === null) throw unknownUser(name);
    if (change.role !== undefined && change.role !== before.role && before.oidcIssuer !== null)
      throw new OperatorError(
        'conflict',
        `the OpenID provider decides the role of "${name}" at each login; change the groups there`,
        { code: 'ROLE_OF_PROVIDER' },
      );
    await keepAnAdmin(tx, before, change);
    if (change.unixUser != null) await checkUnixUser(tx, name, change.unixUser);
    const user = await changeUser(tx, name, change);
    if (user === null) throw unknownUser(name);
    return { ...user, before: { role: before.role, disabled: before.disabledAt !== null } };
  });
}

async function keepAnAdmin(tx: Queryable, before: UserRow, { role, disabled }: UserChange): Promise<void> {
  const isAdmin = before.role === 'admin' && before.disabledAt === null;
  const stays = (role ?? 'admin') === 'admin' && disabled !== true;
  if (!isAdmin || stays || (await hasAdmin(tx, before.name))) return;
  throw new OperatorError('conflict', `"${before.name}" is the last admin; make another user admin first`, {
    code: 'LAST_ADMIN',
  });
}

async function checkUnixUser(tx: Queryable, name: string, unixUser: string): Promise<void> {
  const owner = await findUnixUser(tx, unixUser);
  if (owner === null || owner.name === name) return;
  throw new OperatorError(
    'conflict',
    `"${owner.name}" is linked to the Unix user "${unixUser}"; remove that link first`,
    { code: 'UNIX_USER_TAKEN' },
  );
}

export interface NewPassword {
  readonly name: string;
  readonly password: string;
  /** Do not revoke the access tokens of the user. */
  readonly keepsTokens?: boolean;
  /** Runs after the new password was accepted, and may refuse the change: it may use something up. */
  prove?(): Promise<void>;
}

/** Ends all sessions of the user, and revokes the access tokens. @throws OperatorError */
export async function changePassword(
  db: Database,
  passwords: Passwords,
  { name, password, keepsTokens = false, prove }: NewPassword,
): Promise<void> {
  const user = await findUser(db, name);
  if (user === null) throw unknownUser(name);
  requireLocalLogin(user);
  await passwords.check(password, [user.name, user.displayName]);
  await prove?.();
  const hash = await passwords.hash(password);
  await db.transaction((tx) => setPassword(tx, name, hash, { keepsTokens }));
}

/**
 * A password would outlive the removal of a user at the provider.
 * @throws OperatorError (conflict)
 */
export function requireLocalLogin({ name, oidcIssuer }: UserRow): void {
  if (oidcIssuer === null) return;
  throw new OperatorError(
    'conflict',
    `"${name}" logs in with the OpenID provider ${oidcIssuer} and has no password in Sluice`,
    { code: 'PASSWORD_OF_PROVIDER' },
  );
}

export function unknownUser(name: string): OperatorError {
  return new OperatorError('notFound', `there is no user "${name}"; see \`sluice user list\``, {
    code: 'UNKNOWN_USER',
  });
}
