// An operator API with one route, `site`, which tags people, for the commands on what reached it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { stringify } from 'yaml';
import { type LoadedConfig, loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import { openTestOperator, type TestOperator } from '../../support/operator.ts';
import { testLedger } from '../../support/postgres/ledger.ts';
import { runHere } from '../../support/runner/run-here.ts';

/** Call it once, at the top of a test file. @param group the command of `sluice` that is tried */
export function siteContext(group: string, register: (program: Command, env: NodeJS.ProcessEnv) => void) {
  let dir: string;
  let config: LoadedConfig;
  let db: Database;
  let operator: TestOperator;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), `sluice-${group}-`));
    const site = {
      account: 'acme',
      action: { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['vip'] },
      http: { path: '/site', auth: { type: 'none' } },
    };
    const accounts = { acme: { baseUrl: 'http://127.0.0.1:1/wapi', tokens: ['env:A'] } };
    await writeFile(join(dir, 'sluice.yaml'), stringify({ version: 1, accounts, routes: { site } }));
    config = await loadConfig(join(dir, 'sluice.yaml'), { env: { A: 'svc_test_a' } });
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  beforeEach(async () => {
    const temporal = {
      options: { namespace: 'default' },
      connection: { withDeadline: (_: number, call: () => Promise<unknown>) => call() },
      workflow: { start: () => Promise.resolve() },
    } as unknown as Client;
    db = await testLedger();
    operator = await openTestOperator({ db, temporal, config });
  });
  afterEach(() => operator.close());

  return {
    get db() {
      return db;
    },
    sluice: (...args: string[]) =>
      runHere((program) => register(program, {}), [group, ...args, '--server', operator.server]),
    /** Writes a file for the command. @returns its path */
    async file(name: string, text: string): Promise<string> {
      const path = join(dir, name);
      await writeFile(path, text);
      return path;
    },
  };
}
