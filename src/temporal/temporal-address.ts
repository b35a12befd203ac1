// Checks the address of a Temporal server: nothing goes unencrypted to another machine unless somebody allows it.
import { hostOf, isLoopbackHost } from '../core/net/loopback.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Thrown when an address leads over a network, unencrypted, without TEMPORAL_INSECURE, or with an API key. */
export class InsecureTemporalError extends Error {
  override readonly name = 'InsecureTemporalError';
}

/** Thrown when the settings of the connection to Temporal are wrong or incomplete. */
export class TemporalSettingsError extends Error {
  override readonly name = 'TemporalSettingsError';
}

/** A name, an IPv4 address or an IPv6 address in brackets. Without a port, the SDK uses 7233. */
const HOST_AND_PORT = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;
/** Each of them says that Temporal runs elsewhere. */
const NAMING = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'] as const;

/** True if the environment names a Temporal server, so that Sluice starts none. */
export function namesTemporal(env: Env): boolean {
  return NAMING.some((name) => Boolean(env[name]));
}

export interface CheckedAddress {
  readonly address: string;
  /** Where it was found, for messages: `TEMPORAL_ADDRESS`. */
  readonly origin: string;
  readonly hasTls: boolean;
  readonly hasApiKey: boolean;
}

/**
 * @throws TemporalSettingsError unless it is `host:port`
 * @throws InsecureTemporalError without TLS, unless it is this machine; or TEMPORAL_INSECURE is `true` and there is no
 *   API key
 */
export function checkAddress({ address, origin, hasTls, hasApiKey }: CheckedAddress, env: Env): void {
  const match = HOST_AND_PORT.exec(address);
  if (match === null || Number(match[1] ?? 1) > 65_535 || Number(match[1] ?? 1) === 0)
    throw new TemporalSettingsError(
      `${origin} is ${withoutLogin(address)}; write host:port, for example 127.0.0.1:7233`,
    );
  if (hasTls || isLoopbackHost(hostOf(address))) return;
  if (hasApiKey)
    throw new InsecureTemporalError(
      `${origin} is ${address}, which is not this machine, and TLS is off: anybody on the network could read the API key. ` +
        'Remove TEMPORAL_TLS=false or `temporal.tls: false`',
    );
  if (env.TEMPORAL_INSECURE === 'true') return;
  throw new InsecureTemporalError(
    `${origin} is ${address}, which is not this machine, and TLS is off: anybody on the network could read and start ` +
      'workflows. Set TEMPORAL_TLS=true or `temporal.tls: true`, reach the server through a tunnel on 127.0.0.1, or set TEMPORAL_INSECURE=true in ' +
      'a private network',
  );
}

/** Where an address has a user, it may have a password. */
const withoutLogin = (address: string): string => address.replace(/^.*@/s, '[login]@');
