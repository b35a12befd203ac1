// A Temporal client whose calls end when the process shuts down.
import { Client, Connection, type DataConverter } from '@temporalio/client';
import type { LoadedConfig } from '../config/load.ts';
import type { Shutdown } from '../core/shutdown.ts';
import { closingCalls } from './closing-calls.ts';
import { TemporalSettingsError } from './temporal-address.ts';
import { openDataConverter } from './temporal-encryption.ts';
import type { TemporalServer } from './temporal-server.ts';
import { temporalTargetOf } from './temporal-target.ts';

/** Connects to a server. `shutdown` closes the connection and ends calls that are being retried. */
export async function openClient(
  target: Pick<TemporalServer, 'address' | 'namespace' | 'access'>,
  dataConverter: DataConverter,
  shutdown: Shutdown,
): Promise<Client> {
  const connection = await Connection.connect({
    ...target.access,
    address: target.address,
    interceptors: closingCalls(shutdown.signal),
  });
  shutdown.add('client connection', () => connection.close());
  return new Client({ connection, namespace: target.namespace, dataConverter });
}

/**
 * A client of the server that the environment names. It connects with its first call, so that a process starts without
 * Temporal too.
 * @throws TemporalSettingsError, InsecureTemporalError; SecretError, EncryptionKeyError
 */
export async function openLazyClient(
  env: Readonly<Record<string, string | undefined>>,
  config: Pick<LoadedConfig, 'config' | 'secret'>,
  shutdown: Shutdown,
): Promise<Client> {
  const target = temporalTargetOf(env);
  if (target === null) throw new TemporalSettingsError('set TEMPORAL_ADDRESS');
  const dataConverter = await openDataConverter(config);
  const connection = Connection.lazy({
    ...target.access,
    address: target.address,
    interceptors: closingCalls(shutdown.signal),
  });
  shutdown.add('client connection', () => connection.close());
  return new Client({ connection, namespace: target.namespace, dataConverter });
}
