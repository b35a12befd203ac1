// Runs everything that syncs need in one process: the Temporal server, the ledger, and workers.

import { readFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { ActivityLog } from '../../activities/shared/deps.ts';
import { BUNDLE_PATH } from '../../workers/bundle.ts';
import { createDeps, startWorkers } from '../../workers/compose.ts';
import type { LoadedConfig } from '../config/load.ts';
import { SEARCH_KEYS } from '../contracts/ids.ts';
import type { Database } from '../ledger/database.ts';
import { forgetNowAndThen } from './forget.ts';
import { openLedger } from './ledger-database.ts';
import type { Shutdown } from './shutdown.ts';
import { cacheDirOf } from './temporal/cache-dir.ts';
import { openClient } from './temporal/temporal-client.ts';
import { startTemporal, type TemporalServer } from './temporal/temporal-server.ts';
import { uiWarning } from './temporal/temporal-ui.ts';

export interface StackOptions {
  readonly config: LoadedConfig;
  /** State folder; the caller owns its lock. */
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: ActivityLog;
  say(line: string): void;
  /** Starts the web UI of an embedded Temporal server too. @default false */
  readonly temporalUi?: boolean;
  /** The ledger, if the caller has opened it already. */
  readonly db?: Database;
  /** Closes what is opened here. */
  readonly shutdown: Shutdown;
}

export interface Stack {
  readonly temporal: TemporalServer;
  readonly client: Client;
  readonly db: Database;
  /** Rejects when the worker or an embedded server ends unexpectedly. */
  readonly failed: Promise<never>;
}

/** Opens Temporal, ledger and workers. `shutdown` closes them in reverse order. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { config, stateDir, env, log, say, shutdown } = options;
  const temporal = await startTemporal({
    stateDir,
    env,
    cacheDir: cacheDirOf(env),
    say,
    searchAttributes: Object.fromEntries(Object.values(SEARCH_KEYS).map((key) => [key.name, 'Keyword'])),
    ...(env.TEMPORAL_NAMESPACE === undefined ? {} : { namespace: env.TEMPORAL_NAMESPACE }),
    ui: options.temporalUi ?? false,
    signal: shutdown.signal,
  });
  shutdown.add('Temporal server', () => temporal.stop());
  if (temporal.uiUrl !== null) say(uiWarning(temporal.uiUrl));
  // A shutdown began while Temporal started: open nothing more.
  shutdown.signal.throwIfAborted();
  const db = options.db ?? (await openOwnLedger(options));
  shutdown.signal.throwIfAborted();
  const { deps, close } = await createDeps({ config, db, log });
  shutdown.add('API clients', close);
  const nativeConnection = await NativeConnection.connect({ address: temporal.address });
  shutdown.add('worker connection', () => nativeConnection.close());
  const client = await openClient(temporal, shutdown);
  shutdown.signal.throwIfAborted();
  const workers = await startWorkers({
    connection: nativeConnection,
    namespace: temporal.namespace,
    deps,
    workflows: { workflowBundle: { code: await readFile(BUNDLE_PATH, 'utf8') } },
  });
  shutdown.add('worker', () => workers.stop());
  void forgetNowAndThen({ config, db, log, shutdown });
  const failed = Promise.race([
    workers.done.then(() => undefined),
    temporal.exited.then((exit) => {
      if (!shutdown.signal.aborted)
        throw new Error(`the Temporal server ended unexpectedly (${JSON.stringify(exit)})`);
    }),
  ]).then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);
  return { temporal, client, db, failed };
}

async function openOwnLedger({ env, stateDir, log, shutdown }: StackOptions): Promise<Database> {
  const db = await openLedger({
    url: env.DATABASE_URL,
    stateDir,
    onError: (error) => log.error({ err: error }, 'the database dropped a connection'),
  });
  shutdown.add('ledger', () => db.close());
  return db;
}
