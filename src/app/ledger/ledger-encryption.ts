// The cipher of a configuration: it encrypts values of the ledger, and those of older keys again.
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../../config/load.ts';
import type { LedgerConfig } from '../../config/schema/ledger.ts';
import { createLedgerCipher, type LedgerCipher, type LedgerKey } from '../../core/encryption/cipher.ts';
import { readEncryptionKey } from '../../core/encryption/payload-keys.ts';
import type { Shutdown } from '../../core/shutdown.ts';
import type { Database } from '../../core/sql/database.ts';
import { encryptAgain } from '../../protect/encryption/encrypt-again.ts';

/**
 * @returns null without keys
 * @throws SecretError, EncryptionKeyError
 */
export async function openLedgerCipher({
  config,
  secret,
}: Pick<LoadedConfig, 'config' | 'secret'>): Promise<LedgerCipher | null> {
  return await cipherOf(config.ledger.encryption.keys, async (ref) => (await secret(ref)).value);
}

/** @param secret reads a secret reference */
export async function cipherOf(
  keys: LedgerConfig['encryption']['keys'],
  secret: (ref: string) => Promise<string>,
): Promise<LedgerCipher | null> {
  const opened: LedgerKey[] = [];
  for (const { id, key } of keys) opened.push(readEncryptionKey(id, await secret(key)));
  const [first, ...others] = opened;
  return first === undefined ? null : createLedgerCipher([first, ...others]);
}

/** Time between two attempts. An attempt does nothing while everything is encrypted. */
const AGAIN_MS = 10 * 60_000;

export interface KeepEncryptedOptions {
  readonly db: Database;
  readonly log: { warn(fields: object, message: string): void };
  readonly shutdown: Shutdown;
}

/** Encrypts values from before the encryption and those of older keys, now and every ten minutes until the shutdown. */
export async function keepEncrypted({ db, log, shutdown }: KeepEncryptedOptions): Promise<void> {
  const { signal } = shutdown;
  const rest = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
  const failed = (err: unknown) => {
    if (!signal.aborted)
      log.warn({ err }, 'values of the ledger could not be encrypted; Sluice tries again in ten minutes');
  };
  while (!signal.aborted) {
    await encryptAgain({ db, signal, rest, failed }).catch(failed);
    await rest(AGAIN_MS);
  }
}
