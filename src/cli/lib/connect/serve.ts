// Serves the operator API inside a command, for when no other process does.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { openLedger } from '../../../app/ledger/ledger-database.ts';
import { openLedgerCipher } from '../../../app/ledger/ledger-encryption.ts';
import { lendableLedger } from '../../../app/ledger/lendable-ledger.ts';
import { createOperator, type Operator } from '../../../app/operator.ts';
import { withCopy } from '../../../app/plan/copied-ledger.ts';
import type { Stack } from '../../../app/stack.ts';
import { createLiveConfig, type LiveConfig, type LiveConfigOptions } from '../../../config/live-config.ts';
import type { LoadedConfig, LoadOptions } from '../../../config/load.ts';
import type { LedgerCipher } from '../../../core/encryption/cipher.ts';
import { acquireFolderLock, FolderLockedError } from '../../../core/lock/folder-lock.ts';
import type { Shutdown } from '../../../core/shutdown.ts';
import { localClient } from '../../../operator/client/local.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Caller } from '../../../operator/service/caller.ts';
import { configuredTarget } from '../../../temporal/configured-target.ts';
import { openLazyClient } from '../../../temporal/temporal-client.ts';
import { temporalTargetOf } from '../../../temporal/temporal-target.ts';
import { describeError, START_FAILED } from '../describe-error.ts';
import { CliError, EXIT } from '../exit.ts';
import { makeLogger } from '../logger.ts';
import type { Connected, ConnectOptions } from './connected.ts';
import { NEVER, say } from './lifetime.ts';
import { openConfig, SECRETS_OF, type SessionOptions } from './session.ts';

/** `sluice sync run` is `sync run` in log lines. */
const processOf = (command: string) => command.replace(/^sluice /, '');

/** The ledger and Temporal belong to several processes, and workers run elsewhere. */
export async function serveShared(
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
  { command }: ConnectOptions,
): Promise<Connected> {
  const log = makeLogger(env.SLUICE_LOG_LEVEL || 'error', { process: processOf(command) });
  const { config, live } = await readConfig(options, env, log, SECRETS_OF.console);
  // Wrong settings end the command before it opens anything.
  if (live === null) temporalTargetOf(env);
  else await configuredTarget(env, live.current());
  const cipher = await cipherOf(config);
  const db = await openLedger({ url: env.DATABASE_URL, stateDir: '', cipher, onError: () => undefined });
  shutdown.add('ledger', () => db.close());
  let opened: Promise<Client> | undefined;
  // The configuration has the keys of encryption: a broken one is an error here, never a client that does not encrypt.
  const temporal = async () => await (opened ??= openLazyClient(env, config(), { shutdown, log }));
  const operator = createOperator({
    db,
    config,
    live,
    log,
    temporal,
    runningTemporal: temporal,
    env,
    stateDir: resolve(options.state),
  });
  shutdown.add('dry runs', () => operator.close());
  const client = localClient(operator.dispatch, await localCaller(operator, env));
  return {
    client,
    where: 'shared',
    failed: NEVER,
    operator,
    ledger: { db, config, live, runningTemporal: temporal },
  };
}

/** @returns null when another process took the folder meanwhile */
export async function serveHere(
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
  { command, creates = false, mayBeEmpty = false }: ConnectOptions,
): Promise<Connected | null> {
  const isEmpty = mayBeEmpty && !env.DATABASE_URL && !existsSync(join(resolve(options.state), 'ledger'));
  const stateDir = isEmpty ? await emptyState(options.state, shutdown) : resolve(options.state);
  if (!env.DATABASE_URL && !creates && !isEmpty && !existsSync(join(stateDir, 'ledger')))
    throw noLedger(stateDir);
  const lock = await acquireFolderLock(stateDir, { command }, say).catch((error: unknown) => {
    if (error instanceof FolderLockedError) return null;
    throw error;
  });
  if (lock === null) return null;
  shutdown.add('folder lock', () => lock.release());
  const log = makeLogger(env.SLUICE_LOG_LEVEL || 'error', { process: processOf(command) });
  const { config, live } = await readConfig(options, env, log);
  const cipher = await cipherOf(config);
  const open = () =>
    openLedger({ url: env.DATABASE_URL, stateDir, cipher, onError: () => undefined }).catch(startFailed);
  const db = lendableLedger(env.DATABASE_URL ? 'postgres' : 'pglite', open, cipher ?? undefined);
  shutdown.add('ledger', () => db.close());

  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  let stack: Promise<Stack> | null = null;
  const start = async (): Promise<Stack> => {
    // Imported here: the worker's half of the SDK takes 0.3 s to load, and most commands do not need it.
    const { openLog } = await import('../log.ts');
    const { startStack } = await import('../../../app/stack.ts');
    const ofStack = openLog(processOf(command), env, 'error', shutdown);
    const opened = await startStack({
      config: config(),
      live: live ?? undefined,
      stateDir,
      env,
      log: ofStack,
      say,
      shutdown,
      db,
    });
    opened.failed.catch(fail);
    const socket = await operator.openSocket();
    shutdown.add("operators' socket", () => socket.close());
    const { address, namespace } = opened.temporal;
    await lock.update({ command, temporal: address, namespace, operator: socket.path });
    return opened;
  };
  const runningTemporal = async () => (stack === null ? null : (await stack).client);
  const operator = createOperator({
    db,
    config,
    live,
    log,
    env,
    stateDir,
    lendLedger: (work) => (stack === null ? db.lend(() => work(stateDir)) : withCopy({ db, stateDir }, work)),
    async temporal() {
      stack ??= start();
      return (await stack.catch(startFailed)).client;
    },
    runningTemporal,
  });
  shutdown.add('dry runs', () => operator.close());
  return {
    client: localClient(operator.dispatch, await localCaller(operator, env)),
    where: 'here',
    failed,
    operator,
    ledger: { db, config, live, runningTemporal },
  };
}

async function emptyState(state: string, shutdown: Shutdown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-empty-'));
  shutdown.add('empty ledger', () => rm(folder, { recursive: true, force: true }));
  say(`nothing has run on ${state} yet: the ledger is taken as empty`);
  return folder;
}

/** A broken configuration does not keep a command from reading the ledger. It is an error once it is needed. */
async function readConfig(
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  log: LiveConfigOptions['log'],
  secretsOf?: LoadOptions['secretsOf'],
): Promise<{ config(): LoadedConfig; readonly live: LiveConfig | null }> {
  try {
    const live = createLiveConfig(await openConfig(options.config, env, secretsOf), { log });
    return { config: live.current, live };
  } catch (error) {
    return {
      config() {
        throw error;
      },
      live: null,
    };
  }
}

/** Undefined: the configuration is broken, and so what is encrypted cannot be read. */
async function cipherOf(config: () => LoadedConfig): Promise<LedgerCipher | null | undefined> {
  let loaded: LoadedConfig;
  try {
    loaded = config();
  } catch {
    // The command reports it once it needs the configuration.
    return undefined;
  }
  return await openLedgerCipher(loaded);
}

function startFailed(error: unknown): never {
  const { message } = describeError(error);
  throw new OperatorError('unavailable', message ?? String(error), { code: START_FAILED, cause: error });
}

/**
 * The Unix user of this process, as on the socket. It proves nothing where the ledger is shared: whoever has the URL of
 * the database can open it on a machine of their own.
 */
export async function localCaller({ unixCaller }: Operator, env: NodeJS.ProcessEnv): Promise<Caller> {
  const caller = await unixCaller();
  return { ...caller, via: 'local', isClaimed: Boolean(env.DATABASE_URL) };
}

function noLedger(stateDir: string): CliError {
  return new CliError(
    EXIT.notFound,
    `there is no ledger in ${stateDir}: nothing has run there yet. Start \`sluice dev\` or a sync, name the folder with --state, or a server with --server`,
  );
}
