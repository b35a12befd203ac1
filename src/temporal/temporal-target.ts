// Which Temporal server to use, and how: the variables and profile files that all of Temporal's tools know.
import { type ClientConfigProfile, loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { readRegularFileSync } from '../core/files/regular-file.ts';
import type { TemporalAccess } from './temporal-access.ts';
import { checkAddress, namesTemporal, TemporalSettingsError } from './temporal-address.ts';
import { withContents } from './temporal-files.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface TemporalTarget {
  /** host:port of the frontend. */
  readonly address: string;
  readonly namespace: string;
  readonly access: TemporalAccess;
  /** Where the address comes from, as text. */
  readonly origin: string;
}

/** Temporal's own default. */
const NAMESPACE = 'default';
const PAIR = ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'] as const;

/**
 * Reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_*. A profile file counts only if
 * TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE names it: the file of a developer's own tools in the home folder must not
 * send test data to a real cluster.
 * @param named what the address comes from, for messages
 * @returns null where nothing names a server
 * @throws TemporalSettingsError, InsecureTemporalError
 */
export function temporalTargetOf(env: Env, named = 'TEMPORAL_ADDRESS'): TemporalTarget | null {
  if (!namesTemporal(env)) return null;
  const profile = readProfile(env);
  const origin = env.TEMPORAL_ADDRESS ? named : 'the address of the Temporal profile';
  const { address, namespace = NAMESPACE } = profile;
  if (!address)
    throw new TemporalSettingsError(
      'the Temporal profile has no address; add one to it, or set TEMPORAL_ADDRESS or `temporal.address`',
    );
  checkProfile(profile, env);
  const { apiKey, metadata, tls } = readOptions(profile);
  const hasTls = tls !== undefined && tls !== null && tls !== false;
  checkAddress({ address, origin, hasTls, hasApiKey: apiKey !== undefined }, env);
  return { address, namespace, origin, access: { tls: hasTls ? tls : false, apiKey, metadata } };
}

function readProfile(env: Env): ClientConfigProfile {
  const file = env.TEMPORAL_CONFIG_FILE;
  const isFileNamed = Boolean(file) || Boolean(env.TEMPORAL_PROFILE);
  try {
    return loadClientConfigProfile({
      overrideEnvVars: withoutEmpty(env),
      disableFile: !isFileNamed,
      configFileStrict: true,
      // The SDK would take a file that does not exist as an empty one.
      configSource: file ? { data: readRegularFileSync(file) } : undefined,
    });
  } catch (cause) {
    throw settingsError(cause);
  }
}

function readOptions({ tls, ...profile }: ClientConfigProfile): TemporalAccess {
  try {
    const read = tls === undefined || tls.disabled === true ? tls : withContents(tls);
    return toClientOptions({ ...profile, ...(read !== undefined && { tls: read }) }).connectionOptions;
  } catch (cause) {
    if (cause instanceof TemporalSettingsError) throw cause;
    throw settingsError(cause);
  }
}

/** Refuses what the SDK would silently leave out. */
function checkProfile({ tls, apiKey }: ClientConfigProfile, env: Env): void {
  if (tls !== undefined && (tls.clientCert === undefined) !== (tls.clientKey === undefined)) {
    const [given, missing] = tls.clientKey === undefined ? PAIR : [PAIR[1], PAIR[0]];
    throw new TemporalSettingsError(
      `a client certificate needs its private key: ${given} or _DATA is set; set ${missing} or _DATA too`,
    );
  }
  // The SDK takes every other word as false, and connects without TLS.
  if (env.TEMPORAL_TLS && !/^(?:1|true|0|false)$/.test(env.TEMPORAL_TLS))
    throw new TemporalSettingsError(`TEMPORAL_TLS is ${env.TEMPORAL_TLS}; write true or false`);
  if (/^(?:1|true)$/.test(env.TEMPORAL_TLS_DISABLE_HOST_VERIFICATION ?? ''))
    throw new TemporalSettingsError(
      'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is set, and Sluice always checks the certificate of the server; ' +
        'remove it, and set TEMPORAL_TLS_SERVER_NAME or TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    );
  // A header refuses other characters, with a message that repeats the key.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TemporalSettingsError(
      'the API key of Temporal has a space, a newline or another character that no API key has; copy it again',
    );
}

/** Of system errors, the code and the path; of the file's parser, the first line: the next ones repeat the file. */
function settingsError(cause: unknown): TemporalSettingsError {
  const { code, path, message } = cause as { code?: string; path?: string; message: string };
  const why = path === undefined ? (message.split('\n')[0] ?? '') : `${path} can't be read (${code})`;
  return new TemporalSettingsError(`the settings of the connection to Temporal are wrong: ${why}`);
}

/** Empty is not set, as in a compose file with `${NAME:-}`. An empty header removes the one of the profile. */
function withoutEmpty(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (entry[1] !== '' || entry[0].startsWith('TEMPORAL_GRPC_META_')),
    ),
  );
}
