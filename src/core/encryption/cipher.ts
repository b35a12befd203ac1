// Encrypts single values of the ledger. A value is bound to its place: table, column and row.
import type { KeyObject } from 'node:crypto';
import { xaes } from './xaes.ts';

export interface LedgerKey {
  /** Stands unencrypted beside every value. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: KeyObject;
}

/** An encrypted value and the id of its key. */
export interface Sealed {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** Where a value stands: table, column, and what names the row. A value at another place cannot be decrypted. */
export type Place = readonly (string | number | null)[];

export interface LedgerCipher {
  /** Ids of the keys. The first one encrypts. */
  readonly ids: readonly [string, ...string[]];
  encrypt(plain: Uint8Array, place: Place): Sealed;
  /** @throws UnknownLedgerKeyError, DamagedValueError */
  decrypt(sealed: Sealed, place: Place): Buffer;
}

/** Thrown when the ledger has values of a key that is not configured. */
export class UnknownLedgerKeyError extends Error {
  override readonly name = 'UnknownLedgerKeyError';
  readonly keyId: string;
  constructor(keyId: string) {
    super(
      `the ledger has values that are encrypted with the key ${JSON.stringify(keyId)}, which ledger.encryption.keys does not list; add that key after the first one`,
    );
    this.keyId = keyId;
  }
}

/** Thrown when a value is not what was encrypted here: it was changed or moved, or its key id stood for another key. */
export class DamagedValueError extends Error {
  override readonly name = 'DamagedValueError';
  readonly keyId: string;
  /** Table and column. */
  readonly column: string;
  constructor(keyId: string, column: string, options?: ErrorOptions) {
    super(
      `a value of ${column} in the ledger, encrypted with the key ${JSON.stringify(keyId)}, was changed or moved from another row, or that id stood for another key then; restore the row from a backup, or list the right key`,
      options,
    );
    this.keyId = keyId;
    this.column = column;
  }
}

/** @param keys with different ids; the first one encrypts, all of them decrypt */
export function createLedgerCipher(keys: readonly [LedgerKey, ...LedgerKey[]]): LedgerCipher {
  const [first, ...others] = keys;
  const own = xaes(first.secret);
  const ciphers = new Map([[first.id, own], ...others.map(({ id, secret }) => [id, xaes(secret)] as const)]);
  return {
    ids: [first.id, ...others.map(({ id }) => id)],
    encrypt: (plain, place) => ({
      keyId: first.id,
      bytes: own.encrypt(plain, authenticated(first.id, place)),
    }),
    decrypt({ keyId, bytes }, place) {
      const cipher = ciphers.get(keyId);
      if (cipher === undefined) throw new UnknownLedgerKeyError(keyId);
      try {
        return cipher.decrypt(bytes, authenticated(keyId, place));
      } catch (cause) {
        throw new DamagedValueError(keyId, place.slice(0, 2).join('.'), { cause });
      }
    },
  };
}

/** JSON keeps the parts apart. Numbers count as texts: drivers return the same id as either. */
function authenticated(keyId: string, place: Place): Buffer {
  return Buffer.from(
    JSON.stringify(['sluice ledger', keyId, ...place.map((part) => (part === null ? null : String(part)))]),
  );
}
