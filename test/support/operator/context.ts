// An operator API over an empty ledger and, when a test has one, a sluice.yaml in a folder of its own.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { stringify } from 'yaml';
import { CONFIG_CHECKS } from '../../../src/app/config-checks.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import { testLedger } from '../postgres/ledger.ts';
import { openTestOperator, type TestOperator } from './operator.ts';

export interface OperatorContextOptions {
  /** Text or content of sluice.yaml. */
  readonly yaml?: string | object;
  /** The configuration, in place of `yaml`. */
  readonly config?: LoadedConfig;
  /** Content of further files of the folder, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Record<string, string>;
  /** Also checks what the schema can't, as a server does. */
  readonly checks?: boolean;
  /** The folder is the server's state folder, too. */
  readonly stateHere?: boolean;
  /** @default no Temporal server runs */
  readonly temporal?: () => Client;
  /** Opens it once, before all tests of the file. */
  readonly once?: boolean;
}

/** Call it at the top of a test file: it opens an operator before each test. What it returns stays the same. */
export function operatorContext(options: OperatorContextOptions = {}) {
  const { files = {}, env = { A: 'svc_test_a', TOKEN: 'svc_test_canary' }, once = false, yaml } = options;
  let dir: string;
  let ledger: Database;
  let opened: TestOperator;
  const path = (name: string) => join(dir, name);
  const file = () => path('sluice.yaml');
  const db: Database = {
    kind: 'postgres',
    query: (sql, params) => ledger.query(sql, params),
    transaction: (work) => ledger.transaction(work),
    close: async () => undefined,
  };
  const load = async (how: LoadOptions = { env }) =>
    await loadConfig(file(), { ...how, ...(options.checks === true && CONFIG_CHECKS) });

  async function openOver(config: LoadedConfig | undefined): Promise<void> {
    opened = await openTestOperator({
      db,
      temporal: options.temporal?.() ?? null,
      ...(config !== undefined && { config }),
      ...(options.stateHere === true && { stateDir: dir }),
    });
  }
  async function open(): Promise<void> {
    dir = await mkdtemp(join(tmpdir(), 'sluice-operator-'));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), text);
    }
    if (yaml !== undefined) await writeFile(file(), typeof yaml === 'string' ? yaml : stringify(yaml));
    ledger = await testLedger();
    await openOver(yaml === undefined ? options.config : await load());
  }
  async function close(): Promise<void> {
    await opened.close();
    await rm(dir, { recursive: true, force: true });
  }
  (once ? beforeAll : beforeEach)(open);
  (once ? afterAll : afterEach)(close);

  const operator: Omit<TestOperator, 'close'> = {
    get client() {
      return opened.client;
    },
    get server() {
      return opened.server;
    },
    as: (caller) => opened.as(caller),
    config: () => opened.config(),
  };
  const call: TestOperator['client']['call'] = (...args) => operator.client.call(...args);
  /** Opens another operator, over sluice.yaml as it is on the disk and the same ledger. */
  async function reopen(how?: LoadOptions): Promise<void> {
    await opened.close();
    await openOver(await load(how));
  }
  return { db, operator, call, path, file, load, reopen };
}

/** A Temporal server for commands that start workflows with events. @param start what it does with their ids */
export function startsEvents(start: (events: readonly string[]) => void): Client {
  return {
    options: { namespace: 'default' },
    connection: { withDeadline: (_: number, call: () => Promise<unknown>) => call() },
    workflow: {
      start: async (_: string, { args: [{ events }] }: { args: [{ events: string[] }] }) => start(events),
    },
  } as unknown as Client;
}
