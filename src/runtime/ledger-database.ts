// Opens the ledger's database: PostgreSQL when a URL is set, otherwise PGlite in the state folder.
import { join } from 'node:path';
import { type Database, openPglite, openPostgres } from '../ledger/database.ts';
import type { LedgerCipher } from '../ledger/encryption/cipher.ts';
import { encryptedDatabase } from '../ledger/encryption/encrypted-database.ts';
import { checkKeys } from '../ledger/encryption/known-keys.ts';
import { migrate } from '../ledger/migrations/migrations.ts';

export interface LedgerOptions {
  /** `postgres://…`; without it, PGlite. */
  readonly url?: string | undefined;
  /** State folder. The caller owns its lock: PGlite serves one process. */
  readonly stateDir: string;
  onError(error: Error): void;
  /** Milliseconds for one statement of PostgreSQL. @default as `openPostgres` says */
  readonly answerMs?: number;
  /** The keys of the configuration; null without keys. @default unknown: encrypted values cannot be read */
  readonly cipher?: LedgerCipher | null | undefined;
}

/**
 * Opens the ledger and brings its tables up to date.
 * @throws UnknownLedgerKeyError, WrongLedgerKeyError
 */
export async function openLedger(options: LedgerOptions): Promise<Database> {
  const { url, cipher } = options;
  const db =
    url === undefined || url === ''
      ? await openPglite(join(options.stateDir, 'ledger'))
      : await openPostgres(url, options.onError, options.answerMs);
  try {
    await migrate(db);
    if (cipher !== undefined) await checkKeys(db, cipher);
  } catch (error) {
    await db.close();
    throw error;
  }
  return cipher == null ? db : encryptedDatabase(db, cipher);
}
