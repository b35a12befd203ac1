// Users who come from an OpenID provider. Issuer and subject identify them; e-mail addresses and names may change
// hands.
import type { OidcRoles } from '../../config/schema/operator.ts';
import type { Role } from '../../core/endpoint.ts';
import type { Database, Queryable } from '../../core/sql/database.ts';
import { shortHash } from '../../core/sql/short-hash.ts';
import { OperatorError } from '../error.ts';
import { changeUser, createUser, endLoginsOf, findOidcUser, type UserRow } from '../store/identity/users.ts';
import type { OidcUser } from './oidc.ts';
import { roleOf, shownName, suggestedName } from './oidc-roles.ts';

const MAX_SUFFIX = 9;

/**
 * The user of a login, with the role that the provider gives now. A changed role ends earlier sessions. Without a role,
 * access tokens end too.
 * @throws OperatorError (forbidden) without a role, or when the user is disabled
 */
export async function userOfOidc(db: Database, login: OidcUser, roles: OidcRoles): Promise<UserRow> {
  const role = roleOf(login.claims, roles);
  const user = await db.transaction(async (tx) => {
    const known = await findOidcUser(tx, login.issuer, login.subject);
    if (known !== null && known.disabledAt !== null)
      throw new OperatorError('forbidden', `the user "${known.name}" is disabled`, { code: 'USER_DISABLED' });
    if (role === null) {
      if (known !== null) await endLoginsOf(tx, known.id);
      return null;
    }
    if (known === null) return await addOidcUser(tx, login, role);
    const displayName = shownName(login.claims) ?? known.displayName;
    return (await changeUser(tx, known.name, { role, displayName })) as UserRow;
  });
  // After the transaction, which must end the logins.
  if (user === null)
    throw new OperatorError(
      'forbidden',
      'none of your groups has a role in Sluice; ask for one, or for another role mapping',
      { code: 'OIDC_NO_ROLE' },
    );
  return user;
}

/** Another user may have the name already, so a number follows it. */
async function addOidcUser(
  tx: Queryable,
  { issuer, subject, claims }: OidcUser,
  role: Role,
): Promise<UserRow> {
  const base = suggestedName(claims);
  const numbered = Array.from({ length: MAX_SUFFIX - 1 }, (_, index) => `${base}-${index + 2}`);
  const unique = `${base}-${shortHash(`${issuer} ${subject}`).toLowerCase()}`;
  for (const name of [base, ...numbered, unique]) {
    const user = await createUser(tx, {
      name,
      displayName: shownName(claims) ?? name,
      role,
      passwordHash: null,
      oidc: { issuer, subject },
      unixUser: null,
    });
    const added = user ?? (await findOidcUser(tx, issuer, subject));
    if (added !== null) return added;
  }
  throw new OperatorError('conflict', `the name "${base}" is taken; ask an admin`, { code: 'NAME_TAKEN' });
}
