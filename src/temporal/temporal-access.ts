// Options of the connection to a server with TLS or an API key.
import type { NativeConnectionOptions } from '@temporalio/worker';

/** For clients and workers. */
export type TemporalAccess = Pick<NativeConnectionOptions, 'tls' | 'apiKey' | 'metadata'>;

/** The files of the options, as Node.js and gRPC take them. */
export function pemOf({ tls }: TemporalAccess) {
  if (typeof tls !== 'object' || tls === null) return {};
  const { serverRootCACertificate: ca, clientCertPair } = tls;
  return {
    ...(ca !== undefined && { ca: Buffer.from(ca) }),
    ...(clientCertPair !== undefined && {
      cert: Buffer.from(clientCertPair.crt),
      key: Buffer.from(clientCertPair.key),
    }),
  };
}
