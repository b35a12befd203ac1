// Reads the certificates and private keys that settings name, for connections to Temporal, Kafka and PostgreSQL. TLS
// itself takes an authority without a certificate as one that signed nothing, and names no file.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readRegularFileSync } from '../files/regular-file.ts';

export type PemKind = 'certificate' | 'key';

/** Thrown for a file without what it must have. The message names the file and what to correct. */
export class PemFileError extends Error {
  override readonly name = 'PemFileError';
  readonly code = 'TLS_FILE';
  /** @param names what names the file, for example `temporal.tls.ca` */
  constructor(path: string, reason: string, names: string) {
    super(`${path} ${reason}; correct the file, or name another in ${names}`);
  }
}

/**
 * Reads a PEM file and checks that it can be used. It never waits for a pipe or a device.
 * @param names what names the file, for messages
 * @throws PemFileError
 */
export function readPemSync(path: string, kind: PemKind, names: string): Buffer {
  let data: Buffer;
  try {
    data = readRegularFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new PemFileError(path, code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`, names);
  }
  const reason = kind === 'key' ? whyNoKey(data) : whyNoCertificate(data);
  if (reason !== null) throw new PemFileError(path, reason, names);
  return data;
}

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*(-----END )?/g;

/** Parses the first certificate, and wants the others of a chain to be whole. */
function whyNoCertificate(data: Buffer): string | null {
  const found = [...data.toString('latin1').matchAll(CERTIFICATE)];
  if (found.length === 0) return 'has no certificate in PEM format';
  if (found.some(([, end]) => end === undefined)) return 'has a certificate that is cut off';
  return fails(() => new X509Certificate(data)) ? 'has a certificate that cannot be read' : null;
}

function whyNoKey(data: Buffer): string | null {
  const text = data.toString('latin1');
  if (!/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/.test(text)) return 'has no private key in PEM format';
  if (/-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text))
    return 'has a private key with a passphrase, which Sluice cannot use (`openssl pkey` writes it without)';
  return fails(() => createPrivateKey(data)) ? 'has a private key that cannot be read' : null;
}

/** What OpenSSL says names no file and no way out. */
function fails(parse: () => unknown): boolean {
  try {
    parse();
    return false;
  } catch {
    return true;
  }
}
