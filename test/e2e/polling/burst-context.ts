// An installation whose worker is a process that may be killed: sandbox, PostgreSQL, the built `sluice worker`, and a file
// as its sink.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { inject } from 'vitest';
import { stringify } from 'yaml';
import { type Tail, tail } from '../../../bench/support/poll-tail.ts';
import { startPollers } from '../../../src/app/pollers.ts';
import { Config } from '../../../src/config/schema/config.ts';
import { type Database, openPostgres } from '../../../src/core/sql/database.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/server.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { panelOf } from '../../support/panel.ts';
import { startPostgres } from '../../support/postgres/postgres.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { connectTestTemporal } from '../../support/temporal/temporal.ts';
import { until } from '../../support/until.ts';

export interface BurstContext {
  readonly sandbox: Sandbox;
  readonly panel: ReturnType<typeof panelOf>;
  readonly db: Database;
  readonly client: Client;
  /** Events that the sink has received so far. */
  readonly published: Tail;
  /** Starts a worker process; resolves when it works. */
  worker(): Promise<{ kill(): Promise<void> }>;
  /** Starts the poller, and waits until all that comes from then on is news. */
  poll(): Promise<void>;
  close(): Promise<void>;
}

export interface BurstContextOptions {
  readonly fixture: object;
  /** Of the fixture's account `acme`. */
  readonly token: string;
  readonly poller?: object;
  readonly sandbox?: Partial<SandboxOptions>;
}

/** Opens everything but a worker. The caller closes it. */
export async function openBurstContext(options: BurstContextOptions): Promise<BurstContext> {
  const ends: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    return { ...(await furnish(options, ends)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function furnish(
  options: BurstContextOptions,
  ends: (() => Promise<unknown>)[],
): Promise<Omit<BurstContext, 'close'>> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-burst-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  const [built, temporal, postgres, sandbox] = await Promise.all([
    buildOnce(),
    connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES }).then((opened) => {
      ends.push(() => opened.close());
      return opened;
    }),
    startPostgres().then((started) => {
      ends.push(() => started.stop());
      return started;
    }),
    startSandbox({
      port: 0,
      dataDir: join(dir, 'sandbox'),
      rate: 0,
      fixture: options.fixture,
      ...options.sandbox,
    }).then((started) => {
      ends.push(() => started.close());
      return started;
    }),
  ]);
  const file = {
    version: 1,
    accounts: {
      acme: {
        baseUrl: sandbox.baseUrl,
        tokens: ['env:TOKEN'],
        callsPerMinute: 60_000,
        announce: [{ sink: 'file' }],
      },
    },
    sinks: { file: { type: 'jsonl', path: './published.jsonl' } },
    pollers: { inbox: { account: 'acme', ...options.poller } },
  };
  await writeFile(join(dir, 'sluice.yaml'), stringify(file));
  const db = await openPostgres(postgres.url, console.error);
  ends.push(() => db.close());
  const published = tail(join(dir, 'published.jsonl'));
  ends.push(() => published.close());
  const workers: ChildProcess[] = [];
  ends.push(() => Promise.all(workers.map(kill)));

  return {
    sandbox,
    db,
    client: temporal.client,
    published,
    panel: panelOf(sandbox.panelUrl),
    async worker() {
      const main = join(built, 'src/cli/main.js');
      const args = ['worker', '--config', join(dir, 'sluice.yaml'), '--state', dir];
      const worker = spawn(process.execPath, [main, ...args], {
        env: {
          ...process.env,
          TOKEN: options.token,
          DATABASE_URL: postgres.url,
          SLUICE_ADMIN_PORT: '0',
          TEMPORAL_ADDRESS: inject('temporalAddress'),
          TEMPORAL_NAMESPACE: temporal.namespace,
          // Ends with this process, however that ends.
          npm_command: 'run-script',
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      workers.push(worker);
      let said = '';
      worker.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      await until('the worker is ready', () => {
        if (worker.exitCode !== null) throw new Error(`the worker ended\n${said}`);
        return said.includes('ready for');
      });
      return { kill: () => kill(worker) };
    },
    async poll() {
      await startPollers({ client: temporal.client, config: Config.parse(file) });
      await until('page 1 was read', async () => {
        const rows = await db.query('select 1 from pollers where complete_at is not null');
        return rows.length === 1;
      });
    },
  };
}

async function kill(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}
