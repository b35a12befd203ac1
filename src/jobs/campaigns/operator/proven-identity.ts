// Approval by a second person compares two identities, so both must be proven.
import { type Caller, identityUnproven } from '../../../operator/service/caller.ts';

/** @param what it is that the caller cannot do */
export function requireProvenIdentity({ isClaimed = false }: Caller, what: string): void {
  if (isClaimed) throw identityUnproven(what);
}
