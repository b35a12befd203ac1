// `sluice sandbox`: serves the API from this machine, with state that survives.
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { parse as parseYaml } from 'yaml';
import { readRegularFile } from '../core/files/regular-file.ts';
import { acquireFolderLock, type FolderLock, FolderLockedError } from '../core/lock/folder-lock.ts';
import { FixtureError } from '../sandbox/fixture/fixture.ts';
import { type Sandbox, startSandbox } from '../sandbox/server.ts';
import { JournalDamaged } from '../sandbox/state/journal.ts';
import { UnknownFormat } from '../sandbox/state/store.ts';
import { say } from './lib/connect/lifetime.ts';
import { CliError, EXIT } from './lib/exit.ts';

interface Options {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly fixture?: string;
  readonly rate: number;
  readonly hookRate: number;
}

const wholeNumber = (max: number) => (text: string) => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max)
    throw new InvalidArgumentError(`Write a whole number from 0 to ${max}.`);
  return value;
};

export function registerSandbox(program: Command): void {
  program
    .command('sandbox')
    .description(
      'serve the messaging API on this machine, with a panel that shows its state and injects faults',
    )
    .option('--port <port>', 'port to listen on; 0 takes a free one', wholeNumber(65_535), 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <folder>', 'folder of the state', '.sluice/sandbox')
    .option('--fixture <file>', 'JSON or YAML file with the initial state; applied once per folder')
    .option('--rate <calls>', 'calls per minute and token; 0 for no limit', wholeNumber(1_000_000), 120)
    .option(
      '--hook-rate <calls>',
      'calls per minute and webhook; 0 for no limit',
      wholeNumber(1_000_000),
      120,
    )
    .action(async (options: Options) => {
      const fixture = options.fixture === undefined ? undefined : await readFixture(options.fixture);
      const lock = await takeFolder(options.data);
      try {
        const sandbox = await start(options, fixture);
        const ended = nextSignal();
        process.stdout.write(`${JSON.stringify({ baseUrl: sandbox.baseUrl, panelUrl: sandbox.panelUrl })}\n`);
        await ended;
        await sandbox.close();
      } finally {
        await lock.release();
      }
    });
}

/** A sandbox that was asked to end a moment ago may still be closing. */
const CLOSING_TRIES = 20;

async function takeFolder(folder: string): Promise<FolderLock> {
  for (let tries = 1; ; tries++) {
    try {
      return await acquireFolderLock(folder, { command: 'sluice sandbox' }, say);
    } catch (error) {
      if (!(error instanceof FolderLockedError)) throw error;
      if (tries === CLOSING_TRIES) throw new CliError(EXIT.conflict, error.message, { cause: error });
      await delay(100);
    }
  }
}

/** JSON is tried first: a large fixture reads many times faster that way. */
async function readFixture(file: string): Promise<unknown> {
  const bytes = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    const missing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
    throw missing
      ? new CliError(EXIT.notFound, `--fixture ${file}: there is no such file`)
      : new CliError(EXIT.usage, `--fixture ${file}: cannot be read (${error.code ?? error.message})`);
  });
  const text = bytes.toString('utf8');
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      // A YAML file may begin like JSON.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  try {
    return parseYaml(text);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new CliError(EXIT.usage, `--fixture ${file}: neither JSON nor YAML: ${reason}`);
  }
}

async function start(options: Options, fixture: unknown): Promise<Sandbox> {
  const { port, host, data, rate, hookRate } = options;
  try {
    return await startSandbox({ port, host, dataDir: data, fixture, rate, hookRate });
  } catch (error) {
    if (error instanceof FixtureError)
      throw new CliError(EXIT.usage, `--fixture ${options.fixture}: ${error.message}`);
    if (error instanceof JournalDamaged || error instanceof UnknownFormat) {
      throw new CliError(EXIT.error, error.message);
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new CliError(EXIT.conflict, `--port ${port}: in use already; choose another, or 0`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CliError(EXIT.usage, `--host ${host}: not an address of this machine`);
    }
    if (code === 'EACCES')
      throw new CliError(EXIT.error, `--port ${port} or --data ${data}: not allowed (EACCES)`);
    throw error;
  }
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      process.off('SIGINT', done);
      process.off('SIGTERM', done);
      resolve();
    };
    process.on('SIGINT', done);
    process.on('SIGTERM', done);
  });
}
