// Why a connection over TLS fails: the SDK says of each mistake only that there was no connection before the deadline.
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { hostOf } from '../core/loopback.ts';
import { pemOf, type TemporalAccess } from './temporal-access.ts';

const PORT = 7233;
/** A server that refuses the certificate of a client says so after the handshake. */
const REFUSAL_MS = 1000;

const AUTHORITY =
  'the certificate of the server is not trusted: name the file of its authority in TEMPORAL_TLS_SERVER_CA_CERT_PATH';
const CLIENT =
  'the server does not accept the client certificate: correct TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH';
const EXPIRED = 'the client certificate has expired: renew the file of TEMPORAL_TLS_CLIENT_CERT_PATH';
const PLAIN = 'the server does not speak TLS at this port: correct the address';

const HELP: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: AUTHORITY,
  CERT_SIGNATURE_FAILURE: AUTHORITY,
  CERT_HAS_EXPIRED: 'the certificate of the server has expired: renew it there',
  CERT_NOT_YET_VALID: 'the certificate of the server is not valid yet: check the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the server is for another name: set TEMPORAL_TLS_SERVER_NAME to that name',
  ERR_SSL_WRONG_VERSION_NUMBER: PLAIN,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: PLAIN,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'the server asks for a client certificate: set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: CLIENT,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: CLIENT,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: EXPIRED,
  ERR_OSSL_X509_KEY_VALUES_MISMATCH:
    'TEMPORAL_TLS_CLIENT_KEY_PATH is not the private key of TEMPORAL_TLS_CLIENT_CERT_PATH',
};

/** @returns null where TLS itself works, or the failure is not one of TLS */
export async function tlsReason(
  address: string,
  access: TemporalAccess,
  timeoutMs: number,
): Promise<string | null> {
  if (!access.tls) return null;
  // Some servers only close the connection.
  const { cert } = pemOf(access);
  if (cert !== undefined && isExpired(cert)) return EXPIRED;
  const code = await handshake(address, access, timeoutMs);
  return code === null ? null : (HELP[code] ?? null);
}

/** False for what is no certificate: the handshake says why. */
function isExpired(pem: Buffer): boolean {
  try {
    return new X509Certificate(pem).validToDate.getTime() < Date.now();
  } catch {
    return false;
  }
}

/** @returns the code of the error, or null */
async function handshake(address: string, access: TemporalAccess, timeoutMs: number): Promise<string | null> {
  const host = hostOf(address).replace(/^\[|\]$/g, '');
  const port = Number(/:(\d+)$/.exec(address)?.[1] ?? PORT);
  const name = (typeof access.tls === 'object' && access.tls?.serverNameOverride) || host;
  const named = isIP(name) === 0 && { servername: name };
  let code: string | null = null;
  try {
    const socket = connect({ ...pemOf(access), host, port, ALPNProtocols: ['h2'], ...named });
    const limits = [setTimeout(() => socket.destroy(), timeoutMs)];
    socket.once('secureConnect', () => limits.push(setTimeout(() => socket.destroy(), REFUSAL_MS)));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      code = error.code ?? null;
    });
    await new Promise((closed) => socket.once('close', closed));
    for (const limit of limits) clearTimeout(limit);
  } catch (error) {
    code = (error as NodeJS.ErrnoException).code ?? null;
  }
  return code;
}
