// Encrypts the payloads that Temporal stores: inputs, results, heartbeats, signals, memos and texts of failures.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { EncryptionKey } from '../../core/encryption/payload-keys.ts';
import { DamagedPayloadError, UnknownEncryptionKeyError } from './errors.ts';

/** Of the metadata `encoding` of an encrypted payload. */
export const ENCRYPTED = 'binary/encrypted';

const KEY_ID = 'encryption-key-id';
const CIPHER = 'aes-256-gcm';
/** Size that NIST SP 800-38D recommends. Random ones allow 2^32 payloads per key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;
const utf8 = new TextEncoder();

/**
 * The first key encrypts; all keys decrypt. `data` of an encrypted payload is a nonce, the tag, and the encrypted
 * protobuf message of the original payload, metadata included. The tag also covers encoding and key id. Unencrypted
 * payloads pass, so that workflows from before the encryption go on.
 * @param keys with different ids
 * @returns a codec; `decode` throws UnknownEncryptionKeyError and DamagedPayloadError
 */
export function createEncryptionCodec(keys: readonly [EncryptionKey, ...EncryptionKey[]]): PayloadCodec {
  const [first] = keys;
  const byId = new Map(keys.map((key) => [key.id, key]));
  return {
    async encode(payloads) {
      return payloads.map((payload) => encrypt(payload, first));
    },
    async decode(payloads) {
      return payloads.map((payload) => {
        const keyId = keyIdOf(payload);
        if (keyId === null) return payload;
        const key = byId.get(keyId);
        if (key === undefined) throw new UnknownEncryptionKeyError(keyId);
        return decrypt(payload, key);
      });
    },
  };
}

/** Id of the key that new payloads get. Null: they are not encrypted. */
export async function encryptingKeyId({ payloadCodecs = [] }: DataConverter): Promise<string | null> {
  let payloads: Payload[] = [{}];
  for (const codec of payloadCodecs) payloads = await codec.encode(payloads);
  return payloads[0] === undefined ? null : keyIdOf(payloads[0]);
}

/** True for a payload that only a codec with its key can read. */
export function isEncrypted({ metadata }: Payload): boolean {
  return textOf(metadata?.encoding) === ENCRYPTED;
}

function encrypt(payload: Payload, { id, secret }: EncryptionKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticated(id));
  const sealed = Buffer.concat([cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()]);
  return {
    metadata: { encoding: utf8.encode(ENCRYPTED), [KEY_ID]: utf8.encode(id) },
    data: Buffer.concat([nonce, cipher.getAuthTag(), sealed]),
  };
}

function decrypt({ data }: Payload, { id, secret }: EncryptionKey): Payload {
  const bytes = data ?? new Uint8Array();
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new DamagedPayloadError(id);
  const sealedAt = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(authenticated(id));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, sealedAt));
  try {
    return PayloadMessage.decode(
      Buffer.concat([decipher.update(bytes.subarray(sealedAt)), decipher.final()]),
    );
  } catch (cause) {
    throw new DamagedPayloadError(id, { cause });
  }
}

/** Null for a payload that nobody encrypted. */
function keyIdOf(payload: Payload): string | null {
  const keyId = textOf(payload.metadata?.[KEY_ID]);
  if (isEncrypted(payload)) {
    if (keyId === null) throw new DamagedPayloadError('');
    return keyId;
  }
  // Somebody changed the encoding: passed on, the encrypted bytes would be read as content.
  if (keyId !== null) throw new DamagedPayloadError(keyId);
  return null;
}

/** What the tag covers besides the content. Both parts are fixed in length or last, so no two pairs give one text. */
function authenticated(keyId: string): Uint8Array {
  return utf8.encode(`${ENCRYPTED}\0${CIPHER}\0${keyId}`);
}

function textOf(bytes: Uint8Array | null | undefined): string | null {
  return bytes == null ? null : Buffer.from(bytes).toString('utf8');
}
