// Starts the sandbox: Sluice's faithful, persistent server of the API, with a panel to inspect it and inject faults.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { CHOICES, type Choices } from './choices.ts';
import { fixtureDigest, fixtureOps, parseFixture } from './fixture/fixture-merge.ts';
import { resumeCalls } from './hooks/process.ts';
import { BackgroundQueue } from './hooks/queue.ts';
import { Faults } from './http/faults.ts';
import { RateWindows } from './http/rate.ts';
import { RequestLog } from './http/request-log.ts';
import { wapiRouter } from './http/wapi.ts';
import { panelRouter } from './panel/panel.ts';
import type { SandboxParts } from './parts.ts';
import { Board } from './state/board.ts';
import { Store } from './state/store.ts';

export interface SandboxOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** Folder of the state, created if missing. One process at a time: the caller owns its lock. */
  readonly dataDir: string;
  /** Parsed fixture, applied once per folder. */
  readonly fixture?: unknown;
  /** Calls a minute for each token; 0 turns the limit off. @default 120 */
  readonly rate?: number;
  /** Calls a minute for each webhook hash; 0 turns the limit off. @default 120 */
  readonly hookRate?: number;
  /** @default the system's clock */
  readonly now?: () => Date;
  /** Choices for points that the API text leaves open: see choices.ts. */
  readonly choices?: Partial<Choices>;
  /** Receives messages for the operator. @default standard error */
  readonly warn?: (message: string) => void;
}

export interface Sandbox {
  /** `http://host:port/wapi` */
  readonly baseUrl: string;
  /** `http://host:port/panel` */
  readonly panelUrl: string;
  readonly port: number;
  /** Ends all connections, including those that the fault `hang` keeps open. */
  close(): Promise<void>;
}

/** @throws FixtureError (nothing applied), JournalDamaged, UnknownFormat, RangeError, or the error of listening */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { port, host = '127.0.0.1', dataDir, now = () => new Date() } = options;
  const rate = perMinute('rate', options.rate);
  const hookRate = perMinute('hookRate', options.hookRate);
  const warn = options.warn ?? ((message: string) => process.stderr.write(`sandbox: ${message}\n`));
  const store = new Store(dataDir);
  const log = openOrClose(() => new RequestLog(dataDir), store);
  const timers = new Set<NodeJS.Timeout>();
  const parts: SandboxParts = {
    store,
    log,
    faults: new Faults(),
    rate: new RateWindows(rate, now),
    hookRate: new RateWindows(hookRate, now),
    board: new Board(),
    background: new BackgroundQueue(),
    choices: { ...CHOICES, ...options.choices },
    now,
    warn,
    later: (ms, then) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        then();
      }, ms);
      timers.add(timer);
    },
  };
  const closeFiles = () => {
    parts.background.stop();
    store.close();
    log.close();
  };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use('/wapi', wapiRouter(parts));
  app.use('/panel', panelRouter(parts));
  app.use(
    (_req, res) => void res.status(404).json({ error: 'Not found: the sandbox serves /wapi and /panel' }),
  );
  // Clients keep connections open between calls. A short timeout here would reset them at random.
  const server = createServer({ keepAliveTimeout: 65_000 }, app);
  try {
    if (options.fixture !== undefined) applyFixture(parts, options.fixture);
    resumeCalls(parts);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    closeFiles();
    throw error;
  }
  const actual = (server.address() as AddressInfo).port;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
  let closing: Promise<void> | undefined;
  return {
    baseUrl: `${origin}/wapi`,
    panelUrl: `${origin}/panel`,
    port: actual,
    close: () => {
      closing ??= new Promise<void>((resolve, reject) => {
        for (const timer of timers) clearTimeout(timer);
        server.close((error) => {
          // Requests that end here still write their row in this iteration of the event loop.
          setImmediate(() => {
            closeFiles();
            if (error === undefined) resolve();
            else reject(error);
          });
        });
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

function perMinute(name: string, value: number | undefined): number {
  if (value === undefined) return 120;
  if (!Number.isInteger(value) || value < 0) {
    throw new RangeError(`${name}: ${value} is not a whole number of calls a minute (0 turns the limit off)`);
  }
  return value;
}

function openOrClose<T>(open: () => T, store: Store): T {
  try {
    return open();
  } catch (error) {
    store.close();
    throw error;
  }
}

/** A fixture is applied once per folder. A different one is validated, not applied, and reported. */
function applyFixture(parts: SandboxParts, value: unknown): void {
  const fixture = parseFixture(value);
  const digest = fixtureDigest(fixture);
  const { store } = parts;
  if (store.fixture === null) {
    store.applyFixture(fixtureOps(store, fixture, parts.now().getTime()), digest);
  } else if (store.fixture !== digest) {
    parts.warn(
      'the data folder holds the state of another fixture; this one was not applied (use an empty folder for it)',
    );
  }
}
