// The dev server as a child process: its arguments, its log, and the wait until it answers.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deadlineSignal } from '../core/deadline.ts';
import { processStart } from '../core/lock/process-identity.ts';
import { listensOn } from '../core/net/ports.ts';
import { childEnv } from './child-env.ts';
import { checkTemporal, type SearchAttributes } from './temporal-health.ts';
import { endProcess, removeServerRecord, type ServerRecord, writeServerRecord } from './temporal-record.ts';
import { type UiPlace, uiArguments } from './temporal-ui.ts';

/** How the server ended. */
export interface ServerExit {
  /** True when `stop()` ended it. */
  readonly expected: boolean;
  /** What happened and the path of the log, as text. */
  readonly reason: string;
}

/** Thrown when the server could not be started; the message ends with the last lines of its log. */
export class TemporalStartError extends Error {
  override readonly name = 'TemporalStartError';
  readonly logFile: string;
  readonly portTaken: boolean;
  constructor(message: string, logFile: string, portTaken: boolean, options?: ErrorOptions) {
    super(message, options);
    this.logFile = logFile;
    this.portTaken = portTaken;
  }
}

/**
 * A start from a warm cache takes 0.4 s the first time and 0.2 s later; a large database or a loaded machine takes
 * longer.
 */
const READY_MS = 60_000;
const LOG_LIMIT_BYTES = 5 * 1024 * 1024;

/**
 * The server opens an HTTP API beside gRPC, on a port of its own and without authentication. A web page in the user's
 * browser could post to it. No `Host` header has a space, so this list allows none: the API answers 403, gRPC serves.
 */
const NO_HTTP_API = 'frontend.httpAllowedHosts=["no host"]';

/** Arguments without ports and search attributes, which differ between two servers of equal behavior. */
export function serverSettings(
  stateDir: string,
  namespace: string,
  dynamicConfig: readonly string[],
): string[] {
  const dynamic = [
    'matching.enableFairness=true',
    'matching.useNewMatcher=true',
    // One partition keeps priorities exact.
    'matching.numTaskqueueReadPartitions=1',
    'matching.numTaskqueueWritePartitions=1',
    // The default is 20: after the first twenty workflow steps in a second, each one would wait 40 ms.
    'history.transferProcessorMaxPollRPS=1000',
    'history.timerProcessorMaxPollRPS=1000',
    'history.visibilityProcessorMaxPollRPS=1000',
    NO_HTTP_API,
    ...dynamicConfig,
  ];
  return [
    '--db-filename',
    join(stateDir, 'temporal.db'),
    '--namespace',
    namespace,
    '--ip',
    '127.0.0.1',
    '--sqlite-pragma',
    'journal_mode=wal',
    '--sqlite-pragma',
    'synchronous=normal',
    ...dynamic.flatMap((value) => ['--dynamic-config-value', value]),
    '--log-level',
    'warn',
  ];
}

export interface LaunchOptions {
  readonly stateDir: string;
  readonly binary: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly namespace: string;
  readonly port: number;
  /** Address of the web UI; null: no UI. */
  readonly ui: UiPlace | null;
  readonly searchAttributes: SearchAttributes;
  readonly dynamicConfig?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface LaunchedServer {
  readonly record: ServerRecord;
  /** Resolves with the reason of its end. */
  readonly exit: Promise<string>;
}

/**
 * Starts the server and waits until its namespace answers.
 * @throws TemporalStartError; then no process is left behind.
 */
export async function launchServer(options: LaunchOptions): Promise<LaunchedServer> {
  const { stateDir, binary, port, ui, signal } = options;
  signal?.throwIfAborted();
  const logFile = join(stateDir, 'temporal.log');
  const logStart = await boundLog(logFile);
  const settings = serverSettings(stateDir, options.namespace, options.dynamicConfig ?? []);
  const attributes = Object.entries(options.searchAttributes).flatMap(([name, kind]) => [
    '--search-attribute',
    `${name}=${kind}`,
  ]);
  const args = [
    'server',
    'start-dev',
    ...settings,
    ...attributes,
    '--port',
    String(port),
    ...uiArguments(ui),
  ];

  const log = openSync(logFile, 'a', 0o600);
  // Detached: it gets its own process group, so that Ctrl-C does not end the server while workers still need it.
  const child = spawn(binary, args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: childEnv(options.env),
  });
  closeSync(log);
  const exit = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, by) =>
      resolve(by === null ? `it ended with code ${code}` : `it was ended by ${by}`),
    );
  });
  const fail = async (reason: string, cause?: unknown): Promise<TemporalStartError> => {
    const log = await readLog(logFile, logStart);
    const portTaken = log.includes('address already in use');
    const tail = errorLines(log);
    return new TemporalStartError(
      `The Temporal server did not start: ${reason}; its log is ${logFile}${tail === '' ? '' : `\n${tail}`}`,
      logFile,
      portTaken,
      { cause },
    );
  };
  if (child.pid === undefined) throw await fail(`${binary}: ${await exit}`);
  const record = { pid: child.pid, start: processStart(child.pid), port, ui, binary, settings };
  writeServerRecord(stateDir, record);
  child.unref();

  const stopWaiting = new AbortController();
  const limits = [stopWaiting.signal, deadlineSignal(READY_MS), ...(signal ? [signal] : [])];
  try {
    await Promise.race([
      waitUntilReady(record.pid, options, AbortSignal.any(limits)),
      exit.then((reason) => Promise.reject(new Error(reason))),
    ]);
  } catch (error) {
    stopWaiting.abort();
    await endProcess(record, 2_000);
    await removeServerRecord(stateDir);
    signal?.throwIfAborted();
    const late = error instanceof Error && error.name === 'AbortError';
    const reason = late ? `it did not answer within ${READY_MS / 1000} s` : (error as Error).message;
    throw await fail(reason, error);
  }
  return { record, exit: exit.then((reason) => `${reason}; its log is ${logFile}`) };
}

async function waitUntilReady(pid: number, options: LaunchOptions, signal: AbortSignal): Promise<void> {
  // Check the port first: a gRPC channel that was refused once waits a second before it tries again.
  while (!listensOn(pid, options.port)) await delay(20, undefined, { signal });
  const address = `127.0.0.1:${options.port}`;
  let last: unknown;
  while (!signal.aborted) {
    try {
      return await checkTemporal(address, options.namespace, { timeoutMs: 5_000 });
    } catch (error) {
      // It listens a moment before its namespace is known.
      last = error;
      // A check that fails at once must leave time for the timers that end this loop.
      await delay(20);
    }
  }
  throw last;
}

/** Keeps one older log; the newest stays below the limit at each start. Answers where this start begins. */
async function boundLog(file: string): Promise<number> {
  try {
    const { size } = await stat(file);
    if (size <= LOG_LIMIT_BYTES) return size;
    await rename(file, `${file}.1`);
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** What this start wrote; of much, the first 64 KB: a Go panic says why at its top. */
async function readLog(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, from);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await handle.close();
  }
}

function errorLines(log: string): string {
  const lines = log.split('\n').map((line) => line.slice(0, 300));
  const errors = lines.filter((line) => /^(error|panic|fatal)|level=(error|fatal)/i.test(line));
  return (errors.length > 0 ? errors.slice(0, 3) : lines.slice(-8)).join('\n');
}
