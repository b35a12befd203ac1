// A client connection whose new channels use the certificates and the key of now.
import { getCACertificates } from 'node:tls';
import { experimental } from '@grpc/grpc-js';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { closingCalls } from './closing-calls.ts';
import type { FollowedAccess } from './followed-access.ts';
import { pemOf, type TemporalAccess } from './temporal-access.ts';

/**
 * A connection that opens with its first call. A channel that is open stays: the server ends it in its own time, and the
 * next one begins with the renewed certificate.
 */
export function followedConnection(address: string, access: FollowedAccess, signal: AbortSignal): Connection {
  const { metadata, tls, apiKey } = access.current;
  const connection = Connection.lazy({
    address,
    ...(metadata !== undefined && { metadata }),
    ...(tls ? channelOf(tls === true ? {} : tls, access) : {}),
    interceptors: closingCalls(signal),
  });
  // The SDK takes a key beside credentials only afterwards.
  if (apiKey !== undefined) connection.setApiKey(() => access.current.apiKey ?? '');
  return connection;
}

type CaCertificateUpdate = experimental.CaCertificateUpdate;
type IdentityCertificateUpdate = experimental.IdentityCertificateUpdate;
type Tls = Exclude<TemporalAccess['tls'], boolean | null | undefined>;

function channelOf(
  { serverNameOverride, clientCertPair }: Tls,
  access: FollowedAccess,
): Pick<ConnectionOptions, 'credentials' | 'channelArgs'> {
  const provider = providerOf(access);
  return {
    credentials: experimental.createCertificateProviderChannelCredentials(
      provider,
      clientCertPair === undefined ? null : provider,
    ),
    ...(serverNameOverride !== undefined && {
      channelArgs: {
        'grpc.ssl_target_name_override': serverNameOverride,
        'grpc.default_authority': serverNameOverride,
      },
    }),
  };
}

/** gRPC's own reading of files would open a channel with a half-written file. */
function providerOf(access: FollowedAccess) {
  const authorityOf = (options: TemporalAccess): CaCertificateUpdate => {
    const { ca } = pemOf(options);
    // As the SDK: the authorities of Node.js and of NODE_EXTRA_CA_CERTS.
    return { caCertificate: ca ?? Buffer.from(getCACertificates('default').join('\n')) };
  };
  const identityOf = (options: TemporalAccess): IdentityCertificateUpdate | null => {
    const { cert, key } = pemOf(options);
    return cert === undefined || key === undefined ? null : { certificate: cert, privateKey: key };
  };
  const authorities = new Set<(update: CaCertificateUpdate | null) => void>();
  const identities = new Set<(update: IdentityCertificateUpdate | null) => void>();
  access.onChange((renewed) => {
    for (const listen of authorities) listen(authorityOf(renewed));
    for (const listen of identities) listen(identityOf(renewed));
  });
  const provider: experimental.CertificateProvider = {
    addCaCertificateListener(listen) {
      authorities.add(listen);
      listen(authorityOf(access.current));
    },
    removeCaCertificateListener: (listen) => void authorities.delete(listen),
    addIdentityCertificateListener(listen) {
      identities.add(listen);
      listen(identityOf(access.current));
    },
    removeIdentityCertificateListener: (listen) => void identities.delete(listen),
  };
  return provider;
}
