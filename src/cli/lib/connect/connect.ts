// Connects a command to the operator API: of a server elsewhere, of the process that runs on the state folder, or made
// here, in this process, when none runs.
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FolderLockedError, readFolderLock } from '../../../core/lock/folder-lock.ts';
import type { Shutdown } from '../../../core/shutdown.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import { httpClient, socketClient } from '../../../operator/client/node.ts';
import { namesTemporal } from '../../../temporal/temporal-address.ts';
import { CliError, EXIT } from '../exit.ts';
import { formatTime } from '../terminal/format.ts';
import type { Connected, ConnectOptions } from './connected.ts';
import { NEVER, runCommand, say } from './lifetime.ts';
import { openConfig, type SessionOptions } from './session.ts';

/** Another command that serves itself ends, or publishes its socket, within this time, in seconds. */
const WAIT_SECONDS = 30;

/**
 * - `--server URL` or SLUICE_SERVER: HTTP with the token of `sluice login` or SLUICE_SERVER_TOKEN; `unix:PATH` is a socket
 * - a process runs on the state folder: its socket
 * - DATABASE_URL, and `temporal.address`, TEMPORAL_ADDRESS or a Temporal profile: the shared ledger and Temporal
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
    if (typeof holder?.operator === 'string') {
      checkConfig(options, env, holder);
      const connected = connectSocket(holder.operator, shutdown);
      if (connecting.configured === true) await checkFresh(connected.client, String(holder.command));
      return connected;
    }
    if (holder === null) {
      // Imported here: a command of a running Sluice needs neither the ledger nor the SDK of Temporal.
      const { serveHere, serveShared } = await import('./serve.ts');
      if (env.DATABASE_URL && (namesTemporal(env) || (await hasAddress(options, env))))
        return await serveShared(options, env, shutdown, connecting);
      const served = await serveHere(options, env, shutdown, connecting);
      if (served !== null) return served;
    } else if (second > WAIT_SECONDS) throw new FolderLockedError(stateDir, holder);
    else if (second === 1) say(`${String(holder.command)} uses the ledger now; waiting for it`);
    await delay(second === 1 ? 100 : 1000, undefined, { signal: shutdown.signal });
  }
}

/** A broken configuration names no server: the command reports it once it needs the configuration. */
async function hasAddress({ config }: SessionOptions, env: NodeJS.ProcessEnv): Promise<boolean> {
  const loaded = await openConfig(config, env, []).catch(() => null);
  return loaded?.config.temporal.address !== undefined;
}

/** A client of a server elsewhere or of the process that runs on the state folder; null when there is none. */
export async function connectRunning(
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
  { configured = false }: Pick<ConnectOptions, 'configured'> = {},
): Promise<OperatorClient | null> {
  const server = options.server ?? env.SLUICE_SERVER;
  if (server) return (await connectServer(server, env, shutdown)).client;
  const holder = await readFolderLock(resolve(options.state));
  if (typeof holder?.operator !== 'string') return null;
  checkConfig(options, env, holder);
  const { client } = connectSocket(holder.operator, shutdown);
  if (configured) await checkFresh(client, String(holder.command));
  return client;
}

/**
 * The process that runs on the state folder works with its own configuration.
 * @throws CliError when the command names another one, or a file that is not there
 */
function checkConfig(
  { config, state }: SessionOptions,
  env: NodeJS.ProcessEnv,
  holder: Readonly<Record<string, unknown>>,
): void {
  const named = config ?? env.SLUICE_CONFIG;
  if (!named) return;
  const path = resolve(named);
  if (!existsSync(path)) throw new CliError(EXIT.notFound, `there is no configuration ${path}`);
  if (typeof holder.config !== 'string' || realpathSync(path) === holder.config) return;
  throw new CliError(
    EXIT.conflict,
    `${String(holder.command)} runs on ${state} with ${holder.config}, not with ${path}: leave --config out, or name another folder with --state`,
  );
}

/** @throws CliError when the running Sluice works with another configuration than its files have */
async function checkFresh(client: OperatorClient, holder: string): Promise<void> {
  const { file, loadedAt, outdated, error } = await client.call('GET /configuration/state', {});
  if (!outdated) return;
  const works = `${holder} works with the configuration of ${formatTime(loadedAt)}`;
  throw new CliError(
    EXIT.conflict,
    error === null
      ? `${works}, and ${file} has changed since: \`sluice config reload\` loads it`
      : `${works}, because ${file} is broken now: mend it first\n${error}`,
  );
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

async function connectServer(server: string, env: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<Connected> {
  if (server.startsWith('unix:')) return connectSocket(resolve(server.slice('unix:'.length)), shutdown);
  const { findToken, originOf } = await import('./credentials.ts');
  const origin = originOf(server);
  const token = env.SLUICE_SERVER_TOKEN?.trim() || (await findToken(origin, env));
  if (token === null)
    throw new CliError(
      EXIT.auth,
      `log in first: \`sluice login --server ${origin} --user NAME\`, or set SLUICE_SERVER_TOKEN`,
    );
  const client = httpClient(origin, token);
  shutdown.add('connection to the server', () => client.close());
  return { client, where: 'remote', failed: NEVER, operator: null, ledger: null };
}

function connectSocket(path: string, shutdown: Shutdown): Connected {
  const client = socketClient(path);
  shutdown.add('connection to the running Sluice', () => client.close());
  return { client, where: 'socket', failed: NEVER, operator: null, ledger: null };
}
