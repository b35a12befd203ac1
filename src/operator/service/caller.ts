// Who calls the operator API, and what they may do.
import { type Endpoint, ROLES, type Role } from '../../core/endpoint.ts';
import { OperatorError } from '../error.ts';

/** Somebody whose identity is established: by a login, an access token, or the folder of the socket. */
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
  /** A second factor is required, and the user has none. */
  readonly needsSecondFactor?: boolean;
}

export function isAllowed(caller: Caller | null, least: Role | 'anyone'): boolean {
  if (least === 'anyone') return true;
  return caller !== null && ROLES.indexOf(caller.role) >= ROLES.indexOf(least);
}

/** Why the caller may not call this at all; null: it may. */
export function refusalOf(caller: Caller | null, endpoint: Endpoint): OperatorError | null {
  if (!isAllowed(caller, endpoint.role)) return roleRequired(caller, endpoint.role);
  if (caller?.needsSecondFactor !== true) return null;
  const ways: readonly Caller['via'][] = endpoint.withoutSecondFactor ?? [];
  return ways.includes(caller.via) ? null : secondFactorRequired(caller);
}

export function roleRequired(caller: Caller | null, least: Endpoint['role']): OperatorError {
  if (caller === null)
    return new OperatorError('unauthenticated', 'log in first', { code: 'LOGIN_REQUIRED' });
  return new OperatorError('forbidden', `this needs the role ${least}; you have the role ${caller.role}`, {
    code: 'ROLE_REQUIRED',
  });
}

export function secondFactorRequired({ name }: Pick<Caller, 'name'>): OperatorError {
  return new OperatorError(
    'forbidden',
    `a second factor is required, and ${name} has none; log in to the console, and turn it on`,
    { code: 'SECOND_FACTOR_REQUIRED' },
  );
}

/**
 * A service establishes an identity: a login, a token, or the private folder of a socket. Whoever opens a shared
 * database can claim any name.
 * @param what it is that the caller cannot do
 */
export function identityUnproven(what: string): OperatorError {
  return new OperatorError(
    'forbidden',
    `this command opened the shared ledger itself (DATABASE_URL), so nothing proves who you are, and it cannot ${what}. Use the console, or a service: \`--server URL\` with your access token (SLUICE_SERVER_TOKEN)`,
    { code: 'IDENTITY_UNPROVEN' },
  );
}
