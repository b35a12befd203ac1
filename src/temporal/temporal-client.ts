// A Temporal client whose calls end when the process shuts down.
import { Client, type Connection, type DataConverter } from '@temporalio/client';
import type { LoadedConfig } from '../config/load.ts';
import type { Shutdown } from '../core/shutdown.ts';
import { configuredTarget } from './configured-target.ts';
import { type FollowedAccess, type FollowOptions, followAccess } from './followed-access.ts';
import { followedConnection } from './followed-connection.ts';
import { TemporalSettingsError } from './temporal-address.ts';
import { openDataConverter } from './temporal-encryption.ts';
import { checkTemporal } from './temporal-health.ts';

/** For a try of renewed certificates and keys. */
const TRY_MS = 10_000;

/** Connects to a server. `shutdown` closes the connection and ends calls that are being retried. */
export async function openClient(
  { address, namespace, access }: { address: string; namespace: string; access: FollowedAccess },
  dataConverter: DataConverter,
  shutdown: Shutdown,
): Promise<Client> {
  const connection = openConnection(address, access, shutdown);
  await connection.ensureConnected();
  return new Client({ connection, namespace, dataConverter });
}

/**
 * A client of the server that configuration or environment name. It connects with its first call, so that a process starts without
 * Temporal too.
 * @throws TemporalSettingsError, InsecureTemporalError; SecretError, EncryptionKeyError
 */
export async function openLazyClient(
  env: Readonly<Record<string, string | undefined>>,
  config: Pick<LoadedConfig, 'config' | 'secret'>,
  { shutdown, ...options }: { shutdown: Shutdown } & Pick<FollowOptions, 'log' | 'everyMs'>,
): Promise<Client> {
  const read = () => configuredTarget(env, config);
  const target = await read();
  if (target === null) throw new TemporalSettingsError('set `temporal.address` or TEMPORAL_ADDRESS');
  const { address, namespace } = target;
  const dataConverter = await openDataConverter(config);
  const access = followAccess(target.access, { ...options, read, signal: shutdown.signal });
  // A worker connects with them anyway. A client would find out when its open channel ends.
  access.onChange((renewed) => checkTemporal(address, namespace, { timeoutMs: TRY_MS, access: renewed }));
  return new Client({ connection: openConnection(address, access, shutdown), namespace, dataConverter });
}

function openConnection(address: string, access: FollowedAccess, shutdown: Shutdown): Connection {
  const connection = followedConnection(address, access, shutdown.signal);
  shutdown.add('client connection', () => connection.close());
  return connection;
}
