// Checks TEMPORAL_ADDRESS: Sluice speaks gRPC without TLS to it.
import { hostOf, isLoopbackHost } from '../../contracts/loopback.ts';

/** Thrown when TEMPORAL_ADDRESS leads over a network, unencrypted, without TEMPORAL_INSECURE. */
export class InsecureTemporalError extends Error {
  override readonly name = 'InsecureTemporalError';
}

/** Thrown when TEMPORAL_ADDRESS is not `host:port`. */
export class TemporalAddressError extends Error {
  override readonly name = 'TemporalAddressError';
}

/** A name, an IPv4 address or an IPv6 address in brackets. Without a port, the SDK uses 7233. */
const HOST_AND_PORT = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;

/**
 * @returns host:port of TEMPORAL_ADDRESS; null where it is not set
 * @throws TemporalAddressError unless it is `host:port`
 * @throws InsecureTemporalError unless it is this machine, or TEMPORAL_INSECURE is `true`
 */
export function temporalAddressOf(env: Readonly<Record<string, string | undefined>>): string | null {
  const address = env.TEMPORAL_ADDRESS;
  if (address === undefined || address === '') return null;
  const match = HOST_AND_PORT.exec(address);
  if (match === null || Number(match[1] ?? 1) > 65_535 || Number(match[1] ?? 1) === 0)
    throw new TemporalAddressError(
      `TEMPORAL_ADDRESS is ${address}; write host:port, for example 127.0.0.1:7233`,
    );
  if (isLoopbackHost(hostOf(address)) || env.TEMPORAL_INSECURE === 'true') return address;
  throw new InsecureTemporalError(
    `TEMPORAL_ADDRESS is ${address}, which is not this machine, and Sluice speaks gRPC without TLS: anybody on the network could read ` +
      'and start workflows. Reach the server through a tunnel on 127.0.0.1, or set TEMPORAL_INSECURE=true in a private network',
  );
}
