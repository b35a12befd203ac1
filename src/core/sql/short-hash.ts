// Short names by hash, for values that must be recognized but not read.
import { createHash } from 'node:crypto';

/** 22 characters of Base64url: 132 bits of SHA-256. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
