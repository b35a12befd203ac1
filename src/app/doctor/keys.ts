// Checks the keys of encryption as a process does that starts, without writing.
import type { LoadedConfig } from '../../config/load.ts';
import { SecretError } from '../../core/config/errors.ts';
import { type LedgerCipher, UnknownLedgerKeyError } from '../../core/encryption/cipher.ts';
import { compareKeys, WrongLedgerKeyError } from '../../core/encryption/known-keys.ts';
import { EncryptionKeyError } from '../../core/encryption/payload-keys.ts';
import type { Queryable } from '../../core/sql/database.ts';
import { openDataConverter } from '../../temporal/temporal-encryption.ts';
import { openLedgerCipher } from '../ledger/ledger-encryption.ts';
import type { Findings } from './findings.ts';
import { quote, say } from './say.ts';

type Keys = Pick<LoadedConfig, 'config' | 'secret'>;

export async function checkPayloadKeys(config: Keys, findings: Findings): Promise<void> {
  try {
    await openDataConverter(config);
  } catch (error) {
    refuse('temporal', error, findings);
  }
}

/** @returns undefined where the keys cannot be used; null without keys */
export async function readLedgerKeys(
  config: Keys,
  findings: Findings,
): Promise<LedgerCipher | null | undefined> {
  try {
    return await openLedgerCipher(config);
  } catch (error) {
    refuse('ledger', error, findings);
    return undefined;
  }
}

export async function checkLedgerKeys(
  db: Queryable,
  cipher: LedgerCipher | null,
  findings: Findings,
): Promise<void> {
  const [table] = await db.query<{ keys: string | null }>(
    `select to_regclass('encryption_keys')::text as keys`,
  );
  if (table?.keys == null) return;
  try {
    await compareKeys(db, cipher);
    if (cipher !== null) findings.ok('ledger', say('CHECK_LEDGER_KEYS', { keys: [...cipher.ids] }));
  } catch (error) {
    refuse('ledger', error, findings);
  }
}

function refuse(check: 'temporal' | 'ledger', error: unknown, findings: Findings): void {
  const isWrong = [SecretError, EncryptionKeyError, UnknownLedgerKeyError, WrongLedgerKeyError].some(
    (kind) => error instanceof kind,
  );
  if (!isWrong) throw error;
  findings.problem(check, quote('CHECK_KEYS', (error as Error).message), { cause: 'usage' });
}
