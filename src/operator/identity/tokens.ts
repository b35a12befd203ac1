// Random tokens of sessions, commands and links. The ledger stores their hashes only.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const BYTES = 32;
/** Makes access tokens recognizable, for example for scanners of repositories. */
export const ACCESS_TOKEN_PREFIX = 'slu_';

/** 43 characters of Base64url: 256 random bits. */
export function newToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

export function newAccessToken(): string {
  return ACCESS_TOKEN_PREFIX + newToken();
}

/** A fast hash is enough: nobody can guess 256 random bits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
