// Why a connection over TLS fails: the SDK says of each mistake only that there was no connection before the deadline.
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { hostOf } from '../core/net/loopback.ts';
import { tlsHelp } from '../core/net/tls-faults.ts';
import { pemOf, type TemporalAccess } from './temporal-access.ts';

const PORT = 7233;
/** A server that refuses the certificate of a client says so after the handshake. */
const REFUSAL_MS = 1000;

const EXPIRED =
  'the client certificate has expired: renew the file of `temporal.tls.cert` or TEMPORAL_TLS_CLIENT_CERT_PATH';

/** What to do, by the code of the error. */
export const TLS_HELP = tlsHelp({
  untrusted:
    'the certificate of the server is not trusted: name the file of its authority in `temporal.tls.ca` or TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  expired: 'the certificate of the server has expired: renew it there',
  notYetValid: 'the certificate of the server is not valid yet: check the clocks',
  otherName:
    'the certificate of the server is for another name: set `temporal.tls.serverName` or TEMPORAL_TLS_SERVER_NAME to that name',
  noTls: 'the server does not speak TLS at this port: correct the address',
  clientMissing:
    'the server asks for a client certificate: set `temporal.tls.cert` and `key`, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
  clientRefused:
    'the server does not accept the client certificate: correct `temporal.tls.cert` and `key`, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
  clientExpired: EXPIRED,
  otherKey:
    'the private key is not that of the certificate: correct `temporal.tls.key` or TEMPORAL_TLS_CLIENT_KEY_PATH',
});

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
  return code === null ? null : (TLS_HELP[code] ?? null);
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
