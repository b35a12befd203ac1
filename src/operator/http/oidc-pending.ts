// What the browser keeps between the two halves of a login with an OpenID provider, signed, so that nothing else in the
// browser can change it. The key comes from the client secret, which all processes that finish logins have.
import { hkdfSync } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { OperatorError } from '../error.ts';

/** Seconds for the login at the provider. */
export const PENDING_SECONDS = 600;
const ALGORITHM = 'HS256';
const AUDIENCE = 'sluice login';

const Pending = z.object({
  state: z.string().min(1),
  nonce: z.string().min(1),
  verifier: z.string().min(1),
  /** Page to open after the login. */
  then: z.string(),
});
export type Pending = z.infer<typeof Pending>;

export async function signPending(pending: Pending, clientSecret: string): Promise<string> {
  return await new SignJWT(pending)
    .setProtectedHeader({ alg: ALGORITHM })
    .setAudience(AUDIENCE)
    .setExpirationTime(`${PENDING_SECONDS}s`)
    .sign(keyOf(clientSecret));
}

/**
 * @param signed null: the browser sent none
 * @throws OperatorError (unauthenticated)
 */
export async function readPending(signed: string | null, clientSecret: string): Promise<Pending> {
  if (signed === null) throw refused('OIDC_STATE', 'this browser has begun no login; log in again');
  try {
    const { payload } = await jwtVerify(signed, keyOf(clientSecret), {
      algorithms: [ALGORITHM],
      audience: AUDIENCE,
    });
    return Pending.parse(payload);
  } catch (cause) {
    if (cause instanceof errors.JWTExpired)
      throw refused('OIDC_STATE', 'this browser began the login too long ago; log in again', cause);
    if (cause instanceof errors.JOSEError)
      throw refused('OIDC_COOKIE', 'the cookie of this login was changed on its way; log in again', cause);
    throw cause;
  }
}

function keyOf(clientSecret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', clientSecret, '', AUDIENCE, 32));
}

function refused(code: string, message: string, cause?: unknown): OperatorError {
  return new OperatorError('unauthenticated', message, { code, cause });
}
