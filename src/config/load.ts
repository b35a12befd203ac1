// Loads sluice.yaml: parses and validates it, reads presets and schemas, and checks names.
import { dirname, resolve } from 'node:path';
import { type KafkaConnection } from '../connectors/kafka/config.ts';
import { type SourceConfig } from '../connectors/sources/config.ts';
import { ConfigError, type ConfigProblem, UnknownNameError } from '../core/config/errors.ts';
import { child, entriesOf, isRecord } from '../core/config/raw.ts';
import { parseYaml, readYamlFile, type YamlFile } from '../core/config/yaml-file.ts';
import { suggestion } from '../core/suggest.ts';
import { checkCampaigns } from '../jobs/campaigns/checks/campaigns.ts';
import type { CampaignSpec } from '../jobs/campaigns/contract/batches.ts';
import { checkPollers } from '../jobs/conversations/check-config.ts';
import { checkRoutes } from '../jobs/events/check-routes.ts';
import { type ResolvedRoute } from '../jobs/events/config.ts';
import { checkIngress } from '../jobs/events/ingress/check-config.ts';
import { checkSyncs } from '../jobs/sync/check-config.ts';
import type { RunSpec } from '../jobs/sync/contract/run.ts';
import { MappingConfig } from '../mapping/config.ts';
import { checkEncryption } from './checks/check-encryption.ts';
import { checkInsecure } from './checks/check-insecure.ts';
import { checkOperator } from './checks/check-operator.ts';
import { checkSharedSecrets } from './checks/check-shared-secrets.ts';
import { checkStrength, type SecretPart } from './checks/check-strength.ts';
import type { ConfigChecks } from './config-checks.ts';
import { joinIncluded } from './include.ts';
import { describeIssues } from './issues.ts';
import { configJsonSchema, type JsonSchema, presetJsonSchema } from './json-schema.ts';
import { readLinked } from './linked-file.ts';
import { checkReferences } from './references.ts';
import { readSchemas } from './route-schemas.ts';
import { Config } from './schema/config.ts';
import { type OperatorConfig } from './schema/operator.ts';
import type { TemporalConfig } from './schema/temporal.ts';
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

/** The configuration with the content of each `{preset}` and schema file, and with absolute file paths. */
export type ResolvedConfig = Omit<Config, 'mappings' | 'routes'> & {
  mappings: Record<string, MappingConfig>;
  routes: Record<string, ResolvedRoute>;
};

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

  const sources = mapValues(parsed.data.sources, (source) => withAbsolutePath(source, dir));
  const sinks = mapValues(parsed.data.sinks, (sink) =>
    sink.type === 'jsonl'
      ? { ...sink, path: resolve(dir, sink.path) }
      : sink.type === 'kafka'
        ? withAbsoluteTls(sink, dir)
        : sink,
  );
  const kafka = mapValues(parsed.data.ingress.kafka, (cluster) => withAbsoluteTls(cluster, dir));
  const ingress = { ...parsed.data.ingress, kafka };
  const routes = Object.fromEntries(
    Object.entries(parsed.data.routes).map(([name, { schema: _named, ...route }]) => {
      const schema = schemas[name];
      return [name, schema === undefined ? route : { ...route, schema }];
    }),
  );
  const operator = operatorWithAbsolutePaths(parsed.data.operator, dir);
  const temporal = temporalWithAbsolutePaths(parsed.data.temporal, dir);
  const config: ResolvedConfig = {
    ...parsed.data,
    ingress,
    sources,
    sinks,
    mappings,
    routes,
    operator,
    temporal,
  };
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

// Reads the raw value entry by entry, so that a mistake elsewhere in the file does not hide one here.
async function readMappings(main: YamlFile, dir: string, check: ConfigChecks['checkMapping']) {
  const mappings: Record<string, MappingConfig> = {};
  const problems: ConfigProblem[] = [];
  const take = (name: string, mapping: MappingConfig, file: YamlFile, prefix: readonly string[]) => {
    mappings[name] = mapping;
    for (const { path, message, hint } of check?.(mapping) ?? []) {
      problems.push(file.problemAt([...prefix, ...path], message, hint));
    }
  };
  for (const [name, entry] of entriesOf(main, 'mappings')) {
    const preset = child(entry, 'preset');
    if (typeof preset !== 'string' || preset === '') {
      const parsed = MappingConfig.safeParse(entry);
      if (parsed.success) take(name, parsed.data, main, ['mappings', name]);
      continue;
    }
    const read = await readPreset(main, dir, name, preset);
    problems.push(...read.problems);
    if (read.mapping !== undefined) take(name, read.mapping, read.file, []);
  }
  return { mappings, problems };
}

async function readPreset(
  main: YamlFile,
  dir: string,
  name: string,
  preset: string,
): Promise<{ file: YamlFile; problems: readonly ConfigProblem[]; mapping?: MappingConfig }> {
  const at = ['mappings', name, 'preset'];
  const { file, problems } = await readLinked(main, dir, at, preset, 'a preset');
  if (problems.length > 0) return { file, problems };
  const parsed = MappingConfig.safeParse(file.value);
  if (parsed.success) return { file, problems: [], mapping: parsed.data };
  return { file, problems: described(file, parsed.error.issues, presetJsonSchema()) };
}

function checkAccounts(main: YamlFile, check: ConfigChecks['checkAssumptions']): ConfigProblem[] {
  return entriesOf(main, 'accounts').flatMap(([name, entry]) => {
    const tokens = child(entry, 'tokens');
    const literal = (Array.isArray(tokens) ? tokens : []).flatMap((ref: unknown, index) =>
      typeof ref === 'string' && /^(?:env|file|command):svc_(?:live|test)_/.test(ref)
        ? [
            main.problemAt(
              ['accounts', name, 'tokens', index],
              'this is a token, not a reference',
              'write env:NAME',
            ),
          ]
        : [],
    );
    const assumptions = child(entry, 'assumptions');
    const wrong = isRecord(assumptions) ? (check?.(assumptions) ?? []) : [];
    return [
      ...literal,
      ...wrong.map(({ path, message, hint }) =>
        main.problemAt(['accounts', name, 'assumptions', ...path], message, hint),
      ),
    ];
  });
}

function described(
  file: YamlFile,
  issues: Parameters<typeof describeIssues>[0],
  schema: Record<string, unknown>,
): ConfigProblem[] {
  const all = describeIssues(issues, file.value, schema as JsonSchema);
  return all.map(({ path, message, hint, note }) => file.problemAt(path, message, hint, note));
}

function inFileOrder(problems: readonly ConfigProblem[], main: string): ConfigProblem[] {
  const order = (a: ConfigProblem, b: ConfigProblem) =>
    Number(a.file !== main) - Number(b.file !== main) ||
    a.file.localeCompare(b.file) ||
    a.line - b.line ||
    a.column - b.column;
  return [...problems].sort(order);
}

function buildSpec(config: ResolvedConfig, sync: string): RunSpec {
  if (!Object.hasOwn(config.syncs, sync)) {
    throw new UnknownNameError('sync', sync, suggestion(sync, Object.keys(config.syncs), 'syncs'));
  }
  const options = config.syncs[sync]!;
  const source = config.sources[options.source]!;
  const mapping = config.mappings[options.mapping]!;
  return structuredClone({ account: options.account, sync, options, source, mapping });
}

/** @throws UnknownNameError */
export function buildCampaign(
  config: Pick<ResolvedConfig, 'accounts' | 'campaigns' | 'sources'>,
  name: string,
): CampaignSpec {
  if (!Object.hasOwn(config.campaigns, name)) {
    throw new UnknownNameError(
      'campaign',
      name,
      suggestion(name, Object.keys(config.campaigns), 'campaigns'),
    );
  }
  const campaign = config.campaigns[name]!;
  const account = config.accounts[campaign.account]!;
  const { numbers } = campaign.exclude;
  const used = new Set([
    ...campaign.audience.flatMap((part) => (part.from === 'source' ? [part.source] : [])),
    ...(numbers === undefined || Array.isArray(numbers) ? [] : [numbers.source]),
  ]);
  return structuredClone({
    account: campaign.account,
    campaign: name,
    config: campaign,
    sources: Object.fromEntries([...used].map((source) => [source, config.sources[source]!])),
    // A configuration is refused if an account with campaigns has no time zone.
    timeZone: account.timeZone ?? 'UTC',
    optOut: account.optOut,
  });
}

// The switch is exhaustive on purpose: whoever adds a kind of source must decide here whether it names a file.
function withAbsolutePath(source: SourceConfig, dir: string): SourceConfig {
  switch (source.type) {
    case 'csv':
    case 'jsonl':
      return { ...source, path: resolve(dir, source.path) };
    case 'postgres':
    case 'http':
      return source;
  }
}

function withAbsoluteTls<T extends Pick<KafkaConnection, 'tls'>>(connection: T, dir: string): T {
  const { tls } = connection;
  if (typeof tls === 'boolean') return connection;
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(dir, path));
  return { ...connection, tls: { ca: absolute(tls.ca), cert: absolute(tls.cert), key: absolute(tls.key) } };
}

function operatorWithAbsolutePaths(operator: OperatorConfig, dir: string): OperatorConfig {
  const { http } = operator;
  const tls = http.tls && { cert: resolve(dir, http.tls.cert), key: resolve(dir, http.tls.key) };
  return { ...operator, http: { ...http, tls } };
}

function temporalWithAbsolutePaths(temporal: TemporalConfig, dir: string): TemporalConfig {
  const { tls } = temporal;
  if (typeof tls !== 'object') return temporal;
  const paths = (['ca', 'cert', 'key'] as const).flatMap((name) => {
    const path = tls[name];
    return path === undefined ? [] : [[name, resolve(dir, path)]];
  });
  return { ...temporal, tls: { ...tls, ...Object.fromEntries(paths) } };
}

function mapValues<T>(record: Record<string, T>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
