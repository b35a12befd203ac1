// Keys of tests.
import { createHash, createSecretKey } from 'node:crypto';
import {
  createLedgerCipher,
  type LedgerCipher,
  type LedgerKey,
} from '../../../../src/core/encryption/cipher.ts';

/** The same key for the same id. */
export const ledgerKey = (id: string, of = id): LedgerKey => ({
  id,
  secret: createSecretKey(createHash('sha256').update(of).digest()),
});

/** @param ids the first one encrypts */
export const cipherOf = (first: string, ...others: string[]): LedgerCipher =>
  createLedgerCipher([ledgerKey(first), ...others.map((id) => ledgerKey(id))]);
