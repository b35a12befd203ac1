// Errors of payload encryption. None contains a key or the content of a payload.

/** Thrown when a payload is encrypted with a key that is not configured. */
export class UnknownEncryptionKeyError extends Error {
  override readonly name = 'UnknownEncryptionKeyError';
  readonly keyId: string;
  constructor(keyId: string) {
    super(
      `a payload is encrypted with the key ${JSON.stringify(keyId)}, which temporal.encryption.keys does not list; ` +
        'add that key after the first one',
    );
    this.keyId = keyId;
  }
}

/** Thrown when a payload is not what was encrypted: it was changed, cut, or its key id now stands for another key. */
export class DamagedPayloadError extends Error {
  override readonly name = 'DamagedPayloadError';
  readonly keyId: string;
  constructor(keyId: string, options?: ErrorOptions) {
    super(
      `a payload that names the encryption key ${JSON.stringify(keyId)} was changed after its encryption, ` +
        'or that id stood for another key then; keep the value of a key as long as its id is listed',
      options,
    );
    this.keyId = keyId;
  }
}
