// Keys of encryption, for Temporal's payloads and for the ledger.
import { z } from 'zod';
import { name, SecretRef } from '../../core/config/base.ts';

const EncryptionKeyConfig = z.strictObject({
  id: name.meta({
    description:
      'Id of the key, for example 2026-11. It stands unencrypted beside everything that the key encrypts. Never give another key the same id.',
  }),
  key: SecretRef.meta({
    description:
      'Reference to the key: env:NAME, file:path relative to this file, or command:program. 32 bytes as base64 or hex, made with `openssl rand -base64 32`.',
  }),
});

/** @param description when keys come and go, and the default */
export const encryptionKeys = (description: string) =>
  z
    .array(EncryptionKeyConfig)
    .max(100)
    .refine(
      (keys) => new Set(keys.map(({ id }) => id)).size === keys.length,
      'lists an id twice; give every key an id of its own',
    )
    .default([])
    .meta({ description });
