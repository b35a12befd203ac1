// Who calls the operator API, and what they may do.
import { ROLES, type Role } from '../../contracts/operator/endpoint.ts';

/** Somebody whose identity is established: by a login, an access token, or the kernel. */
export interface Caller {
  /**
   * `user:ana`, or `unix:bia` for a Unix user that is not linked to a user of Sluice. Approvals by a second person
   * compare these identities.
   */
  readonly identity: string;
  /** For people: the display name. */
  readonly name: string;
  readonly role: Role;
  /** `local`: the command itself has opened the ledger. */
  readonly via: 'session' | 'token' | 'socket' | 'local';
  /**
   * Nothing proves the identity: the command itself opened a ledger that several people share. It cannot approve.
   */
  readonly isClaimed?: boolean;
}

export function isAllowed(caller: Caller | null, least: Role | 'anyone'): boolean {
  if (least === 'anyone') return true;
  return caller !== null && ROLES.indexOf(caller.role) >= ROLES.indexOf(least);
}
