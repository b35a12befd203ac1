// The certificates and the private key that settings of the connection to Temporal name, read and checked.
import type { ClientConfigTLS } from '@temporalio/envconfig';
import { PemFileError, readPemSync } from '../core/net/pem-file.ts';
import { TemporalSettingsError } from './temporal-address.ts';

const PARTS = [
  {
    part: 'serverCACert',
    kind: 'certificate',
    names: '`temporal.tls.ca` or TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  },
  {
    part: 'clientCert',
    kind: 'certificate',
    names: '`temporal.tls.cert` or TEMPORAL_TLS_CLIENT_CERT_PATH',
  },
  { part: 'clientKey', kind: 'key', names: '`temporal.tls.key` or TEMPORAL_TLS_CLIENT_KEY_PATH' },
] as const;

/**
 * The settings with contents in place of paths: the SDK would wait for ever at a pipe.
 * @throws TemporalSettingsError
 */
export function withContents(tls: ClientConfigTLS): ClientConfigTLS {
  const read: ClientConfigTLS = { ...tls };
  for (const { part, kind, names } of PARTS) {
    const source = tls[part];
    if (source === undefined || !('path' in source)) continue;
    try {
      read[part] = { data: readPemSync(source.path, kind, names) };
    } catch (error) {
      if (error instanceof PemFileError) throw new TemporalSettingsError(error.message);
      throw error;
    }
  }
  return read;
}
