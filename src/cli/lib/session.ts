// What commands on a real configuration share: the config file, the state folder, a stack here or one elsewhere.
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { type LoadedConfig, loadConfig } from '../../config/index.ts';
import type { Logger } from '../../observability/logger.ts';
import {
  acquireFolderLock,
  type FolderLock,
  FolderLockedError,
  type LockNote,
  readFolderLock,
} from '../../runtime/lock/folder-lock.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import type { Stack } from '../../runtime/stack.ts';
import { temporalAddressOf } from '../../runtime/temporal/temporal-address.ts';
import { openClient } from '../../runtime/temporal/temporal-client.ts';
import { CONFIG_CHECKS } from '../config/config-checks.ts';
import { CliError, EXIT } from './exit.ts';
import { runCommand, say } from './lifetime.ts';

export interface SessionOptions {
  readonly config?: string;
  readonly state: string;
  /** Of `sluice dev`: the web UI of the embedded Temporal server too. */
  readonly temporalUi?: boolean;
}

export type OpenStack = Stack & {
  readonly config: LoadedConfig;
  readonly log: Logger;
  /** Absolute. */
  readonly stateDir: string;
  /** Tells more about this process to those who find the state folder held. */
  note(more: Omit<LockNote, 'command'>): Promise<void>;
};

const DEFAULT_STATE = '.sluice';

export function withSessionOptions(command: Command): Command {
  return command
    .option('--config <file>', 'path of the configuration (default: $SLUICE_CONFIG, otherwise sluice.yaml)')
    .option('--state <dir>', 'folder of the embedded Temporal server and ledger', DEFAULT_STATE);
}

/** `--temporal-ui`, for commands that stay up. */
export const TEMPORAL_UI = [
  '--temporal-ui',
  'start the web UI of the embedded Temporal server; it has no login (see docs/explanation/security.md)',
] as const;

/** @throws CliError (usage) when there will be no embedded server to have a UI */
export function checkTemporalUi(wanted: boolean | undefined, env: NodeJS.ProcessEnv): void {
  if (wanted === true && env.TEMPORAL_ADDRESS)
    throw new CliError(
      EXIT.usage,
      '--temporal-ui is for the embedded Temporal server, and TEMPORAL_ADDRESS names another; use the UI of that one',
    );
}

/** A command on the same configuration and state folder, as it is to be typed in this folder. */
export function sameSession(command: string, { config, state }: SessionOptions): string {
  const flags = [
    ...(config === undefined ? [] : ['--config', config]),
    ...(state === DEFAULT_STATE ? [] : ['--state', state]),
  ];
  return ['npx sluice', command, ...flags.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Loads the configuration, with what its parts mean checked too. */
export async function openConfig(file: string | undefined, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  return await loadConfig(file ?? env.SLUICE_CONFIG ?? 'sluice.yaml', { env, ...CONFIG_CHECKS });
}

/**
 * Starts Temporal, ledger and worker in this process. The lock of the state folder tells others where
 * Temporal is, so that they can talk to it.
 * @throws FolderLockedError when another process holds the folder
 */
export async function openStack(
  command: string,
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<OpenStack> {
  return await openWith(
    await acquireFolderLock(resolve(options.state), { command }, say),
    command,
    options,
    env,
    shutdown,
  );
}

const STAYS_UP = new Set(['sluice dev', 'sluice worker']);

async function openWith(
  lock: FolderLock,
  command: string,
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<OpenStack> {
  // Loaded here, as the worker's half of the SDK takes 0.3 s, which most commands do without.
  const { openLog } = await import('./log.ts');
  const { startStack } = await import('../../runtime/stack.ts');
  // A command that ends reports by itself what went wrong; a service has only its log.
  const log = openLog(env, STAYS_UP.has(command) ? 'warn' : 'error', shutdown);
  shutdown.add('folder lock', () => lock.release());
  const config = await openConfig(options.config, env);
  const stateDir = resolve(options.state);
  const stack = await startStack({
    config,
    stateDir,
    env,
    log,
    say,
    shutdown,
    temporalUi: options.temporalUi ?? false,
  });
  const { address, namespace } = stack.temporal;
  const note: OpenStack['note'] = (more) =>
    lock.update({ command, temporal: address, namespace, ...more } as LockNote);
  await note({});
  return { ...stack, config, log, stateDir, note };
}

/** A holder of the state folder has its Temporal server up within so many seconds. */
const JOIN_SECONDS = 30;

/**
 * Opens a stack here; null when another Sluice runs on the state folder, or TEMPORAL_ADDRESS names one. Two
 * starts at once: the second waits until the first has told where its Temporal server is.
 * @throws FolderLockedError when the holder has none, as a sandbox or a demo that starts
 */
export async function openOrJoin(
  command: string,
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<OpenStack | null> {
  for (let second = 1; ; second++) {
    if ((await findTemporal(options.state, env)) !== null) return null;
    const lock = await acquireFolderLock(resolve(options.state), { command }, say).catch((error: unknown) => {
      const starting =
        error instanceof FolderLockedError &&
        /^sluice (dev|sync run|campaign (?:plan|start))/.test(error.holder?.command ?? '');
      if (!starting || second > JOIN_SECONDS) throw error;
      return null;
    });
    if (lock !== null) return await openWith(lock, command, options, env, shutdown);
    if (second === 1) say('another Sluice is starting on this state folder; waiting to join it');
    await delay(1000, undefined, { signal: shutdown.signal });
  }
}

/** Where a running Sluice has its Temporal server: from the environment, else from who holds the state folder. */
async function findTemporal(
  state: string,
  env: NodeJS.ProcessEnv,
): Promise<{ address: string; namespace: string } | null> {
  const namespace = env.TEMPORAL_NAMESPACE ?? 'default';
  const address = temporalAddressOf(env);
  if (address !== null) return { address, namespace };
  const holder = await readFolderLock(resolve(state));
  if (holder === null || typeof holder.temporal !== 'string') return null;
  return {
    address: holder.temporal,
    namespace: typeof holder.namespace === 'string' ? holder.namespace : namespace,
  };
}

/** A client of the Sluice that runs already; closed by `shutdown`. */
export async function connectClient(
  state: string,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<Client> {
  const found = await findTemporal(state, env);
  if (found === null) {
    throw new CliError(
      EXIT.unavailable,
      `no Sluice runs on ${state}: start one with \`sluice dev\`, or set TEMPORAL_ADDRESS to the Temporal server of your workers`,
    );
  }
  return await openClient(found, shutdown).catch((error: Error) => {
    throw new CliError(
      EXIT.unavailable,
      `the Temporal server at ${found.address} does not answer: ${error.message}`,
    );
  });
}

/** Runs a command's work with a client of the Sluice that runs already. */
export async function withClient(
  { state }: Pick<SessionOptions, 'state'>,
  env: NodeJS.ProcessEnv,
  work: (client: Client) => Promise<number>,
): Promise<void> {
  process.exitCode = await runCommand(async (shutdown) => work(await connectClient(state, env, shutdown)));
}
