// `sluice config …`: is the configuration right, and what may stand in it.
import { access } from 'node:fs/promises';
import type { Command } from 'commander';
import { ConfigError, SecretError } from '../config/errors.ts';
import { configJsonSchema } from '../config/json-schema.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Environment } from '../config/secrets.ts';
import { type SourceConfig, secretRefs } from '../contracts/config.ts';
import { redactTokens } from '../observability/redaction.ts';
import { openConfig } from './session.ts';

interface CheckOptions {
  readonly file?: string;
  readonly config?: string;
  readonly json: boolean;
}

/** Adds `config check` and `config schema`. `env` is where `env:NAME` secrets and SLUICE_CONFIG are looked up. */
export function registerConfig(program: Command, env: Environment): void {
  const config = program
    .command('config')
    .description('check the configuration, and see what may stand in it');

  config
    .command('check')
    .description('say everything that is wrong with the configuration, or what is in it')
    .option('--file <file>', 'configuration (default: $SLUICE_CONFIG, else sluice.yaml)')
    .option('--config <file>', 'the same')
    .option('--json', 'print the answer as JSON on stdout', false)
    .action(async (options: CheckOptions, command: Command) => {
      const print = (text: string) => command.configureOutput().writeOut?.(`${text}\n`);
      const loaded = await openConfig(options.file ?? options.config, { ...env }).catch((error: unknown) => {
        // The message of the error goes to stderr in any case; --json promises an answer on stdout too.
        if (options.json && error instanceof ConfigError) {
          print(JSON.stringify({ ok: false, problems: error.problems }));
        }
        throw error;
      });
      const summary = await summarize(loaded);
      print(options.json ? JSON.stringify({ ok: true, ...summary }) : describeSummary(summary).join('\n'));
    });

  config
    .command('schema')
    .description('print the JSON Schema of the configuration, for editors')
    .action((_options: unknown, command: Command) => {
      command.configureOutput().writeOut?.(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
}

interface SecretState {
  readonly ref: string;
  readonly found: boolean;
  /** Why it was not found, or what is dangerous about where it is. */
  readonly notes: readonly string[];
}

export interface ConfigSummary {
  readonly file: string;
  readonly accounts: readonly {
    readonly name: string;
    readonly baseUrl: string;
    readonly callsPerMinute: number;
    readonly tokens: readonly SecretState[];
  }[];
  readonly sources: readonly {
    readonly name: string;
    readonly type: string;
    /** File, table or address. */
    readonly path: string;
    /** Whether the file can be opened; databases and addresses are for `sluice doctor`. */
    readonly readable: boolean;
    readonly secrets: readonly SecretState[];
  }[];
  readonly mappings: readonly string[];
  readonly syncs: readonly {
    readonly name: string;
    readonly account: string;
    readonly source: string;
    readonly mapping: string;
  }[];
  readonly clusters: readonly {
    readonly name: string;
    readonly brokers: readonly string[];
    readonly secrets: readonly SecretState[];
  }[];
  readonly routes: readonly {
    readonly name: string;
    readonly account: string;
    readonly action: string;
    /** Ways in: a path, topics of a cluster. */
    readonly from: readonly string[];
    readonly secrets: readonly SecretState[];
  }[];
}

/** What a configuration holds, and whether its secrets and files are there. No secret is in it. */
export async function summarize(loaded: LoadedConfig): Promise<ConfigSummary> {
  const { accounts, sources, mappings, syncs, ingress, routes } = loaded.config;
  return {
    file: loaded.file,
    accounts: await Promise.all(
      Object.entries(accounts).map(async ([name, { baseUrl, callsPerMinute, tokens }]) => ({
        name,
        baseUrl: redactTokens(baseUrl),
        callsPerMinute,
        tokens: await Promise.all(tokens.map((ref) => secretState(loaded, ref))),
      })),
    ),
    sources: await Promise.all(
      Object.entries(sources).map(async ([name, source]) => ({
        name,
        type: source.type,
        ...(await placeOf(source)),
        secrets: await Promise.all(secretRefs(source).map((ref) => secretState(loaded, ref))),
      })),
    ),
    mappings: Object.keys(mappings),
    syncs: Object.entries(syncs).map(([name, { account, source, mapping }]) => ({
      name,
      account,
      source,
      mapping,
    })),
    clusters: await Promise.all(
      Object.entries(ingress.kafka).map(async ([name, { brokers, tls, sasl }]) => ({
        name,
        brokers,
        secrets:
          sasl === undefined
            ? []
            : [noteOf(await secretState(loaded, sasl.password), sasl.mechanism === 'plain' && !tls)],
      })),
    ),
    routes: await Promise.all(
      Object.entries(routes).map(async ([name, { account, action, http, kafka }]) => ({
        name,
        account,
        action: action.type,
        from: [
          ...(http === undefined ? [] : [`POST ${http.path}`]),
          ...(kafka === undefined ? [] : [`${kafka.topics.join(', ')} of ${kafka.cluster}`]),
        ],
        secrets: await Promise.all(
          (http === undefined || http.auth.type === 'none' ? [] : http.auth.secrets).map((ref) =>
            secretState(loaded, ref),
          ),
        ),
      })),
    ),
  };
}

/** @param plain whether everybody on the way can read the password */
function noteOf(secret: SecretState, plain: boolean): SecretState {
  if (!plain) return secret;
  const note = 'the password goes over the network as it is; set tls: true, or use scram-sha-512';
  return { ...secret, notes: [...secret.notes, note] };
}

async function placeOf(source: SourceConfig): Promise<{ path: string; readable: boolean }> {
  if (source.type === 'http') return { path: source.url, readable: true };
  if (source.type === 'postgres') return { path: source.table ?? 'a query', readable: true };
  const { path } = source;
  return {
    path,
    readable: await access(path).then(
      () => true,
      () => false,
    ),
  };
}

async function secretState(loaded: LoadedConfig, ref: string): Promise<SecretState> {
  try {
    const { warnings } = await loaded.secret(ref);
    return { ref, found: true, notes: warnings };
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    return { ref, found: false, notes: [error.message] };
  }
}

/** The summary as lines for people: one per thing, with what is missing spelled out. */
export function describeSummary(summary: ConfigSummary): string[] {
  const rows = [
    ...summary.accounts.map(({ name, baseUrl, callsPerMinute, tokens }) => [
      'account',
      name,
      `${baseUrl}, ${callsPerMinute} calls a minute, ${tokens.map(describeSecret).join(', ')}`,
    ]),
    ...summary.sources.map(({ name, type, path, readable, secrets }) => [
      'source',
      name,
      [
        type,
        `${path}${readable ? '' : ' (not there, or not readable)'}`,
        ...secrets.map(describeSecret),
      ].join(', '),
    ]),
    ...summary.mappings.map((name) => ['mapping', name, '']),
    ...summary.syncs.map(({ name, account, source, mapping }) => [
      'sync',
      name,
      `${source} through ${mapping} into ${account}`,
    ]),
    ...summary.clusters.map(({ name, brokers, secrets }) => [
      'cluster',
      name,
      [...brokers, ...secrets.map(describeSecret)].join(', '),
    ]),
    ...summary.routes.map(({ name, account, action, from, secrets }) => [
      'route',
      name,
      [`${action} into ${account}`, ...from, ...secrets.map(describeSecret)].join(', '),
    ]),
  ];
  const width = Math.max(0, ...rows.map(([, name = '']) => name.length));
  const lines = rows.map(([kind = '', name = '', text = '']) =>
    `  ${kind.padEnd(8)} ${name.padEnd(width)}  ${text}`.trimEnd(),
  );
  const notes = [
    ...summary.accounts.map(({ name, tokens }) => ({ thing: `account ${name}`, secrets: tokens })),
    ...summary.sources.map(({ name, secrets }) => ({ thing: `source ${name}`, secrets })),
    ...summary.clusters.map(({ name, secrets }) => ({ thing: `cluster ${name}`, secrets })),
    ...summary.routes.map(({ name, secrets }) => ({ thing: `route ${name}`, secrets })),
  ].flatMap(({ thing, secrets }) =>
    secrets.flatMap((secret) => secret.notes.map((note) => `  ${thing}: ${note}`)),
  );
  return [`${summary.file} is right`, ...lines, ...(notes.length === 0 ? [] : ['To look at', ...notes])];
}

function describeSecret({ ref, found }: SecretState): string {
  return `${ref} ${found ? 'found' : 'NOT FOUND'}`;
}
