// Compares the configured keys with those of the ledger, before anything is read or written with them.
import type { Queryable } from '../sql/database.ts';
import { DamagedValueError, type LedgerCipher, UnknownLedgerKeyError } from './cipher.ts';

/** Thrown when a configured key is not the one that the ledger knows under its id. */
export class WrongLedgerKeyError extends Error {
  override readonly name = 'WrongLedgerKeyError';
  readonly keyId: string;
  constructor(keyId: string) {
    super(
      `the key ${JSON.stringify(keyId)} in ledger.encryption.keys is not the key that the ledger was encrypted with under this id; list that key again, and give another key an id of its own`,
    );
    this.keyId = keyId;
  }
}

const PROOF = Buffer.from('sluice');
const placeOf = (id: string) => ['encryption_keys', 'proof', id];

interface KnownKey {
  readonly id: string;
  readonly proof: Uint8Array;
}

const KNOWN = 'select id, proof from encryption_keys order by since, id';

/**
 * Only reads.
 * @param cipher null: no keys are configured
 * @returns the ids that the ledger knows
 * @throws UnknownLedgerKeyError when the ledger has values of a key that is not configured; WrongLedgerKeyError
 */
export async function compareKeys(db: Queryable, cipher: LedgerCipher | null): Promise<string[]> {
  const known = await db.query<KnownKey>(KNOWN);
  for (const key of known) checkKey(cipher, key);
  return known.map(({ id }) => id);
}

/**
 * Compares, and registers the key that encrypts.
 * @throws as `compareKeys`
 */
export async function checkKeys(db: Queryable, cipher: LedgerCipher | null): Promise<void> {
  const known = await compareKeys(db, cipher);
  if (cipher === null) return;
  const [first] = cipher.ids;
  if (known.includes(first)) return;
  const proof = Buffer.from(cipher.encrypt(PROOF, placeOf(first)).bytes).toString('base64');
  await db.query(
    `insert into encryption_keys (id, proof) values ($1, decode($2, 'base64')) on conflict do nothing`,
    [first, proof],
  );
  // Another process may have registered another key under this id.
  await compareKeys(db, cipher);
}

function checkKey(cipher: LedgerCipher | null, { id, proof }: KnownKey): void {
  if (cipher === null) throw new UnknownLedgerKeyError(id);
  try {
    cipher.decrypt({ keyId: id, bytes: proof }, placeOf(id));
  } catch (error) {
    throw error instanceof DamagedValueError ? new WrongLedgerKeyError(id) : error;
  }
}

/** The key that began to encrypt last. The others are on their way out, and their values are encrypted again. */
export async function newestKey(db: Queryable): Promise<string | null> {
  const [key] = await db.query<{ id: string }>(
    'select id from encryption_keys order by since desc, id limit 1',
  );
  return key?.id ?? null;
}

/** Forgets keys that no value uses any more, so that a configuration may leave them out. */
export async function retireKeys(db: Queryable, newest: string): Promise<void> {
  await db.query('delete from encryption_keys where id <> $1', [newest]);
}
