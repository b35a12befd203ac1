// The certificates and the private key that settings of the connection to Temporal name, read and checked.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ClientConfigTLS } from '@temporalio/envconfig';
import { readRegularFileSync } from '../core/files/regular-file.ts';
import { TemporalSettingsError } from './temporal-address.ts';

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*(-----END )?/g;

const PARTS = [
  {
    part: 'serverCACert',
    names: '`temporal.tls.ca` or TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    why: whyNoCertificate,
  },
  {
    part: 'clientCert',
    names: '`temporal.tls.cert` or TEMPORAL_TLS_CLIENT_CERT_PATH',
    why: whyNoCertificate,
  },
  { part: 'clientKey', names: '`temporal.tls.key` or TEMPORAL_TLS_CLIENT_KEY_PATH', why: whyNoKey },
] as const;

/**
 * The settings with contents in place of paths. The SDK would wait for ever at a pipe, and TLS takes an authority
 * without a certificate as one that signed nothing.
 * @throws TemporalSettingsError, and errors of the system
 */
export function withContents(tls: ClientConfigTLS): ClientConfigTLS {
  const read: ClientConfigTLS = { ...tls };
  for (const { part, names, why } of PARTS) {
    const source = tls[part];
    if (source === undefined || !('path' in source)) continue;
    const data = readRegularFileSync(source.path);
    const reason = why(data);
    if (reason !== null)
      throw new TemporalSettingsError(
        `${source.path} ${reason}; correct the file, or name another in ${names}`,
      );
    read[part] = { data };
  }
  return read;
}

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
