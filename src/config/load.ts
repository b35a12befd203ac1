// Loads sluice.yaml: parses and validates it, reads presets and schemas, and checks names.
import { dirname, resolve } from 'node:path';
import { ConfigError, type ConfigProblem } from '../core/config/errors.ts';
import { child, entriesOf } from '../core/config/raw.ts';
import { parseYaml, readYamlFile, type YamlFile } from '../core/config/yaml-file.ts';
import { checkCampaigns } from '../jobs/campaigns/checks/campaigns.ts';
import type { CampaignSpec } from '../jobs/campaigns/contract/batches.ts';
import { checkPollers } from '../jobs/conversations/check-config.ts';
import { checkRoutes } from '../jobs/events/check-routes.ts';
import { checkIngress } from '../jobs/events/ingress/check-config.ts';
import { checkSyncs } from '../jobs/sync/check-config.ts';
import type { RunSpec } from '../jobs/sync/contract/run.ts';
import { buildCampaign, buildSpec } from './build-spec.ts';
import { checkAccounts } from './checks/check-accounts.ts';
import { checkEncryption } from './checks/check-encryption.ts';
import { checkInsecure } from './checks/check-insecure.ts';
import { checkOperator } from './checks/check-operator.ts';
import { checkSharedSecrets } from './checks/check-shared-secrets.ts';
import { checkStrength, type SecretPart } from './checks/check-strength.ts';
import type { ConfigChecks } from './config-checks.ts';
import { joinIncluded } from './include.ts';
import { configJsonSchema } from './json-schema.ts';
import { described } from './located.ts';
import { readMappings } from './mappings.ts';
import { checkReferences } from './references.ts';
import { type ResolvedConfig, resolveConfig } from './resolved-config.ts';
import { readSchemas } from './route-schemas.ts';
import { Config } from './schema/config.ts';
import { createSecretStore, type SecretStore } from './secret-store.ts';
import type { Environment, ResolvedSecret } from './secrets.ts';

export interface LoadOptions extends ConfigChecks {
  /** Where `env:NAME` secrets are looked up. */
  readonly env: Environment;
  /** Secrets of the process. @default a new store over `env` */
  readonly secrets?: SecretStore;
  /** Parts whose secrets this process uses: their strength is checked, and others are not read. @default all parts */
  readonly secretsOf?: readonly SecretPart[];
  /** Receives the absolute path of each file and folder that the configuration is read from, also of a broken one. */
  readonly read?: (path: string) => void;
  /** A later time is in the future. @default the time of the call */
  readonly now?: Date;
}

export interface LoadedConfig {
  /** Absolute path of the configuration file. */
  readonly file: string;
  /** Absolute folder of `file`; relative paths in the file start here. */
  readonly dir: string;
  /** The file as it was read. */
  readonly text: string;
  /** ISO 8601. */
  readonly loadedAt: string;
  /** Absolute paths of the files and folders that it was read from, without secrets. */
  readonly files: readonly string[];
  readonly config: ResolvedConfig;
  /**
   * Everything that a run of this sync needs, as a separate copy.
   * @throws UnknownNameError
   */
  spec(sync: string): RunSpec;
  /**
   * Everything that this campaign needs, as a separate copy.
   * @throws UnknownNameError
   */
  campaign(name: string): CampaignSpec;
  /** @throws SecretError */
  secret(ref: string): Promise<ResolvedSecret>;
  /** What `secret` reads from. */
  readonly secrets: SecretStore;
  /** Loads the file as it is now. @throws as `loadConfig` */
  reload(options?: Pick<LoadOptions, 'read'>): Promise<LoadedConfig>;
}

/**
 * Loads and checks a configuration file.
 * @throws ConfigFileError when the file is missing or unreadable.
 * @throws ConfigError with every problem found, in file order.
 */
export async function loadConfig(file: string, options: LoadOptions): Promise<LoadedConfig> {
  options.read?.(resolve(file));
  return await loadYaml(file, await readYamlFile(resolve(file), file), options);
}

/**
 * Checks what a configuration file would be with this text. The file itself is not read.
 * @throws as `loadConfig`
 */
export async function loadConfigText(
  file: string,
  text: string,
  options: LoadOptions,
): Promise<LoadedConfig> {
  return await loadYaml(file, parseYaml(file, text), options);
}

async function loadYaml(file: string, alone: YamlFile, options: LoadOptions): Promise<LoadedConfig> {
  const absolute = resolve(file);
  const dir = dirname(absolute);
  if (alone.value === undefined) throw new ConfigError(alone.problems);
  if (alone.value === null)
    throw new ConfigError([alone.problemAt([], 'the file is empty', 'see `sluice init`')]);
  const main = await joinIncluded(alone, dir);
  const files = [...main.read, ...linkedPaths(main, dir)];
  for (const path of files) options.read?.(path);

  const parsed = Config.safeParse(main.value);
  const { mappings, problems: inMappings } = await readMappings(main, dir, options.checkMapping);
  const { schemas, problems: inSchemas } = await readSchemas(main, dir, options.checkSchema);
  const problems = [
    ...main.problems,
    ...(parsed.success ? [] : described(main, parsed.error.issues, configJsonSchema())),
    ...checkReferences(main),
    ...checkAccounts(main, options.checkAssumptions),
    ...checkSyncs(main, (name) => (mappings[name] === undefined ? null : mappings[name].card === undefined)),
    ...checkIngress(main),
    ...checkInsecure(main),
    ...checkRoutes(main, mappings, options),
    ...checkSharedSecrets(main),
    ...checkPollers(main, options.now ?? new Date()),
    ...checkCampaigns(main, options.checkCampaign),
    ...checkOperator(main),
    ...checkEncryption(main),
    ...inMappings,
    ...inSchemas,
  ];
  const secrets = options.secrets ?? createSecretStore(options.env);
  const resolveRef = (ref: string) => secrets.read(ref, dir);
  if (parsed.success)
    problems.push(...(await checkStrength(main, parsed.data, resolveRef, options.secretsOf)));
  if (!parsed.success || problems.length > 0) throw new ConfigError(inFileOrder(problems, file));

  const config = resolveConfig(parsed.data, dir, { mappings, schemas });
  return {
    file: absolute,
    dir,
    text: main.text,
    loadedAt: new Date().toISOString(),
    files: [absolute, ...files],
    config,
    spec: (sync) => buildSpec(config, sync),
    campaign: (name) => buildCampaign(config, name),
    secret: resolveRef,
    secrets,
    reload: ({ read = options.read } = {}) => loadConfig(file, { ...options, secrets, read }),
  };
}

/** Absolute paths of the presets and schemas that the configuration names. */
function linkedPaths(main: YamlFile, dir: string): string[] {
  const named = [
    ...entriesOf(main, 'mappings').map(([, entry]) => child(entry, 'preset')),
    ...entriesOf(main, 'routes').map(([, entry]) => child(entry, 'schema')),
  ];
  return named.flatMap((path) => (typeof path === 'string' && path !== '' ? [resolve(dir, path)] : []));
}

function inFileOrder(problems: readonly ConfigProblem[], main: string): ConfigProblem[] {
  const order = (a: ConfigProblem, b: ConfigProblem) =>
    Number(a.file !== main) - Number(b.file !== main) ||
    a.file.localeCompare(b.file) ||
    a.line - b.line ||
    a.column - b.column;
  return [...problems].sort(order);
}
