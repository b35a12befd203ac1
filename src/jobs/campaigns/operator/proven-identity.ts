// Approval by a second person compares two identities, so both must be proven.
import { OperatorError } from '../../../operator/error.ts';
import type { Caller } from '../../../operator/service/caller.ts';

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
