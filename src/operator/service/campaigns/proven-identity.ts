// Approval by a second person compares two identities, so both must be proven.
import type { Queryable } from '../../../ledger/database.ts';
import { findUnixUser } from '../../../ledger/operator/users.ts';
import { OperatorError } from '../../error.ts';
import type { Caller } from '../caller.ts';

/**
 * A service establishes an identity: a login, a token, or the kernel's word about a socket. Whoever opens a shared
 * database can claim any name.
 * @param what it is that the caller cannot do
 */
export function requireProvenIdentity({ isClaimed = false }: Caller, what: string): void {
  if (!isClaimed) return;
  throw new OperatorError(
    'forbidden',
    `this command opened the shared ledger itself (DATABASE_URL), so nothing proves who you are, and it cannot ${what}. Use the console, or a service: \`--server URL\` with your access token (SLUICE_SERVER_TOKEN)`,
    { code: 'IDENTITY_UNPROVEN' },
  );
}

const UNIX = 'unix:';

/**
 * Why two different identities may be one person. A Unix user that is linked to no user may belong to anybody who also
 * has a user.
 */
export async function doubtOf(
  db: Queryable,
  author: string,
  approver: string,
): Promise<{ readonly code: string; readonly reason: string } | null> {
  const unix = [author, approver].filter((identity) => identity.startsWith(UNIX));
  const [identity] = unix;
  if (identity === undefined || unix.length === 2) return null;
  const name = identity.slice(UNIX.length);
  if ((await findUnixUser(db, name)) !== null) return null;
  const other = identity === author ? approver : author;
  return {
    code: 'UNIX_USER_UNLINKED',
    reason: `the Unix user "${name}" is linked to no user, so Sluice cannot tell whether ${identity} and ${other} are one person; an admin can link it in Settings, Users`,
  };
}
