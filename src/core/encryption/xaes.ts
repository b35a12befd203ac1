// XAES-256-GCM (C2SP): AES-256-GCM with random nonces of 24 bytes. GCM alone allows 2^32 values per key, and a large
// ledger writes more within weeks.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const BLOCK = 16;
/** Of the key derivation: NIST SP 800-108 in counter mode with CMAC, label X. */
const LABEL = [
  [0, 1],
  [0, 2],
] as const;

/** Nonces made at a time: each request for random bytes takes as long as half of an encryption. */
const NONCES = 256;

/** Encrypts with a random nonce. @returns nonce, encrypted bytes, tag */
export type Encrypt = (plain: Uint8Array, authenticated: Uint8Array, nonce?: Uint8Array) => Buffer;
/** @throws when a byte was changed, or with another key, or with other authenticated bytes */
export type Decrypt = (sealed: Uint8Array, authenticated: Uint8Array) => Buffer;

/** @param key 32 bytes */
export function xaes(key: KeyObject): { readonly encrypt: Encrypt; readonly decrypt: Decrypt } {
  // Of whole blocks, each by itself: one cipher serves all values. Making one for each would cost as much as the rest.
  const blocks = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const mask = doubled(blocks.update(Buffer.alloc(BLOCK)));
  const label = Buffer.concat(LABEL.map((start) => Buffer.from([...start, 0x58, 0, ...Buffer.alloc(12)])));
  for (let at = 0; at < label.length; at++) label[at] = (label[at] as number) ^ (mask[at % BLOCK] as number);
  const derive = (nonce: Uint8Array): KeyObject => {
    const input = Buffer.from(label);
    for (let at = 0; at < 12; at++) {
      const byte = nonce[at] as number;
      input[4 + at] = (input[4 + at] as number) ^ byte;
      input[BLOCK + 4 + at] = (input[BLOCK + 4 + at] as number) ^ byte;
    }
    // A cipher takes eight times as long to make from bytes as from a key object.
    return createSecretKey(blocks.update(input));
  };
  let random = Buffer.alloc(0);
  const nextNonce = (): Buffer => {
    if (random.length === 0) random = randomBytes(NONCES * NONCE_BYTES);
    const nonce = random.subarray(0, NONCE_BYTES);
    random = random.subarray(NONCE_BYTES);
    return nonce;
  };
  return {
    encrypt(plain, authenticated, nonce = nextNonce()) {
      const cipher = createCipheriv('aes-256-gcm', derive(nonce), nonce.subarray(12));
      cipher.setAAD(authenticated);
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(sealed, authenticated) {
      const end = sealed.length - TAG_BYTES;
      if (end < NONCE_BYTES) throw new RangeError('there are not enough bytes for a nonce and a tag');
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', derive(nonce), nonce.subarray(12), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(authenticated);
      decipher.setAuthTag(sealed.subarray(end));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]);
    },
  };
}

/** The block times x in GF(2^128), as CMAC defines it. */
function doubled(block: Buffer): Buffer {
  const result = Buffer.alloc(BLOCK);
  for (let i = 0; i < BLOCK; i++)
    result[i] = (((block[i] as number) << 1) | ((block[i + 1] ?? 0) >> 7)) & 0xff;
  if ((block[0] as number) >> 7) result[BLOCK - 1] = (result[BLOCK - 1] as number) ^ 0x87;
  return result;
}
