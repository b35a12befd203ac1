// A login whose password was right and whose code is missing, signed, so that its holder can prove the first half. The key
// comes from the user's secret and password, which all processes read in the ledger: when one changes, it is void.
import { hkdfSync } from 'node:crypto';
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Database } from '../../core/sql/database.ts';
import { OperatorError } from '../error.ts';
import { secretOf } from '../store/identity/second-factors.ts';
import { findUser, passwordHashOf, type UserRow } from '../store/identity/users.ts';

/** Seconds to enter a code. */
const PENDING_SECONDS = 300;
const ALGORITHM = 'HS256';
const AUDIENCE = 'sluice second factor';

const Pending = z.object({
  user: z.string(),
  via: z.enum(['password', 'link']),
  /** Name of the access token that the login makes; null: it makes a session. */
  accessToken: z.string().nullable(),
});
type Pending = z.infer<typeof Pending>;

/** @throws OperatorError (unauthenticated) when the second factor was turned off just now */
export async function signPendingLogin(
  db: Database,
  user: UserRow,
  { via, accessToken }: Omit<Pending, 'user'>,
): Promise<string> {
  return await new SignJWT({ user: user.name, via, accessToken })
    .setProtectedHeader({ alg: ALGORITHM })
    .setAudience(AUDIENCE)
    .setExpirationTime(`${PENDING_SECONDS}s`)
    .sign(await keyOf(db, user));
}

export interface PendingLogin extends Omit<Pending, 'user'> {
  readonly user: UserRow;
}

/** @throws OperatorError (unauthenticated) */
export async function readPendingLogin(db: Database, signed: string): Promise<PendingLogin> {
  const user = await findUser(db, nameOfPending(signed) ?? '');
  if (user === null) throw refused();
  const key = await keyOf(db, user);
  try {
    const { payload } = await jwtVerify(signed, key, { algorithms: [ALGORITHM], audience: AUDIENCE });
    const { via, accessToken } = Pending.parse(payload);
    return { user, via, accessToken };
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw refused(cause);
    throw cause;
  }
}

/** The name that it claims, before it is verified. */
export function nameOfPending(signed: string): string | undefined {
  try {
    return Pending.safeParse(decodeJwt(signed)).data?.user;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

async function keyOf(db: Database, { id, name }: UserRow): Promise<Uint8Array> {
  const [secret, password] = [await secretOf(db, id, true), await passwordHashOf(db, name)];
  if (secret === null || password === null) throw refused();
  return new Uint8Array(hkdfSync('sha256', secret, password, AUDIENCE, 32));
}

function refused(cause?: unknown): OperatorError {
  return new OperatorError('unauthenticated', 'this login began too long ago, or is void; log in again', {
    code: 'LOGIN_EXPIRED',
    cause,
  });
}
