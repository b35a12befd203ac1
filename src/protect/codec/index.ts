// The codec of a configuration: off without keys.
import type { PayloadCodec } from '@temporalio/common';
import { type EncryptionKey, readEncryptionKey } from '../../core/encryption/payload-keys.ts';
import { createEncryptionCodec } from './encryption-codec.ts';

export interface EncryptionOptions {
  /** Of the part `temporal.encryption` of the configuration; the first key encrypts. */
  readonly keys: readonly { readonly id: string; readonly key: string }[];
  /** Reads a secret reference. */
  secret(ref: string): Promise<string>;
}

/**
 * @returns null without keys
 * @throws EncryptionKeyError; what `secret` throws
 */
export async function openCodec({ keys, secret }: EncryptionOptions): Promise<PayloadCodec | null> {
  const opened: EncryptionKey[] = [];
  for (const { id, key } of keys) opened.push(readEncryptionKey(id, await secret(key)));
  const [first, ...others] = opened;
  return first === undefined ? null : createEncryptionCodec([first, ...others]);
}
