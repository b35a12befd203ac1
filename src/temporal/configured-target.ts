// Which Temporal server to use: keys of sluice.yaml come before variables that say the same.
import type { LoadedConfig } from '../config/load.ts';
import type { TemporalConfig } from '../config/schema/temporal.ts';
import { type TemporalTarget, temporalTargetOf } from './temporal-target.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * @returns null where neither names a server
 * @throws TemporalSettingsError, InsecureTemporalError; SecretError
 */
export async function configuredTarget(
  env: Env,
  { config: { temporal }, secret }: Pick<LoadedConfig, 'config' | 'secret'>,
): Promise<TemporalTarget | null> {
  const { address, namespace, tls, apiKey } = temporal;
  const key = apiKey === undefined ? undefined : (await secret(apiKey)).value;
  const variables = {
    ...env,
    ...(address !== undefined && { TEMPORAL_ADDRESS: address }),
    ...(namespace !== undefined && { TEMPORAL_NAMESPACE: namespace }),
    ...(key !== undefined && { TEMPORAL_API_KEY: key }),
    ...variablesOf(tls),
  };
  return temporalTargetOf(variables, address === undefined ? undefined : 'temporal.address');
}

/** A file replaces the content that a variable gives, and all of them are those of one side. */
function variablesOf(tls: TemporalConfig['tls']): Env {
  if (tls === undefined) return {};
  if (typeof tls === 'boolean') return { TEMPORAL_TLS: String(tls) };
  const { ca, cert, key, serverName } = tls;
  return {
    TEMPORAL_TLS: 'true',
    ...(ca !== undefined && {
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca,
      TEMPORAL_TLS_SERVER_CA_CERT_DATA: undefined,
    }),
    ...(cert !== undefined && {
      TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
      TEMPORAL_TLS_CLIENT_CERT_DATA: undefined,
      TEMPORAL_TLS_CLIENT_KEY_PATH: key,
      TEMPORAL_TLS_CLIENT_KEY_DATA: undefined,
    }),
    ...(serverName !== undefined && { TEMPORAL_TLS_SERVER_NAME: serverName }),
  };
}
