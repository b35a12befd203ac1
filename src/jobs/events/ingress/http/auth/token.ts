// Checks a shared token in a header: after "Bearer " in Authorization, alone in any other header.
import { type Authenticator, type Claim, SecretError } from './claim.ts';
import { anyEqual } from './compare.ts';

export interface TokenOptions {
  readonly header: string;
  /** Accepted tokens. Any of them is valid. */
  readonly secrets: readonly string[];
}

/** @throws SecretError for an empty token */
export function token({ header, secrets }: TokenOptions): Authenticator {
  const empty = secrets.indexOf('');
  if (empty >= 0) throw new SecretError(`token ${empty + 1} is empty; anybody could send it`);
  const bearer = isBearer(header);
  const proves = (claim: Claim): boolean => {
    const value = claim.header(header);
    const given = bearer ? /^Bearer +(\S+)$/i.exec(value ?? '')?.[1] : value;
    return given != null && anyEqual([given], secrets);
  };
  // The body plays no part: a wrong token is refused before the body is read.
  const challenge = bearer && { challenge: 'Bearer' };
  return { status: 401, ...challenge, byHeaders: true, plausible: proves, proves };
}

export function isBearer(header: string): boolean {
  return header.toLowerCase() === 'authorization';
}
