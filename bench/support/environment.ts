// A whole installation for one bench: Temporal server, PostgreSQL, sandbox and worker processes, all on loopback. All
// of them end with the bench in any case.

import { setMaxListeners } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { request } from 'undici';
import { stringify } from 'yaml';
import { freePort } from '../../src/core/net/ports.ts';
import type { RunProgress, RunReport } from '../../src/jobs/sync/contract/run.ts';
import { startSync } from '../../src/jobs/sync/operator/begin.ts';
import type { SyncHandle } from '../../src/jobs/sync/operator/progress.ts';
import { readProgress } from '../../src/jobs/sync/operator/read-progress.ts';
import { cacheDirOf } from '../../src/temporal/cache-dir.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes.ts';
import { startTemporal } from '../../src/temporal/temporal-server.ts';
import { guard } from '../../test/support/guard.ts';
import { startPostgres } from '../../test/support/postgres/postgres.ts';
import { type Child, sluice } from './child.ts';
import { type CpuUse, watchCpu } from './cpu.ts';
import type { LoggedCall } from './log.ts';
import { tokenOf, tokenVariable } from './people.ts';

export interface EnvironmentOptions {
  /** Accounts of the fixture; each gets an entry of the same name in the configuration. */
  readonly accounts: readonly { readonly id: string; readonly fixture: object; readonly config?: object }[];
  /** Calls per minute and token in the sandbox. */
  readonly rate: number;
  /** Parts of sluice.yaml besides `accounts`: `sources`, `mappings`, `syncs`, `sinks`, `pollers`, … */
  readonly config: object;
  /** Environment variables of worker and ingress processes: secrets that the configuration names. */
  readonly env?: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  /** Time limit of the environment in minutes. Everything that waits in it then throws. */
  readonly minutes: number;
  say(line: string): void;
}

export interface Started {
  readonly handle: SyncHandle;
  /** Temporal's id of the run, which changes with each continue-as-new. */
  readonly firstRunId: string;
}

export interface Environment {
  readonly baseUrl: string;
  /** Contains `sluice.yaml`. Relative paths in it start here. */
  readonly dir: string;
  readonly client: Client;
  readonly temporalAddress: string;
  /** Connection string of the ledger. */
  readonly databaseUrl: string;
  /** Process of the Temporal server. */
  readonly temporalPid: number;
  /** First process of the PostgreSQL server. Null if it runs elsewhere. */
  readonly postgresPid: number | null;
  /** Starts an ingress process and returns its address. */
  ingress(): Promise<{ child: Child; url: string }>;
  /**
   * Starts a worker process; returns when it is ready.
   * @param program built script instead of `sluice worker`, with the same options
   */
  worker(program?: string, env?: Readonly<Record<string, string>>): Promise<Child>;
  write(file: string, content: string): Promise<void>;
  start(account: string, sync: string): Promise<Started>;
  progress(handle: SyncHandle): Promise<RunProgress | null>;
  /** Waits for the end of a run. */
  result(handle: SyncHandle): Promise<RunReport>;
  /** State of the account in the sandbox. */
  account(id: string): Promise<{ contacts: unknown[]; cards: unknown[] }>;
  /** Calls the sandbox's panel: GET without a body, PATCH with one. */
  panel<T>(path: string, body?: object): Promise<T>;
  /** Rows of the sandbox's log after this number. */
  requests(since: number): Promise<LoggedCall[]>;
  /** Waits. Throws if the environment is asked to end. */
  wait(ms: number): Promise<void>;
  /** Polls every `everyMs` until there is an answer. */
  until<T>(ask: () => Promise<T | null>, everyMs?: number): Promise<T>;
  /** Starts counting CPU seconds. The returned function returns them. */
  watchCpu(): Promise<() => Promise<CpuUse>>;
  close(): Promise<void>;
}

export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { say } = options;
  const ends: (() => Promise<unknown>)[] = [];
  const stopped = new AbortController();
  // Every wait listens to it.
  setMaxListeners(0, stopped.signal);
  const stop = () => stopped.abort(new Error('asked to stop'));
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const late = setTimeout(
    () => stopped.abort(new Error(`not done in ${options.minutes} minutes`)),
    options.minutes * 60_000,
  );
  ends.push(async () => {
    clearTimeout(late);
    process.off('SIGINT', stop).off('SIGTERM', stop);
  });
  const close = async () => {
    const failures: unknown[] = [];
    for (const end of ends.splice(0).toReversed())
      await end().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'something of the bench did not end');
  };
  try {
    return { ...(await furnish(options, ends, stopped.signal)), close };
  } catch (error) {
    await close().catch((reason: unknown) => say(String(reason)));
    throw error;
  }
}

async function furnish(
  options: EnvironmentOptions,
  ends: (() => Promise<unknown>)[],
  signal: AbortSignal,
): Promise<Omit<Environment, 'close'>> {
  const { say, accounts } = options;
  const dir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  ends.push(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const write = (file: string, content: string) => writeFile(join(dir, file), content);
  for (const [file, content] of Object.entries(options.files)) await write(file, content);

  const { TEMPORAL_ADDRESS: _, ...env } = process.env;
  const temporal = await startTemporal({
    stateDir: dir,
    env,
    cacheDir: cacheDirOf(env),
    say,
    port: await freePort(),
    searchAttributes: SEARCH_ATTRIBUTES,
  });
  const standDown = guard({ pid: temporal.pid, folder: dir });
  ends.push(standDown, () => temporal.stop());
  const postgres = await startPostgres();
  ends.push(() => postgres.stop());

  await write('fixture.json', JSON.stringify({ accounts: accounts.map(({ fixture }) => fixture) }));
  const sandbox = sluice(
    [
      'sandbox',
      '--rate',
      String(options.rate),
      '--data',
      join(dir, 'sandbox'),
      '--fixture',
      join(dir, 'fixture.json'),
    ],
    {},
  );
  ends.push(() => sandbox.kill('SIGTERM'));
  const { baseUrl, panelUrl } = JSON.parse(await sandbox.first) as { baseUrl: string; panelUrl: string };
  await write(
    'sluice.yaml',
    stringify({ version: 1, accounts: Object.fromEntries(accounts.map(configOf)), ...options.config }),
  );

  const connection = await Connection.connect({ address: temporal.address });
  ends.push(() => connection.close());
  const client = new Client({ connection, namespace: temporal.namespace });
  const workers: Child[] = [];
  // A worker that is asked to end waits for its calls, which a bench no longer needs.
  ends.push(() => Promise.all(workers.map((worker) => worker.kill('SIGKILL'))));

  function configOf({ id, config }: EnvironmentOptions['accounts'][number]) {
    return [id, { baseUrl, tokens: [`env:${tokenVariable(id)}`], ...config }] as const;
  }
  async function panel<T>(path: string, body?: object): Promise<T> {
    const stopped = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await request(panelUrl + path, { method: stopped ? 'POST' : 'GET', ...stopped });
    if (answer.statusCode !== 200)
      throw new Error(`panel ${path}: ${answer.statusCode} ${await answer.body.text()}`);
    return (await answer.body.json()) as T;
  }
  const wait = async (ms: number) => {
    await delay(ms, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
  };
  const variables = {
    TEMPORAL_ADDRESS: temporal.address,
    DATABASE_URL: postgres.url,
    // Several processes of this machine serve metrics.
    SLUICE_ADMIN_PORT: '0',
    ...Object.fromEntries(accounts.map(({ id }) => [tokenVariable(id), tokenOf(id)])),
    ...options.env,
  };
  return {
    baseUrl,
    dir,
    panel,
    client,
    temporalAddress: temporal.address,
    databaseUrl: postgres.url,
    temporalPid: temporal.pid as number,
    postgresPid: postgres.pid,
    async ingress() {
      const child = sluice(['ingress', '--config', join(dir, 'sluice.yaml')], variables);
      ends.push(() => child.kill('SIGKILL'));
      const [url] = /http:\S+/.exec(await child.said('ingress    http')) ?? [];
      return { child, url: url as string };
    },
    write,
    wait,
    async worker(program, env) {
      const files = ['--config', join(dir, 'sluice.yaml'), '--state', dir];
      const all = Object.assign({}, variables, env);
      const worker = program === undefined ? sluice(['worker', ...files], all) : sluice(files, all, program);
      workers.push(worker);
      await worker.said('ready for');
      return worker;
    },
    async start(account, sync) {
      const handle = await startSync(client, account, sync);
      return { handle, firstRunId: (await handle.describe()).runId };
    },
    // Null while no worker answers.
    progress: (handle) => readProgress(handle).catch(() => null),
    result: (handle) => connection.withAbortSignal(signal, () => handle.result()),
    account: (id) => panel<{ contacts: unknown[]; cards: unknown[] }>(`/accounts/${id}`),
    requests: async (since) => (await panel<{ requests: LoggedCall[] }>(`/requests?since=${since}`)).requests,
    async until(ask, everyMs = 500) {
      for (;;) {
        const answer = await ask();
        if (answer !== null) return answer;
        await wait(everyMs);
      }
    },
    watchCpu: () =>
      watchCpu(() => ({
        temporal: [temporal.pid as number],
        postgres: postgres.pid === null ? [] : [postgres.pid],
        sandbox: [sandbox.pid],
        workers: workers.map(({ pid }) => pid),
      })),
  };
}
