// The Temporal server that Sluice runs on: the one that the environment names, the one that an earlier run left behind,
// or a dev server started here with its database file in the state folder. The caller owns the folder's lock.
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { isGrpcServiceError } from '@temporalio/client';
import { isSameProcess } from '../core/lock/process-identity.ts';
import { freePort, listensOn, tryPort } from '../core/net/ports.ts';
import { spareDirOf } from './cache-dir.ts';
import { describeRefusal, register } from './search-attributes.ts';
import type { TemporalAccess } from './temporal-access.ts';
import { findTemporalCli } from './temporal-binary.ts';
import {
  checkTemporal,
  ensureSearchAttributes,
  type SearchAttributes,
  TemporalUnavailableError,
} from './temporal-health.ts';
import { launchServer, type ServerExit, serverSettings, TemporalStartError } from './temporal-process.ts';
import { endProcess, readServerRecord, removeServerRecord, type ServerRecord } from './temporal-record.ts';
import { type TemporalTarget, temporalTargetOf } from './temporal-target.ts';
import { hiddenPlace } from './temporal-ui.ts';

export interface StartTemporalOptions {
  /** Existing folder for database, log and record; the caller owns its lock. */
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The server to use. @default the one that `env` names; null starts one */
  readonly target?: TemporalTarget | null;
  /** Folder of downloaded binaries. */
  readonly cacheDir: string;
  /** Receives one line for each step that takes time or that an operator should know. */
  say(line: string): void;
  /** Starts the web UI too, see temporal-ui.ts. @default false */
  readonly ui?: boolean;
  /** @default 7233 when free, else any */
  readonly port?: number;
  /** @default the one of the target; "default" for an embedded server */
  readonly namespace?: string;
  readonly searchAttributes?: SearchAttributes;
  /** More settings of the dev server, each as `key=value`. */
  readonly dynamicConfig?: readonly string[];
  readonly signal?: AbortSignal;
  /**
   * Milliseconds between SIGTERM and SIGKILL when a server of ours is ended.
   * @default 10_000 (measured: it ends within 1.5 s)
   */
  readonly stopGraceMs?: number;
  /**
   * Milliseconds for a server that is not newly started to answer: one left behind, or the one in TEMPORAL_ADDRESS.
   * @default 5_000 (a healthy one answers in milliseconds; one left behind may itself still be starting)
   */
  readonly checkMs?: number;
}

export interface TemporalServer {
  /** host:port of the frontend (gRPC). */
  readonly address: string;
  /** TLS and API key. */
  readonly access: TemporalAccess;
  readonly uiUrl: string | null;
  readonly namespace: string;
  /** Where it comes from, as text. */
  readonly origin: string;
  /** True when `stop` ends it: started here, or adopted from an earlier run. */
  readonly owned: boolean;
  readonly pid: number | null;
  /** Resolves when an owned server has ended, asked for or not; never for a server that isn't ours. */
  readonly exited: Promise<ServerExit>;
  /** SIGTERM, after 10 s SIGKILL; returns when it is gone. A server that isn't ours is left alone. */
  stop(): Promise<void>;
}

/** Defaults applied, paths absolute. */
interface Settings extends StartTemporalOptions {
  readonly ui: boolean;
  readonly namespace: string;
  readonly searchAttributes: SearchAttributes;
  readonly dynamicConfig: readonly string[];
  readonly stopGraceMs: number;
  readonly checkMs: number;
}

/**
 * Finds or starts the server; on return its namespace answers.
 * @throws TemporalUnavailableError when TEMPORAL_ADDRESS does not answer.
 * @throws InsecureTemporalError when TEMPORAL_ADDRESS leads over a network without TLS and without TEMPORAL_INSECURE.
 * @throws TemporalSettingsError when TLS or API key are set incompletely.
 * @throws TemporalStartError when the dev server does not start.
 * @throws BinaryNotFoundError when there is no Temporal CLI and none could be downloaded.
 */
export async function startTemporal(options: StartTemporalOptions): Promise<TemporalServer> {
  const target = options.target ?? temporalTargetOf(options.env);
  const settings: Settings = {
    ...options,
    stateDir: resolve(options.stateDir),
    ui: options.ui ?? false,
    namespace: options.namespace ?? target?.namespace ?? 'default',
    searchAttributes: options.searchAttributes ?? {},
    dynamicConfig: options.dynamicConfig ?? [],
    stopGraceMs: options.stopGraceMs ?? 10_000,
    checkMs: options.checkMs ?? 5_000,
  };
  const { namespace, searchAttributes } = settings;
  if (target !== null) return useExternal(target, settings);
  const server = (await adopt(settings)) ?? (await launch(settings));
  try {
    await ensureSearchAttributes(server.address, namespace, searchAttributes, { timeoutMs: 10_000 });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** As the doctor says it. */
const MAKE_NAMESPACE = 'make the namespace, or name another in `temporal.namespace` or TEMPORAL_NAMESPACE';

async function useExternal(
  { address, access, origin }: TemporalTarget,
  { namespace, searchAttributes, checkMs, say }: Settings,
): Promise<TemporalServer> {
  const check = { timeoutMs: checkMs, access };
  try {
    await checkTemporal(address, namespace, check);
  } catch (error) {
    if (!(error instanceof TemporalUnavailableError)) throw error;
    const { cause } = error;
    // It answers: nothing is to be started.
    if (isGrpcServiceError(cause) && cause.code === status.NOT_FOUND)
      throw new TemporalUnavailableError(address, `${error.message}; ${MAKE_NAMESPACE}`, { cause });
    throw new TemporalUnavailableError(
      address,
      `${error.message}. ${origin} is set to ${address}, namespace ${namespace}: start that server, correct it, ` +
        'or remove it to let Sluice start a server of its own',
      { cause: error },
    );
  }
  try {
    const target = { address, namespace, access };
    await register({ target, attributes: searchAttributes, timeoutMs: checkMs, say });
  } catch (error) {
    if (!(error instanceof TemporalUnavailableError)) throw error;
    // Some clusters do not let clients read or add search attributes: an operator has to.
    say(describeRefusal(error, searchAttributes));
  }
  return {
    address,
    access,
    uiUrl: null,
    namespace,
    origin,
    owned: false,
    pid: null,
    exited: new Promise(() => {}),
    stop: async () => {},
  };
}

/** Adopts a healthy server of a killed parent, and ends any other server that is left. */
async function adopt(settings: Settings): Promise<TemporalServer | null> {
  const { stateDir, namespace, port, ui, say, checkMs, stopGraceMs } = settings;
  const record = await readServerRecord(stateDir);
  if (record === null) return null;
  if (!isSameProcess(record.pid, record.start)) {
    // Ended, or the pid is somebody else's by now: not ours to touch.
    await removeServerRecord(stateDir);
    return null;
  }
  const wanted = serverSettings(stateDir, namespace, settings.dynamicConfig);
  const fits =
    JSON.stringify(record.settings) === JSON.stringify(wanted) &&
    (port === undefined || port === record.port) &&
    ui === (record.ui !== null);
  const trouble = fits ? await troubleOf(record, namespace, checkMs) : 'it runs with other settings';
  if (trouble === null) {
    say(`Took over the Temporal server that an earlier run left behind (process ${record.pid})`);
    return ownedServer(settings, record, 'left by an earlier run', watch(record));
  }
  say(`Ending the Temporal server that an earlier run left behind (process ${record.pid}): ${trouble}`);
  await endProcess(record, stopGraceMs);
  await removeServerRecord(stateDir);
  return null;
}

async function troubleOf(record: ServerRecord, namespace: string, checkMs: number): Promise<string | null> {
  const deadline = Date.now() + checkMs;
  while (!listensOn(record.pid, record.port)) {
    if (Date.now() > deadline) return `it does not listen on port ${record.port}`;
    await delay(50);
  }
  try {
    await checkTemporal(`127.0.0.1:${record.port}`, namespace, { timeoutMs: checkMs });
    return null;
  } catch (error) {
    if (!(error instanceof TemporalUnavailableError)) throw error;
    return error.message;
  }
}

async function launch(settings: Settings): Promise<TemporalServer> {
  const { stateDir, namespace, env, searchAttributes, dynamicConfig, signal, say } = settings;
  const wanted = settings.port;
  if (wanted !== undefined && (await tryPort(wanted)) === null)
    throw new Error(`port ${wanted} is taken; name another one for the Temporal server, or leave it out`);
  const { path: binary, origin } = await findTemporalCli({ ...settings, spareDir: spareDirOf(stateDir) });
  for (let attempt = 1; ; attempt++) {
    // The usual ports only once: whoever took one between the check and the start has it for good.
    const usual = attempt === 1;
    const port = settings.port ?? (await freePort(usual ? 7233 : undefined));
    const ui = settings.ui ? await hiddenPlace() : null;
    try {
      const started = await launchServer({
        stateDir,
        binary,
        env,
        namespace,
        port,
        ui,
        searchAttributes,
        dynamicConfig,
        signal,
      });
      return ownedServer(settings, started.record, origin, started.exit);
    } catch (error) {
      if (!(error instanceof TemporalStartError) || !error.portTaken || attempt === 3) throw error;
      say('A port of the Temporal server was taken meanwhile; trying others');
    }
  }
}

function ownedServer(
  { stateDir, namespace, stopGraceMs }: Settings,
  record: ServerRecord,
  origin: string,
  exit: Promise<string>,
): TemporalServer {
  let stopped: Promise<void> | null = null;
  return {
    address: `127.0.0.1:${record.port}`,
    access: {},
    uiUrl: record.ui === null ? null : `http://${record.ui.host}:${record.ui.port}`,
    namespace,
    origin,
    owned: true,
    pid: record.pid,
    exited: exit.then((reason) => ({ expected: stopped !== null, reason })),
    stop: () => {
      stopped ??= endProcess(record, stopGraceMs).then(() => removeServerRecord(stateDir));
      return stopped;
    },
  };
}

/** An adopted server is not a child process, so its end is checked once a second. */
function watch(record: ServerRecord): Promise<string> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (isSameProcess(record.pid, record.start)) return;
      clearInterval(timer);
      resolve('it ended');
    }, 1_000);
    timer.unref();
  });
}
