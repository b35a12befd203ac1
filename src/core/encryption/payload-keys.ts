// Keys of payload encryption.
import { createSecretKey, type KeyObject } from 'node:crypto';

/** AES-256. */
const KEY_BYTES = 32;
/** One in 10^25 random keys has fewer different bytes than this. A placeholder of zeros has one. */
const MIN_DIFFERENT = 12;

/** Thrown for a key that is not 32 bytes of base64 or hex. */
export class EncryptionKeyError extends Error {
  override readonly name = 'EncryptionKeyError';
  readonly keyId: string;
  constructor(keyId: string, problem: string) {
    super(
      `the encryption key "${keyId}" ${problem}; write 32 bytes as base64 or hex, made with \`openssl rand -base64 32\``,
    );
    this.keyId = keyId;
  }
}

export interface EncryptionKey {
  /** Stands unencrypted in every payload. */
  readonly id: string;
  readonly secret: KeyObject;
}

/**
 * @param text 32 bytes as 64 hex digits, or as base64 with or without padding, in either alphabet
 * @throws EncryptionKeyError
 */
export function readEncryptionKey(id: string, text: string): EncryptionKey {
  const bytes = bytesOf(text);
  const problem = problemOf(bytes);
  if (bytes === null || problem !== null) throw new EncryptionKeyError(id, problem ?? '');
  return { id, secret: createSecretKey(bytes) };
}

/** What is wrong with the text of a key, without the text: `has 16 bytes`. Null: nothing. */
export function problemOfKey(text: string): string | null {
  return problemOf(bytesOf(text));
}

function problemOf(bytes: Buffer | null): string | null {
  if (bytes === null) return 'is neither base64 nor hex';
  if (bytes.length !== KEY_BYTES) return `has ${bytes.length} bytes`;
  return new Set(bytes).size < MIN_DIFFERENT ? 'is not random' : null;
}

function bytesOf(text: string): Buffer | null {
  const key = text.trim();
  // 64 hex digits are also valid base64, of 48 bytes. AES has no key of 48 bytes.
  if (/^[0-9a-f]{64}$/i.test(key)) return Buffer.from(key, 'hex');
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(key) ? Buffer.from(key, 'base64') : null;
}
