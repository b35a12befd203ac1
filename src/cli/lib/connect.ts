// Connects a command to the operator API: of a server elsewhere, of the process that runs on the state folder, or made
// here, in this process, when none runs.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { LoadedConfig } from '../../config/load.ts';
import type { OperatorClient } from '../../operator/client/client.ts';
import { localClient } from '../../operator/client/local.ts';
import { httpClient, socketClient } from '../../operator/client/node.ts';
import { OperatorError } from '../../operator/error.ts';
import type { Caller } from '../../operator/service/caller.ts';
import { openLedger } from '../../runtime/ledger-database.ts';
import { lendableLedger } from '../../runtime/lendable-ledger.ts';
import { acquireFolderLock, FolderLockedError, readFolderLock } from '../../runtime/lock/folder-lock.ts';
import type { Operator } from '../../runtime/operator.ts';
import { withCopy } from '../../runtime/plan/copied-ledger.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import type { Stack } from '../../runtime/stack.ts';
import { temporalAddressOf } from '../../runtime/temporal/temporal-address.ts';
import { describeError, START_FAILED } from './describe-error.ts';
import { CliError, EXIT } from './exit.ts';
import { runCommand, say } from './lifetime.ts';
import { makeLogger } from './logger.ts';
import { openConfig, type SessionOptions } from './session.ts';

export interface Connected {
  readonly client: OperatorClient;
  /**
   * `shared`: this process serves itself from the shared ledger, and workers run elsewhere. `here`: this process serves
   * itself, and work goes on only as long as it lives.
   */
  readonly where: 'remote' | 'socket' | 'shared' | 'here';
  /** Rejects when work in this process fails; never resolves. */
  readonly failed: Promise<never>;
  /** The operator API of this process; null when another process serves it. */
  readonly operator: Operator | null;
}

export interface ConnectOptions {
  /** The command as the lock of the state folder shows it: `sluice sync run contacts`. */
  readonly command: string;
  /** The command may create the state folder: it begins work. Without it, a missing folder is an error. */
  readonly creates?: boolean;
  /** Where nothing has run yet, the command gets an empty ledger in a temporary folder. */
  readonly mayBeEmpty?: boolean;
}

/** Another command that serves itself ends, or publishes its socket, within this time, in seconds. */
const WAIT_SECONDS = 30;

/**
 * - `--server URL` or SLUICE_SERVER: HTTP with the token of `sluice login` or SLUICE_SERVER_TOKEN; `unix:PATH` is a socket
 * - a process runs on the state folder: its socket
 * - DATABASE_URL and TEMPORAL_ADDRESS: the shared ledger and Temporal
 * - else: the embedded ledger, opened by this command; Temporal and workers start if the command needs them
 * @throws CliError, FolderLockedError
 */
export async function connectOperator(
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
  connecting: ConnectOptions,
): Promise<Connected> {
  const server = options.server ?? env.SLUICE_SERVER;
  if (server) return await connectServer(server, env, shutdown);
  const stateDir = resolve(options.state);
  for (let second = 1; ; second++) {
    const holder = await readFolderLock(stateDir);
    if (typeof holder?.operator === 'string') return connectSocket(holder.operator, shutdown);
    if (holder === null) {
      if (env.DATABASE_URL && temporalAddressOf(env) !== null)
        return await serveShared(options, env, shutdown);
      const served = await serveHere(options, env, shutdown, connecting);
      if (served !== null) return served;
    } else if (second > WAIT_SECONDS) throw new FolderLockedError(stateDir, holder);
    else if (second === 1) say(`${String(holder.command)} uses the ledger now; waiting for it`);
    await delay(second === 1 ? 100 : 1000, undefined, { signal: shutdown.signal });
  }
}

/** A client of a server elsewhere or of the process that runs on the state folder; null when there is none. */
export async function connectRunning(
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<OperatorClient | null> {
  const server = options.server ?? env.SLUICE_SERVER;
  if (server) return (await connectServer(server, env, shutdown)).client;
  const holder = await readFolderLock(resolve(options.state));
  return typeof holder?.operator === 'string' ? connectSocket(holder.operator, shutdown).client : null;
}

/** Runs a command's work with a client of the operator API. */
export async function withOperator(
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  connecting: ConnectOptions,
  work: (client: OperatorClient, connected: Connected, shutdown: Shutdown) => Promise<number>,
): Promise<void> {
  process.exitCode = await runCommand(async (shutdown) => {
    const connected = await connectOperator(options, env, shutdown, connecting);
    return await Promise.race([work(connected.client, connected, shutdown), connected.failed]);
  });
}

const NEVER = new Promise<never>(() => undefined);

async function connectServer(server: string, env: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<Connected> {
  if (server.startsWith('unix:')) return connectSocket(resolve(server.slice('unix:'.length)), shutdown);
  const { findToken, originOf } = await import('../user/credentials.ts');
  const token = env.SLUICE_SERVER_TOKEN || (await findToken(server, env));
  if (token === null)
    throw new CliError(
      EXIT.auth,
      `log in first: \`sluice login --server ${originOf(server)} --user NAME\`, or set SLUICE_SERVER_TOKEN`,
    );
  const client = httpClient(server, token);
  shutdown.add('connection to the server', () => client.close());
  return { client, where: 'remote', failed: NEVER, operator: null };
}

function connectSocket(path: string, shutdown: Shutdown): Connected {
  const client = socketClient(path);
  shutdown.add('connection to the running Sluice', () => client.close());
  return { client, where: 'socket', failed: NEVER, operator: null };
}

/** The ledger and Temporal belong to several processes, and workers run elsewhere. */
async function serveShared(
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<Connected> {
  const log = makeLogger(env.SLUICE_LOG_LEVEL || 'error');
  const db = await openLedger({ url: env.DATABASE_URL, stateDir: '', onError: () => undefined });
  shutdown.add('ledger', () => db.close());
  const config = await readConfig(options, env);
  const connection = Connection.lazy({ address: temporalAddressOf(env) ?? '' });
  shutdown.add('client connection', () => connection.close());
  const temporalClient = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE ?? 'default' });
  const temporal = async () => temporalClient;
  const { createOperator } = await import('../../runtime/operator.ts');
  const operator = createOperator({
    db,
    config,
    log,
    temporal,
    runningTemporal: temporal,
    env,
    stateDir: resolve(options.state),
  });
  shutdown.add('dry runs', () => operator.close());
  const client = localClient(operator.dispatch, await localCaller(operator, env));
  return { client, where: 'shared', failed: NEVER, operator };
}

/** @returns null when another process took the folder meanwhile */
async function serveHere(
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
  { command, creates = false, mayBeEmpty = false }: ConnectOptions,
): Promise<Connected | null> {
  const isEmpty = mayBeEmpty && !env.DATABASE_URL && !existsSync(resolve(options.state));
  const stateDir = isEmpty ? await emptyState(options.state, shutdown) : resolve(options.state);
  if (!env.DATABASE_URL && !creates && !isEmpty && !existsSync(join(stateDir, 'ledger')))
    throw noLedger(stateDir);
  const lock = await acquireFolderLock(stateDir, { command }, say).catch((error: unknown) => {
    if (error instanceof FolderLockedError) return null;
    throw error;
  });
  if (lock === null) return null;
  shutdown.add('folder lock', () => lock.release());
  const log = makeLogger(env.SLUICE_LOG_LEVEL || 'error');
  const config = await readConfig(options, env);
  // Imported here: commands of a running Sluice need none of the service.
  const { createOperator } = await import('../../runtime/operator.ts');
  const open = () =>
    openLedger({ url: env.DATABASE_URL, stateDir, onError: () => undefined }).catch(startFailed);
  const db = lendableLedger(env.DATABASE_URL ? 'postgres' : 'pglite', open);
  shutdown.add('ledger', () => db.close());

  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  let stack: Promise<Stack> | null = null;
  const start = async (): Promise<Stack> => {
    // Imported here: the worker's half of the SDK takes 0.3 s to load, and most commands do not need it.
    const { openLog } = await import('./log.ts');
    const { startStack } = await import('../../runtime/stack.ts');
    const ofStack = openLog(env, 'error', shutdown);
    const opened = await startStack({ config: config(), stateDir, env, log: ofStack, say, shutdown, db });
    opened.failed.catch(fail);
    const socket = await operator.openSocket({ folder: stateDir });
    shutdown.add("operators' socket", () => socket.close());
    const { address, namespace } = opened.temporal;
    await lock.update({ command, temporal: address, namespace, operator: socket.path });
    return opened;
  };
  const operator = createOperator({
    db,
    config,
    log,
    env,
    stateDir,
    lendLedger: (work) => (stack === null ? db.lend(() => work(stateDir)) : withCopy({ db, stateDir }, work)),
    async temporal() {
      stack ??= start();
      return (await stack.catch(startFailed)).client;
    },
    runningTemporal: async () => (stack === null ? null : (await stack).client),
  });
  shutdown.add('dry runs', () => operator.close());
  return {
    client: localClient(operator.dispatch, await localCaller(operator, env)),
    where: 'here',
    failed,
    operator,
  };
}

async function emptyState(state: string, shutdown: Shutdown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-empty-'));
  shutdown.add('empty ledger', () => rm(folder, { recursive: true, force: true }));
  say(`nothing has run on ${state} yet: the ledger is taken as empty`);
  return folder;
}

/** A broken configuration does not keep a command from reading the ledger. It is an error once it is needed. */
async function readConfig(options: SessionOptions, env: NodeJS.ProcessEnv): Promise<() => LoadedConfig> {
  try {
    const config = await openConfig(options.config, env);
    return () => config;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function startFailed(error: unknown): never {
  const { message } = describeError(error);
  throw new OperatorError('unavailable', message ?? String(error), { code: START_FAILED, cause: error });
}

/**
 * The kernel says who runs this process, as it does on the socket. It proves nothing where the ledger is shared:
 * whoever has the URL of the database can open it on a machine of their own.
 */
export async function localCaller({ callerOf }: Operator, env: NodeJS.ProcessEnv): Promise<Caller> {
  const caller = await callerOf(process.getuid?.() ?? 0);
  return { ...caller, via: 'local', isClaimed: Boolean(env.DATABASE_URL) };
}

function noLedger(stateDir: string): CliError {
  return new CliError(
    EXIT.notFound,
    `there is no ledger in ${stateDir}: nothing has run there yet. Start \`sluice dev\` or a sync, name the folder with --state, or a server with --server`,
  );
}
