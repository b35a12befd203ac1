// The certificates and private keys that a configuration and the environment name.
import { PemFileError, readPemSync } from '../core/net/pem-file.ts';
import { filesOfAddress } from '../core/sql/postgres-tls.ts';
import type { ResolvedConfig } from './resolved-config.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface TlsFile {
  /** What uses it: `temporal`, `console`, `ledger`, `ingress.kafka.NAME` or `sinks.NAME`. */
  readonly connection: string;
  readonly part: 'authority' | 'certificate' | 'key';
  readonly path: string;
  /** What names the file, for messages. */
  readonly names: string;
}

export function tlsFiles({ temporal, operator, ingress, sinks }: ResolvedConfig, env: Env): TlsFile[] {
  const ofTemporal = typeof temporal.tls === 'object' ? temporal.tls : {};
  return [
    ...filesOf('temporal', 'temporal.tls', {
      ca: ofTemporal.ca ?? env.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
      cert: ofTemporal.cert ?? env.TEMPORAL_TLS_CLIENT_CERT_PATH,
      key: ofTemporal.key ?? env.TEMPORAL_TLS_CLIENT_KEY_PATH,
    }),
    ...filesOf('console', 'operator.http.tls', operator.http.tls ?? {}),
    ...Object.entries(ingress.kafka).flatMap(([name, { tls }]) =>
      typeof tls === 'object' ? filesOf(`ingress.kafka.${name}`, `ingress.kafka.${name}.tls`, tls) : [],
    ),
    ...Object.entries(sinks).flatMap(([name, sink]) =>
      sink.type === 'kafka' && typeof sink.tls === 'object'
        ? filesOf(`sinks.${name}`, `sinks.${name}.tls`, sink.tls)
        : [],
    ),
    ...filesOfAddress(env.DATABASE_URL ?? '').map(({ name, kind, path }) => ({
      connection: 'ledger',
      part: name === 'sslrootcert' ? ('authority' as const) : kind,
      path,
      names: `\`${name}\` of DATABASE_URL`,
    })),
  ];
}

/** @returns why a process that starts now could not use the file, and the way out; null if it could */
export function faultOf({ part, path, names }: TlsFile): string | null {
  try {
    readPemSync(path, part === 'key' ? 'key' : 'certificate', names);
    return null;
  } catch (error) {
    if (error instanceof PemFileError) return error.message;
    throw error;
  }
}

type Named = Readonly<Partial<Record<'ca' | 'cert' | 'key', string | undefined>>>;

function filesOf(connection: string, at: string, { ca, cert, key }: Named): TlsFile[] {
  const parts = [
    { part: 'authority', path: ca, names: `\`${at}.ca\`` },
    { part: 'certificate', path: cert, names: `\`${at}.cert\`` },
    { part: 'key', path: key, names: `\`${at}.key\`` },
  ] as const;
  return parts.flatMap(({ path, ...file }) => (path ? [{ connection, path, ...file }] : []));
}
