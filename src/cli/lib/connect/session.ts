// What commands with a configuration share: the config file, the state folder, and a Sluice here or in another process.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { Command } from 'commander';
import type { Admin } from '../../../app/admin.ts';
import type { Stack } from '../../../app/stack.ts';
import type { LoadedConfig, LoadOptions } from '../../../config/index.ts';
import { createLiveConfig, type LiveConfig } from '../../../config/live-config.ts';
import { acquireFolderLock, type FolderLock, type LockNote } from '../../../core/lock/folder-lock.ts';
import type { Shutdown } from '../../../core/shutdown.ts';
import type { Tracing } from '../../../core/tracing.ts';
import type { Logger } from '../../../observe/logger.ts';
import { namesTemporal } from '../../../temporal/temporal-address.ts';
import { CliError, EXIT } from '../exit.ts';
import { withUtc } from '../zone.ts';
import { say } from './lifetime.ts';
import { describeSearch, findPlace } from './place.ts';

export interface SessionOptions {
  readonly config?: string;
  readonly state: string;
  /** Address of the operator API of another machine. */
  readonly server?: string;
  /** Times are shown in UTC. */
  readonly utc?: boolean;
  /** From `sluice dev`: also starts the web UI of the embedded Temporal server. */
  readonly temporalUi?: boolean;
  /** From `sluice worker`: takes only the work of this version. */
  readonly version?: WorkerDeploymentVersion | null;
}

export type OpenStack = Stack & {
  /** The configuration in use now. */
  readonly config: LoadedConfig;
  readonly live: LiveConfig;
  readonly log: Logger;
  /** Counts what the process does, and shows its health. */
  readonly admin: Admin;
  readonly tracing: Tracing;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly stateDir: string;
  /** Adds facts about this process to the lock, for processes that find the state folder locked. */
  note(more: Omit<LockNote, 'command'>): Promise<void>;
};

/** Adds `--config`, `--state`, `--server` and `--utc`, for commands that use the operator API. */
export function withSessionOptions(command: Command): Command {
  return withUtc(
    withState(withConfig(command)).option(
      '--server <url>',
      'operator API of a Sluice elsewhere (default: $SLUICE_SERVER)',
    ),
  );
}

export function withConfig(command: Command): Command {
  return command.option(
    '--config <file>',
    'path of the configuration (default: $SLUICE_CONFIG, otherwise the nearest sluice.yaml in this folder or above)',
  );
}

export function withState(command: Command): Command {
  return command.option(
    '--state <dir>',
    'folder of the embedded Temporal server and ledger (default: $SLUICE_STATE, otherwise .sluice beside the configuration)',
  );
}

/** `--temporal-ui`, for commands that stay up. */
export const TEMPORAL_UI = [
  '--temporal-ui',
  'start the web UI of the embedded Temporal server; it has no login (see docs/explanation/security.md)',
] as const;

/** @throws CliError (usage) when no embedded server, and so no UI, will run */
export function checkTemporalUi(
  wanted: boolean | undefined,
  env: NodeJS.ProcessEnv,
  { config }: LoadedConfig,
): void {
  if (wanted === true && (namesTemporal(env) || config.temporal.address !== undefined))
    throw new CliError(
      EXIT.usage,
      '--temporal-ui is for the embedded Temporal server, and `temporal.address`, TEMPORAL_ADDRESS or a profile names another server; use its UI',
    );
}

/**
 * A process that shares Temporal and PostgreSQL with others.
 * @param why it does, and what to use instead
 * @throws CliError (usage) naming what is not set
 */
export function requireServers(env: NodeJS.ProcessEnv, { config }: LoadedConfig, why: string): void {
  const hasTemporal = config.temporal.address !== undefined || namesTemporal(env);
  const missing = [
    ...(hasTemporal ? [] : ['TEMPORAL_ADDRESS (or `temporal.address`)']),
    ...(env.DATABASE_URL ? [] : ['DATABASE_URL']),
  ];
  if (missing.length > 0) throw new CliError(EXIT.usage, `set ${missing.join(' and ')}: ${why}`);
}

/** A command with the same configuration and state folder, as the user types it in this folder. */
export function sameSession(command: string, { config, state }: SessionOptions): string {
  const flags = [
    ...(config === undefined ? [] : ['--config', config]),
    ...(state === findPlace({ config }, {}).state ? [] : ['--state', state]),
  ];
  return ['npx sluice', command, ...flags.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Which secrets a process uses that shares its work with others. */
export const SECRETS_OF = {
  worker: ['accounts', 'sinks', 'notices', 'temporal', 'ledger'],
  ingress: ['routes', 'temporal', 'ledger'],
  console: ['accounts', 'notices', 'temporal', 'ledger'],
} as const satisfies Record<string, LoadOptions['secretsOf']>;

/**
 * Loads the configuration with all checks.
 * @param secretsOf parts whose secrets the process uses; all of them if left out
 * @throws CliError (not found) when no folder has one
 */
export async function openConfig(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  secretsOf?: LoadOptions['secretsOf'],
): Promise<LoadedConfig> {
  const place = findPlace({ config: file }, env);
  if (place.config === null)
    throw new CliError(
      EXIT.notFound,
      `there is no sluice.yaml in ${describeSearch(place)}; name one with --config or SLUICE_CONFIG, or create one with \`sluice init\``,
    );
  // Imported here: a command of a running Sluice needs no configuration.
  const [{ loadConfig }, { CONFIG_CHECKS }] = await Promise.all([
    import('../../../config/index.ts'),
    import('../../../app/config-checks.ts'),
  ]);
  return await loadConfig(place.config, { env, ...CONFIG_CHECKS, ...(secretsOf && { secretsOf }) });
}

/**
 * Starts Temporal, ledger and workers in this process, which stays up. The lock of the state folder has the address of
 * Temporal, so that other processes can connect to it.
 * @throws FolderLockedError when another process owns the folder
 */
export async function openStack(
  name: 'dev' | 'worker',
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<OpenStack> {
  const command = `sluice ${name}`;
  const config = await openConfig(options.config, env, name === 'worker' ? SECRETS_OF.worker : undefined);
  checkTemporalUi(options.temporalUi, env, config);
  if (name === 'worker')
    requireServers(
      env,
      config,
      'several workers share one Temporal server and one PostgreSQL; for all in one process use `sluice dev`',
    );
  await requireTokens(config);
  const lock = await acquireFolderLock(resolve(options.state), { command }, say);
  return await openWith(lock, config, name, options, env, shutdown);
}

/** What is missing is reported before anything starts. @throws SecretError */
async function requireTokens({ config, secret }: LoadedConfig): Promise<void> {
  for (const { tokens } of Object.values(config.accounts)) for (const token of tokens) await secret(token);
}

async function openWith(
  lock: FolderLock,
  config: LoadedConfig,
  name: 'dev' | 'worker',
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<OpenStack> {
  // Imported here: the worker's half of the SDK takes 0.3 s to load, and most commands do not need it.
  const { openServiceLog } = await import('../log.ts');
  const { openAdmin } = await import('./admin.ts');
  const { startTracing } = await import('./tracing.ts');
  const { startStack } = await import('../../../app/stack.ts');
  const { log, readSdkMetrics } = await openServiceLog(name, env, 'warn', shutdown);
  shutdown.add('folder lock', () => lock.release());
  const { admin: where } = config.config;
  const admin = await openAdmin({ process: name, admin: where, env, log, shutdown, readSdkMetrics });
  const live = createLiveConfig(config, { log });
  live.onReport(admin.metrics.config.reloaded);
  const { traces } = admin.metrics;
  const tracing = await startTracing({ process: name, env, metrics: traces, log, shutdown });
  const stateDir = resolve(options.state);
  const stack = await startStack({
    config,
    live,
    stateDir,
    env,
    log,
    say,
    shutdown,
    temporalUi: options.temporalUi ?? false,
    version: options.version ?? null,
    staysUp: true,
    admin,
    tracing,
  });
  const { address, namespace } = stack.temporal;
  const facts = {
    command: `sluice ${name}`,
    config: realpathSync(config.file),
    temporal: address,
    namespace,
  };
  const note: OpenStack['note'] = (more) => lock.update({ ...facts, ...more } as LockNote);
  await note({});
  return {
    ...stack,
    live,
    get config() {
      return live.current();
    },
    log,
    admin,
    tracing,
    env,
    stateDir,
    note,
  };
}
