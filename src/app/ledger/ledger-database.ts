// Opens the ledger's database: PostgreSQL when a URL is set, otherwise PGlite in the state folder.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerCipher } from '../../core/encryption/cipher.ts';
import { encryptedDatabase } from '../../core/encryption/encrypted-database.ts';
import { checkKeys } from '../../core/encryption/known-keys.ts';
import { type Database, LedgerError, openPglite, openPostgres } from '../../core/sql/database.ts';
import { migrate } from '../../core/sql/migrations/migrations.ts';
import { checkServer } from '../../core/sql/server-version.ts';

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
 * @throws PostgresTooOldError, UnknownLedgerKeyError, WrongLedgerKeyError
 */
export async function openLedger(options: LedgerOptions): Promise<Database> {
  const { url, cipher } = options;
  const db =
    url === undefined || url === ''
      ? await openPglite(join(options.stateDir, 'ledger'))
      : await openPostgres(url, options.onError, options.answerMs);
  try {
    await checkServer(db);
    await migrate(db);
    if (cipher !== undefined) await checkKeys(db, cipher);
  } catch (error) {
    await db.close();
    throw error;
  }
  return cipher == null ? db : encryptedDatabase(db, cipher);
}

/** Pause between two attempts to reach a server that is down. */
const AGAIN_MS = 2000;
/** The server is down, starting, or stopping. Other errors need a correction and end the command. */
const AWAY =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|57P0[123])$/;

export interface WaitingLedgerOptions extends LedgerOptions {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Called once when the server is down. */
  waiting(error: LedgerError): void;
  /** @default 2000 */
  readonly againMs?: number;
}

/**
 * Opens the ledger as soon as its server answers.
 * @throws as `openLedger`; the signal's reason
 */
export async function openLedgerWhenUp(options: WaitingLedgerOptions): Promise<Database> {
  const { signal, againMs = AGAIN_MS } = options;
  for (let isReported = false; ; ) {
    try {
      return await openLedger(options);
    } catch (error) {
      if (!(error instanceof LedgerError) || (error.code !== null && !AWAY.test(error.code))) throw error;
      if (!isReported) options.waiting(error);
      isReported = true;
      await delay(againMs, undefined, { signal });
    }
  }
}
