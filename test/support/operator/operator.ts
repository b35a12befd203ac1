// The operator API of a test environment: a client in the process, and a socket for commands (`--server`).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { createOperator } from '../../../src/app/operator.ts';
import { createLiveConfig } from '../../../src/config/live-config.ts';
import type { LoadedConfig } from '../../../src/config/load.ts';
import { WORK_QUEUE } from '../../../src/core/ids.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import type { OperatorClient } from '../../../src/operator/client/client.ts';
import { localClient } from '../../../src/operator/client/local.ts';
import type { Caller } from '../../../src/operator/service/caller.ts';

export interface TestOperator {
  readonly client: OperatorClient;
  /** For `--server` and SLUICE_SERVER. */
  readonly server: string;
  /** A client of somebody else. */
  as(caller: Partial<Caller>): OperatorClient;
  /** The configuration in use. */
  config(): LoadedConfig;
  close(): Promise<void>;
}

const ADMIN: Caller = { identity: 'unix:tester', name: 'tester', role: 'admin', via: 'local' };

export async function openTestOperator(options: {
  readonly db: Database;
  /** Null: no Temporal server runs. */
  readonly temporal: Client | null;
  /** The configuration, if the commands need one. */
  readonly config?: LoadedConfig;
  /** Task queue of the workers. @default "sluice" */
  readonly workQueue?: string;
  /** State folder with the embedded ledger. @default an empty folder */
  readonly stateDir?: string;
}): Promise<TestOperator> {
  const { db, temporal, config, workQueue = WORK_QUEUE } = options;
  const folder = await mkdtemp(join(tmpdir(), 'sluice-operator-'));
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (...line: unknown[]) => console.error(...line),
  };
  // A configuration that a test made up has no files.
  if (config !== undefined && !('files' in config)) Object.assign(config, { files: [] });
  const live = config === undefined ? null : createLiveConfig(config, { log });
  const current = (): LoadedConfig => {
    if (live !== null) return live.current();
    throw new Error('this test has no configuration');
  };
  const operator = createOperator({
    db,
    workQueue,
    config: current,
    live,
    async temporal() {
      if (temporal !== null) return temporal;
      throw new Error('this test has no Temporal server');
    },
    runningTemporal: async () => temporal,
    env: {},
    stateDir: options.stateDir ?? folder,
    log,
  });
  const socket = await operator.openSocket();
  return {
    client: localClient(operator.dispatch, ADMIN),
    config: current,
    server: `unix:${socket.path}`,
    as: (caller) => localClient(operator.dispatch, { ...ADMIN, ...caller }),
    async close() {
      await operator.close();
      await socket.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
