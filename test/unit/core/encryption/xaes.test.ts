// The cipher of the ledger's values, against the published test vectors.
import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { xaes } from '../../../../src/core/encryption/xaes.ts';

const NONCE = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX');
const PLAIN = Buffer.from('XAES-256-GCM');

describe('XAES-256-GCM', () => {
  // https://c2sp.org/XAES-256-GCM, test vectors. The mask of the second key overflows.
  it.each([
    [1, '', 'ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271'],
    [3, 'c2sp.org/XAES-256-GCM', '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d'],
  ])('with a key of bytes %i gives the result of the specification', (byte, authenticated, expected) => {
    const { encrypt, decrypt } = xaes(createSecretKey(Buffer.alloc(32, byte)));
    const sealed = encrypt(PLAIN, Buffer.from(authenticated), NONCE);
    expect(sealed.subarray(0, 24)).toEqual(NONCE);
    expect(sealed.subarray(24).toString('hex')).toBe(expected);
    expect(decrypt(sealed, Buffer.from(authenticated))).toEqual(PLAIN);
  });

  it('never uses a nonce twice', () => {
    const { encrypt } = xaes(createSecretKey(Buffer.alloc(32, 1)));
    const nonces = Array.from({ length: 1000 }, () => encrypt(PLAIN, PLAIN).toString('hex', 0, 24));
    expect(new Set(nonces).size).toBe(1000);
  });
});
